"""Converts rich text (.rtf) to text and blocks: striprtf reads the words, marks put in beforehand tell their places."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from striprtf.striprtf import charset_map, rtf_to_text

from app.core.errors import SpanlightError
from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.block_words import PLAIN
from app.documents.blocks import Blocks
from app.documents.parts import Parts
from app.documents.word.lists import shown_bullet
from app.documents.word.symbols import symbol

_TOKEN = re.compile(
    rb"\\bin(\d{1,9}) ?|\\([a-zA-Z]{1,32})(-?\d{1,9})?\d* ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}]+)"
)
_CHECK_EVERY = 20_000
_DEEPEST = 1000
# Code points that are never characters, which the words of a file may not hold.
_MARKS = "\ufdd0-\ufdef"
_LINE, _CELL, _ROW, _TABLE, _DEFINED, _HEADER, _PLAIN = map(chr, range(0xFDD0, 0xFDD7))
_LABEL, _LABEL_END, _NOTE, _NOTE_END = map(chr, range(0xFDD7, 0xFDDB))
_OUTLINE = 0xFDE0  # and on: an outline level
_LEVELS = 9
_BY_WORD = {
    "line": _LINE, "lbr": _LINE, "cell": _CELL, "row": _ROW, "intbl": _TABLE, "trowd": _DEFINED,
    "trhdr": _HEADER, "pard": _PLAIN,
}  # fmt: skip
# Words whose part of the file holds no words of the text, in which nothing is marked.
_SETTINGS = frozenset(
    "fonttbl colortbl stylesheet info listtable listoverridetable pict objdata themedata".split()
)
# Character sets for which Python has no code page, and the nearest one for which it has.
_NEAREST = {78: 128, 79: 136, 80: 129, 82: 177, 85: 134, 86: 238, 87: 204, 88: 222, 89: 238}
# Code pages by their numbers on a Mac, and by the words of old files.
_PAGES = {"10000": "mac_roman", "10007": "mac_cyrillic", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
# Those with characters of two bytes.
_WIDE = frozenset((128, 129, 130, 134, 136))
_WIDE_PAGES = frozenset(charset_map[each] for each in _WIDE)
_MOST_SKIPPED = 100
# striprtf takes up to a second for a million characters, and cannot be stopped meanwhile.
_MOST_MARKED = 25_000_000
_EVERY_MARK = frozenset(map(chr, range(0xFDD0, 0xFDF0)))
_OF_SYMBOLS = re.compile("[\uf000-\uf0ff]")
_RUNS = re.compile(f"[{_MARKS}\n]|[^{_MARKS}\n]+")


def read_rtf(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a rich text file, with foot- and endnotes after the text.

    Words in code pages and Unicode escapes are read as their fonts say. Tracked deletions, hidden words, headers and
    footers, comments, pictures and embedded objects are left out. Raises SpanlightError for a file that is nested
    beyond reason, and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the document")))
    marker = _Marker(name, report)
    marked = "".join(marker.marked(data))
    if len(marked) > _MOST_MARKED:
        raise SpanlightError(
            Message("“{name}” holds more words than can be read.", name=name),
            Message("Split it, and open the part that matters."),
        )
    report.check()
    text = rtf_to_text(marked, encoding=marker.encoding, errors="replace")
    # Characters beyond U+FFFF are written as two, those of symbol fonts as private ones.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _OF_SYMBOLS.sub(lambda found: symbol(found[0], "") or "\ufffd", text)
    report.check()
    blocks = Blocks()
    _Placer(blocks, report).place(text)
    return blocks.parts()


@dataclass(frozen=True, slots=True)
class _State:
    """What a group of the file inherits from the one around it."""

    settings: str = ""  # the part of the file that holds no words, by its word
    hidden: bool = False
    deleted: bool = False
    font: str = ""
    ends: str = ""  # the mark at the end of the group


class _Marker:
    """Rewrites a file so that striprtf reads it as its author meant, with marks for what it would leave out.

    Cells, rows, lines, outline levels, list labels and notes are marked; hidden and deleted words, binary data and
    pictures are left out. `encoding` is the code page of words without a font of their own.
    """

    def __init__(self, name: str, report: Report) -> None:
        self.encoding = "cp1252"
        self._name = name
        self._report = report
        self._charsets: dict[str, int] = {}  # by font
        self._levels: dict[str, int] = {}  # outline levels by style
        self._defined = ""  # the font or style that is being defined
        self._font = ""  # what is written for the default font
        self._is_half = False  # whether the last code is the first half of a character

    def marked(self, data: bytes) -> Iterator[str]:
        """The file's tokens, rewritten."""
        state, stack = _State(), list[_State]()
        at, count = 0, 0
        while (token := _TOKEN.match(data, at)) is not None:
            at = token.end()
            count += 1
            if count % _CHECK_EVERY == 0:
                self._report.check()
                self._report.progress(Progress(at, 2 * len(data), Message("Reading the document")))
            binary, word, number, code, sign, brace, words = token.groups()
            if binary is not None:
                at += int(binary)
            elif brace == b"{":
                if len(stack) >= _DEEPEST:
                    raise _too_deep(self._name)
                stack.append(state)
                state = replace(state, ends="")
                yield "{"
            elif brace is not None:
                yield f"{_mark(state.ends)}}}" if state.ends else "}"
                if not stack:
                    return
                state = stack.pop()
            elif word is not None:
                state, rewritten = self._word(state, word.decode("ascii"), (number or b"").decode("ascii"))
                yield rewritten
            elif sign == b"*":
                yield "\\*"
            elif not (state.settings or state.hidden or state.deleted):
                if sign is not None:
                    yield self._sign(sign, state)
                else:
                    yield self._words(bytes([int(code, 16)]) if code else words, bool(code), state)

    def _sign(self, sign: bytes, state: _State) -> str:
        if self._is_half and sign in b"\\{}":
            return self._words(sign, True, state)
        self._is_half = False
        return "\\par " if sign in b"\r\n" else f"\\{sign.decode()}" if sign.isascii() else ""

    def _words(self, words: bytes, coded: bool, state: _State) -> str:
        """Words in which what is not ASCII, or is the second half of a character, is written as codes."""
        words = words.translate(None, b"\0\r\n")
        charset = self._charsets.get(state.font)
        is_wide = self.encoding in _WIDE_PAGES if charset is None else charset in _WIDE
        if words.isascii() and not (self._is_half or coded):
            return words.decode("ascii")
        written = []
        for each in words:
            is_code = coded or self._is_half or each >= 0x80
            written.append(f"\\'{each:02x}" if is_code else chr(each))
            self._is_half = is_wide and not self._is_half and 0x81 <= each <= 0xFE
        return "".join(written)

    def _word(self, state: _State, word: str, number: str) -> tuple[_State, str]:
        """The state after a control word, and what is written for it."""
        self._is_half = False
        value = int(number) if number else None
        if word in _SETTINGS:
            return replace(state, settings=word), "\\fonttbl " if word == "fonttbl" else "\\info "
        if state.settings:
            return state, self._setting(state.settings, word, number)
        match word:
            case "v":
                return replace(state, hidden=value != 0), ""
            case "deleted":
                return replace(state, deleted=value != 0), ""
            case "plain":
                return replace(state, hidden=False, deleted=False, font=self._font[2:].strip()), self._font
            case "f":
                return replace(state, font=number), f"\\f{number} "
            case "deff":
                self._font = f"\\f{number} " if number else ""
                return replace(state, font=number), self._font
            case "listtext" | "pntext":
                return replace(state, ends=_LABEL_END), _mark(_LABEL)
            case "footnote":
                return replace(state, ends=_NOTE_END), _mark(_NOTE)
            case "s" | "outlinelevel":
                level = self._levels.get(number, -1) if word == "s" else value
                return state, "" if level is None or not 0 <= level < _LEVELS else _mark(
                    chr(_OUTLINE + level)
                )
            case "ansicpg":
                self.encoding = (
                    f"cp{number}" if _is_known(f"cp{number}") else _PAGES.get(number, self.encoding)
                )
                return state, ""
            case "mac" | "pc" | "pca":
                self.encoding = _PAGES[word]
                return state, ""
            case "u" if value is not None and not (state.hidden or state.deleted):
                code = value + 0x10000 if -0x8000 <= value < 0 else value
                is_good = 0 < code < 0x110000 and not 0xFDD0 <= code <= 0xFDEF
                return state, f"\\u{code if is_good else 0xFFFD} "
            case "uc":
                return state, f"\\uc{max(0, min(1 if value is None else value, _MOST_SKIPPED))} "
            case "nestcell":
                return state, "\\par "
            case "fldinst":
                # As such it would be searched for addresses, which are not shown.
                return state, "\\fldtype "
        if word in _BY_WORD:
            return state, _mark(_BY_WORD[word]) if value != 0 else ""
        return state, "" if word == "u" or word.startswith(("bin", "pict")) else f"\\{word}{number} "

    def _setting(self, settings: str, word: str, number: str) -> str:
        """What is written for a control word among settings; the styles' outline levels are kept."""
        if settings == "fonttbl" and word == "f":
            self._defined = number
        elif settings == "fonttbl" and word == "fcharset" and number and self._defined:
            charset = _NEAREST.get(int(number), int(number))
            if charset in charset_map:
                self._charsets[self._defined] = charset
                return f"{{\\f{self._defined}\\fcharset{charset} x;}}"
        elif settings == "stylesheet" and word in ("s", "cs", "ds", "ts"):
            self._defined = number if word == "s" else ""
        elif settings == "stylesheet" and word == "outlinelevel" and self._defined:
            self._levels[self._defined] = int(number or _LEVELS)
        return ""


def _is_known(encoding: str) -> bool:
    try:
        return bool(codecs.lookup(encoding))
    except LookupError:
        return False


def _mark(mark: str) -> str:
    """A mark behind a control word that changes nothing: directly behind a Unicode escape it would be skipped."""
    return f"\\ltrch {mark}"


def _too_deep(name: str) -> SpanlightError:
    return SpanlightError(
        Message("“{name}” is nested deeper than any document, and was not opened.", name=name),
        Message("If you trust it, open it in the program that wrote it and save it as plain text."),
    )


class _Placer:
    """Adds words to blocks by the marks between them."""

    def __init__(self, blocks: Blocks, report: Report) -> None:
        self._blocks = blocks
        self._report = report
        self._in_table = self._is_defined = False
        self._outline = -1
        self._label: str | None = None  # an item's number or bullet
        self._row_begun = self._cell_begun = False
        self._is_header = False

    def place(self, text: str) -> None:
        """Add the text, and after it the notes that stand in it."""
        notes: list[str] = []
        note: list[str] | None = None
        label: list[str] | None = None
        for count, match in enumerate(_RUNS.finditer(text)):
            if count % _CHECK_EVERY == 0:
                self._report.check()
            words = match[0]
            if words in (_NOTE, _NOTE_END):
                if note is not None:
                    notes.append("".join(note))
                note = [] if words == _NOTE else None
                if note is not None:
                    self._words(str(len(notes) + 1), raised=True)
            elif note is not None:
                note.append(words if words[0] not in _EVERY_MARK else " ")
            elif words in (_LABEL, _LABEL_END):
                if label is not None:
                    self._label = shown_bullet("".join(label).replace("\ufffd", ""), "", 1)
                label = [] if words == _LABEL else None
            elif label is not None:
                label.append(words if words[0] not in _EVERY_MARK else "")
            else:
                self._add(words)
        if note is not None:
            notes.append("".join(note))
        self._leave_table()
        for number, words in enumerate(notes, start=1):
            self._blocks.begin(BlockKind.ITEM, 1, f"{number}.")
            self._blocks.words(words)
            self._blocks.end()

    def _add(self, words: str) -> None:
        if words == "\n":
            self._end_paragraph()
        elif words == _LINE:
            self._blocks.line_break()
        elif words == _PLAIN:
            self._in_table, self._outline = False, -1
        elif words in (_TABLE, _DEFINED):
            self._in_table = True
            self._is_defined = words == _DEFINED
        elif words == _HEADER:
            self._is_header = True
        elif words == _CELL:
            if self._in_table or self._blocks.in_table:
                self._enter_cell()
            self._end_paragraph()
            self._cell_begun = False
        elif words == _ROW:
            self._end_paragraph()
            self._row_begun = self._cell_begun = self._is_header = False
            # Words that are in a row only because one is defined before them are in no further one.
            self._in_table &= not self._is_defined
        elif _OUTLINE <= ord(words[0]) < _OUTLINE + _LEVELS:
            self._outline = ord(words[0]) - _OUTLINE
        elif words not in _EVERY_MARK:
            self._words(words)

    def _words(self, words: str, *, raised: bool = False) -> None:
        if not self._blocks.is_open and words.strip():
            self._begin()
        self._blocks.words(words, frozenset([Style.RAISED]) if raised else PLAIN)

    def _begin(self) -> None:
        if self._in_table:
            self._enter_cell()
        else:
            self._leave_table()
        label, self._label = self._label, None
        if self._outline >= 0 and not self._blocks.in_table:
            self._blocks.begin(BlockKind.HEADING, self._outline + 1, label or "")
        elif label is not None:
            self._blocks.begin(BlockKind.ITEM, 1, label)
        else:
            self._blocks.begin(BlockKind.PARAGRAPH)

    def _end_paragraph(self) -> None:
        self._blocks.end()
        self._label = None

    def _enter_cell(self) -> None:
        if not self._blocks.in_table:
            self._blocks.begin_table()
        if not self._row_begun:
            self._blocks.row(self._is_header)
        if not self._cell_begun:
            self._blocks.cell()
        self._row_begun = self._cell_begun = True

    def _leave_table(self) -> None:
        if self._blocks.in_table:
            self._blocks.end_table()
        self._row_begun = self._cell_begun = False
