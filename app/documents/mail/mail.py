"""Adds mails with their attachments to blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from app.core.errors import SpanlightError
from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Report
from app.core.text import normalise_newlines
from app.core.wording import size
from app.documents.blocks import Blocks
from app.documents.html import add_html
from app.documents.parts import MOST_TEXT, Parts
from app.documents.rtf import read_rtf

# How much of the attachments of one file is read.
MOST_BYTES_ATTACHED, MOST_FILES_ATTACHED = 100_000_000, 500
DEEPEST = 3  # mails in mails, and files that are read of these
_STRONG = frozenset((Style.STRONG,))
_LONGEST_NAME = 200
_DAY_AND_TIME = len("2021-03-04 10:00")
# The headings of a mail's own text are below those of its attachments, which are one below its subject.
_OWN = 2
_MARKS = re.compile(r"(?:>[ ]?)+")
_SIGNATURE = "-- "
_DEEPEST_QUOTE = 20
# What programs write above the mail that is answered, where they do not mark its lines.
_ORIGINAL = re.compile(
    r"\s*-{3,} ?(?:Original Message|Original Appointment|Ursprüngliche Nachricht|Mensaje original) ?-{3,}\s*",
    re.IGNORECASE,
)
# Columns that are set apart by blanks, in at least two lines.
_COLUMNS = re.compile(r"\S {3,}\S")

# Reads an attachment by its bytes and its name; raises SpanlightError for what cannot be read.
ReadFile = Callable[[bytes, str], Parts]


@dataclass(frozen=True, slots=True)
class Body:
    """A part of a mail's text: plain, HTML or rich text; `flowed` and `joined` are as in `add_plain`."""

    text: str = ""
    is_html: bool = False
    flowed: bool = False
    joined: bool = False
    rich: bytes = b""


@dataclass(frozen=True, slots=True)
class Attached:
    """An attachment: its name, and its bytes or, for a mail, that mail."""

    name: str
    content: bytes | Mail


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail: its subject, the lines of its head (label and words), the parts of its text, and its attachments."""

    subject: str = ""
    head: tuple[tuple[str, str], ...] = ()
    bodies: tuple[Body, ...] = ()
    attached: tuple[Attached, ...] = ()
    encrypted: bool = False


@dataclass
class MailWriter:
    """Adds mails to blocks, up to what is shown of one file, all attachments together.

    `text_left` is in code points, `bytes_left` and `files_left` count what may still be read of attachments.
    """

    blocks: Blocks
    report: Report
    read_file: ReadFile
    text_left: int = MOST_TEXT
    bytes_left: int = MOST_BYTES_ATTACHED
    files_left: int = MOST_FILES_ATTACHED
    notes: dict[str, None] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether no more text may be added."""
        return self.text_left <= 0

    def add(self, mail: Mail, level: int = 1, title: str = "") -> None:
        """Add a mail: its subject, or a `title`, as a heading, its head as a table, its text, and its attachments.

        The head lists all attachments with their sizes; those of a kind that is read follow the text, each below its
        name.
        """
        self.report.check()
        read = [(each, self._parts(each) if level <= DEEPEST else None) for each in mail.attached]
        self._heading(title or mail.subject, level)
        self._head(mail, read)
        for body in mail.bodies:
            self._body(body, level + _OWN - 1)
        if mail.encrypted:
            self.notes[Message("A mail is encrypted: only its head can be read.")] = None
        for attached, parts in read:
            if isinstance(attached.content, Mail) and level <= DEEPEST:
                self.add(attached.content, level + 1, f"Attachment: {attached.name}")
            elif parts is not None:
                self._heading(f"Attachment: {attached.name}", level + 1)
                self.blocks.add(parts, level + 1)

    def _parts(self, attached: Attached) -> Parts | None:
        """What is read of an attachment; None for a mail, and for one that is not read."""
        content = attached.content
        if isinstance(content, Mail) or not content:
            return None
        if len(content) > self.bytes_left or not self.files_left or self.is_full:
            note = Message(
                "Attachments beyond {files:,} files or {size} are listed and not read.",
                files=MOST_FILES_ATTACHED,
                size=size(MOST_BYTES_ATTACHED),
            )
            self.notes[note] = None
            return None
        try:
            parts = self.read_file(content, attached.name)
        except SpanlightError:
            return None
        if len(parts.text) > self.text_left or not parts.text.strip():
            return None
        self.text_left -= len(parts.text)
        self.bytes_left -= len(content)
        self.files_left -= 1
        for each in parts.notes:
            self.notes[Message("{name}: {note}", name=attached.name, note=each)] = None
        return parts

    def _heading(self, words: str, level: int) -> None:
        if not self.blocks.block(BlockKind.HEADING, words, level):
            self.blocks.block(BlockKind.HEADING, "(no subject)", level)

    def _head(self, mail: Mail, read: list[tuple[Attached, Parts | None]]) -> None:
        rows = [(label, [words]) for label, words in mail.head if words.strip()]
        if read:
            rows.append(("Attachments", [_listed(attached, parts) for attached, parts in read]))
        if not rows:
            return
        self.blocks.begin_table()
        for label, lines in rows:
            self.blocks.row()
            self.blocks.cell()
            self.blocks.words(label, _STRONG)
            self.blocks.cell()
            for line in lines:
                self.blocks.words(line)
                self.blocks.end()
        self.blocks.end_table()

    def _body(self, body: Body, deeper: int) -> None:
        whole = body.rich or body.text
        shown = whole[: max(0, self.text_left)]
        self.text_left -= len(shown)
        if len(shown) < len(whole):
            self.notes[Message("The mail is too long: its beginning is shown.")] = None
        if isinstance(shown, bytes):
            try:
                parts = read_rtf(shown, "", self.report)
            except SpanlightError:  # it is nested beyond reason
                return
        elif body.is_html:
            own = Blocks()
            add_html(shown, own, self.report)
            parts = own.parts()
        else:
            add_plain(shown, self.blocks, flowed=body.flowed, joined=body.joined)
            return
        if parts.blocks:
            self.blocks.add(parts, deeper)


def when(moment: datetime) -> str:
    """A day and time, "2021-03-04 10:00", with its UTC offset, " +01:00", where that is not this computer's."""
    words = moment.isoformat(" ", "minutes")
    day, offset = words[:_DAY_AND_TIME], words[_DAY_AND_TIME:]
    return f"{day} {offset}" if offset and moment.utcoffset() != moment.astimezone().utcoffset() else day


def short(name: str) -> str:
    """A file's name without folders, on one line."""
    return " ".join(name.replace("\\", "/").rpartition("/")[2].split())[:_LONGEST_NAME]


def _listed(attached: Attached, parts: Parts | None) -> str:
    if isinstance(attached.content, Mail):
        return f"{attached.name} (mail)"
    unread = "" if parts is not None else ", not read"
    return f"{attached.name} ({size(len(attached.content))}{unread})"


def add_plain(text: str, blocks: Blocks, *, flowed: bool = False, joined: bool = False) -> None:
    """Add a mail's plain text: paragraphs, and quotes as deep as their lines are marked with “>”.

    Everything below “-----Original Message-----” is a quote. With `flowed` a blank at a line's end joins it to the next
    one, with `joined` without that blank (RFC 3676, `format=flowed` and `delsp=yes`).
    """
    for (_, depth), lines in groupby(_lines(text, flowed), key=lambda each: each[:2]):
        words = [line for _, _, line in lines]
        if not depth and sum(_COLUMNS.search(line) is not None for line in words) > 1:
            blocks.begin(BlockKind.CODE)
            blocks.words("\n".join(words))
        elif any(map(str.strip, words)):
            blocks.begin(BlockKind.QUOTE if depth else BlockKind.PARAGRAPH, depth)
            for line in words:
                runs_on = flowed and line.endswith(" ") and line != _SIGNATURE
                blocks.words(line[:-1] if runs_on and joined else line)
                if not runs_on:
                    blocks.line_break()
        blocks.end()


def _lines(text: str, flowed: bool) -> Iterator[tuple[int, int, str]]:
    """The lines with words: the number of the paragraph, how deep the line is quoted, and the line without marks."""
    paragraph = below = 0
    for line in normalise_newlines(text).split("\n"):
        marks = _MARKS.match(line)
        depth = marks[0].count(">") if marks else 0
        inner = line[marks.end() :] if marks else line
        if flowed and not marks and inner.startswith(" "):  # RFC 3676, section 4.4
            inner = inner[1:]
        if _ORIGINAL.fullmatch(inner):
            below = 1
            paragraph += 1
        if not inner.strip():
            paragraph += 1
            continue
        yield paragraph, min(depth + below, _DEEPEST_QUOTE), inner
