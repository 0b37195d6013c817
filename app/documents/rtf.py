"""Converts rich text (.rtf) to text and blocks."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.core.errors import SpanlightError
from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.block_words import PLAIN
from app.documents.blocks import Blocks
from app.documents.parts import Parts
from app.documents.symbols import shown_bullet, symbol

_TOKEN = re.compile(
    rb"\\bin(\d{1,9}) ?|\\([a-zA-Z]{1,32})(-?\d{1,9})?\d* ?|((?:\\'[0-9a-fA-F]{2})+)|\\([^a-zA-Z])|([{}])|([^\\{}]+)"
)
_CHECK_EVERY = 20_000
_DEEPEST = 1000
_LEVELS = 9
_MOST_SKIPPED = 100
# Words are put into the text when so many stretches of them wait.
_MOST_WAITING = 10_000
# Parts of the file that hold no words of the text, also where they are not marked as such by `\*`.
_PARTS = frozenset(
    "aftncn aftnsep aftnsepc annotation atnauthor atndate atnicn atnid atnparent atnref atntime atrfend atrfstart "
    "author background bkmkend bkmkstart buptim category colortbl comment company creatim datafield do doccomm docvar "
    "falt fchars ffdeftext ffentrymcr ffexitmcr ffformat ffhelptext ffl ffname ffstattext file filetbl fldinst fldtype "
    "fname fontemb fontfile fonttbl footer footerf footerl footerr formfield ftncn ftnsep ftnsepc generator header "
    "headerf headerl headerr htmltag info keycode keywords latentstyles lchars levelnumbers leveltext linkval list "
    "listoverridetable listtable manager mmath moMath nesttableprops nextfile nonesttables objalias objclass objdata "
    "object objname objsect objtime operator panose password pict pn pnseclvl pntxta pntxtb printim private propname "
    "protusertbl result revtbl revtim rsidtbl rxe shp shpgrp shpinst shppict shprslt shptxt sn sp staticval stylesheet "
    "subject sv tc template themedata title txe ud upr userprops xe xmlnstbl".split()
)
_OTHER_PART = "*"
_WORDS = {
    "tab": "\t", "emdash": "—", "endash": "–", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005",
    "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
_SIGNS = {b"~": "\xa0", b"-": "\xad", b"_": "\u2011"}
_PARAGRAPH_ENDS = frozenset(("par", "sect", "page", "nestcell"))
# Python's encodings by the numbers of a font's character set; of a Mac's that Python lacks the nearest one.
_CHARSETS = {
    0: "cp1252", 42: "cp1252", 77: "mac_roman", 78: "cp932", 79: "cp950", 80: "cp949", 81: "mac_arabic", 82: "cp1255",
    83: "mac_greek", 84: "mac_cyrillic", 85: "cp936", 86: "cp1250", 87: "cp1251", 88: "cp874", 89: "cp1250",
    128: "cp932", 129: "cp949", 130: "cp1361", 134: "cp936", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
# Code pages by their numbers on a Mac, and by the words of old files.
_PAGES = {"10000": "mac_roman", "10007": "mac_cyrillic", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_OF_SYMBOLS = re.compile("[\uf000-\uf0ff]")


def read_rtf(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a rich text file, with foot- and endnotes after the text.

    Words in code pages and Unicode escapes are read as their fonts say. Tracked deletions, hidden words, headers and
    footers, comments, pictures and embedded objects are left out. Raises SpanlightError for a file that is nested
    beyond reason, and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the document")))
    report.check()
    blocks = Blocks()
    _Reader(blocks, name, report).read(data)
    return blocks.parts()


class _State(NamedTuple):
    """What a group of the file inherits from the group around it."""

    part: str = ""  # of _PARTS, or _OTHER_PART; empty among the words of the text
    hidden: bool = False
    deleted: bool = False
    font: str = ""
    substitutes: int = 1  # characters behind a Unicode escape that stand for it in old programs
    note: list[str] | None = None  # the words of the note that the group is in
    label: list[str] | None = None  # the same of an item's number or bullet


class _Reader:
    """Adds the words of a file to blocks."""

    def __init__(self, blocks: Blocks, name: str, report: Report) -> None:
        self._blocks = blocks
        self._name = name
        self._report = report
        self._state = _State()
        self._encoding = "cp1252"  # of words without a font of their own
        self._encodings: dict[str, str] = {}  # by font
        self._font = ""  # the default one
        self._levels: dict[str, int] = {}  # outline levels by style
        self._defined = ""  # the font or style that is being defined
        self._bytes = bytearray()  # of words that are not decoded yet
        self._skip = 0  # how many of the next bytes are substitutes
        self._words: list[str] = []  # not put into the text yet
        self._notes: list[list[str]] = []
        self._in_table = self._is_defined = False
        self._row_begun = self._cell_begun = False
        self._is_header = False
        self._outline = -1
        self._label: str | None = None  # an item's number or bullet

    def read(self, data: bytes) -> None:
        """Add the text, and after it its foot- and endnotes."""
        stack: list[_State] = []
        at = count = 0
        while (token := _TOKEN.match(data, at)) is not None:
            at = token.end()
            count += 1
            if count % _CHECK_EVERY == 0:
                self._report.check()
                self._report.progress(Progress(at, len(data), Message("Reading the document")))
            binary, word, number, codes, sign, brace, words = token.groups()
            if words is not None:
                self._add_bytes(words.translate(None, b"\0\r\n"))
                continue
            if codes is not None:
                self._add_bytes(bytes.fromhex(codes.decode("ascii").replace("\\'", "")))
                continue
            if sign is not None and sign in b"\\{}":  # also the second half of a character
                self._add_bytes(sign)
                continue
            self._decode()
            self._skip = 0
            if binary is not None:
                at += int(binary)
            elif brace == b"{":
                if len(stack) >= _DEEPEST:
                    raise _too_deep(self._name)
                stack.append(self._state)
            elif brace is not None:
                if stack:
                    self._leave(stack.pop())
                if not stack:
                    break
            elif word is not None:
                self._control(word.decode("ascii"), (number or b"").decode("ascii"))
            elif sign == b"*":
                self._state = self._state._replace(part=_OTHER_PART)
            elif sign in (b"\r", b"\n"):
                self._control("par", "")
            else:
                self._write(_SIGNS.get(sign, ""))
        self._decode()
        self._put()
        self._leave_table()
        for number, note in enumerate(self._notes, start=1):
            self._blocks.block(BlockKind.ITEM, _characters(note), 1, f"{number}.")

    def _add_bytes(self, words: bytes) -> None:
        skipped = min(self._skip, len(words))
        self._skip -= skipped
        state = self._state
        if not (state.part or state.hidden or state.deleted):
            self._bytes += words[skipped:]

    def _decode(self) -> None:
        if self._bytes:
            words, self._bytes = self._bytes, bytearray()
            encoding = self._encodings.get(self._state.font, self._encoding)
            self._write(words.decode(encoding, "replace"))

    def _write(self, words: str) -> None:
        """Add words to the label, the note or the text, whichever they are in, unless they are not shown."""
        state = self._state
        if not words or state.part or state.hidden or state.deleted:
            return
        if state.label is not None:
            state.label.append(words)
        elif state.note is not None:
            state.note.append(words)
        else:
            self._words.append(words)
            if len(self._words) >= _MOST_WAITING and not "\ud800" <= words[-1] < "\udc00":
                self._put()

    def _leave(self, around: _State) -> None:
        """Go on in the group around the one that ends."""
        if self._state.label is not None and around.label is None:
            self._label = shown_bullet(_characters(self._state.label).replace("\ufffd", ""), "", 1)
        self._state = around

    def _control(self, word: str, number: str) -> None:
        state = self._state
        value = int(number) if number else None
        if word in _PARTS:
            self._state = state._replace(part=word)
        elif state.part:
            self._define(state.part, word, number)
        elif word in _WORDS:
            self._write(_WORDS[word])
        elif word == "v":
            self._state = state._replace(hidden=value != 0)
        elif word == "deleted":
            self._state = state._replace(deleted=value != 0)
        elif word == "plain":
            self._state = state._replace(hidden=False, deleted=False, font=self._font)
        elif word in ("f", "deff"):
            self._state = state._replace(font=number)
            self._font = number if word == "deff" else self._font
        elif word == "u" and value is not None:
            code = value + 0x10000 if -0x8000 <= value < 0 else value
            self._write(chr(code) if 0 < code < 0x110000 and not 0xFDD0 <= code <= 0xFDEF else "\ufffd")
            self._skip = state.substitutes
        elif word == "uc":
            self._state = state._replace(
                substitutes=max(0, min(1 if value is None else value, _MOST_SKIPPED))
            )
        elif word in ("ansicpg", "mac", "pc", "pca"):
            page = f"cp{number}"
            self._encoding = page if _is_known(page) else _PAGES.get(number or word, self._encoding)
        elif state.label is not None or state.note is not None:
            self._write(" ")
        elif word in ("listtext", "pntext"):
            self._state = state._replace(label=[])
        elif word == "footnote":
            self._state = state._replace(note=[])
            self._begin_note()
        else:
            self._layout(word, value, number)

    def _define(self, part: str, word: str, number: str) -> None:
        """Remember the encoding of a font, or the outline level of a style."""
        if part == "fonttbl" and word == "f":
            self._defined = number
        elif part == "fonttbl" and word == "fcharset":
            if number and self._defined and (encoding := _CHARSETS.get(int(number))):
                self._encodings[self._defined] = encoding
        elif part == "stylesheet" and word in ("s", "cs", "ds", "ts"):
            self._defined = number if word == "s" else ""
        elif part == "stylesheet" and word == "outlinelevel" and self._defined:
            self._levels[self._defined] = int(number or _LEVELS)

    def _layout(self, word: str, value: int | None, number: str) -> None:
        """Apply a control word of paragraphs and tables."""
        if word in ("s", "outlinelevel"):
            level = self._levels.get(number) if word == "s" else value
            if level is not None and 0 <= level < _LEVELS:
                self._put()
                self._outline = level
            return
        if word in _PARAGRAPH_ENDS:
            self._put()
            self._end_paragraph()
        if value == 0:
            return
        match word:
            case "line" | "lbr":
                self._put()
                self._blocks.line_break()
            case "pard":
                self._put()
                self._in_table, self._outline = False, -1
            case "intbl" | "trowd":
                self._put()
                self._in_table, self._is_defined = True, word == "trowd"
            case "trhdr":
                self._is_header = True
            case "cell":
                self._put()
                if self._in_table or self._blocks.in_table:
                    self._enter_cell()
                self._end_paragraph()
                self._cell_begun = False
            case "row":
                self._put()
                self._end_paragraph()
                self._row_begun = self._cell_begun = self._is_header = False
                # Words that are in a row only because one is defined before them are in no further one.
                self._in_table &= not self._is_defined

    def _put(self, *, raised: bool = False) -> None:
        """Put the waiting words into the text."""
        words, self._words = _characters(self._words), []
        if words.strip() and not self._blocks.is_open:
            self._begin()
        self._blocks.words(words, frozenset([Style.RAISED]) if raised else PLAIN)

    def _begin_note(self) -> None:
        note = self._state.note
        assert note is not None
        self._put()
        self._notes.append(note)
        self._words = [str(len(self._notes))]
        self._put(raised=True)

    def _begin(self) -> None:
        if self._in_table:
            self._enter_cell()
        else:
            self._leave_table()
        label, self._label = self._label, None
        self._blocks.begin_paragraph(0 if self._blocks.in_table else self._outline + 1, label)

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


def _characters(words: list[str]) -> str:
    """Words as Unicode: characters beyond U+FFFF are written as surrogate pairs, symbols as private characters."""
    text = "".join(words).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _OF_SYMBOLS.sub(lambda found: symbol(found[0], "") or "\ufffd", text)


def _is_known(encoding: str) -> bool:
    """Whether Python has an encoding, and ASCII is part of it."""
    try:
        return b"aZ09".decode(encoding) == "aZ09"
    except (LookupError, UnicodeError):
        return False


def _too_deep(name: str) -> SpanlightError:
    return SpanlightError(
        Message("“{name}” is nested deeper than any document, and was not opened.", name=name),
        Message("If you trust it, open it in the program that wrote it and save it as plain text."),
    )
