"""A mail with its attachments, and how it is added to blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Report
from app.core.wording import size
from app.documents.blocks import Blocks
from app.documents.html.page import add_html
from app.documents.limits import MOST_BYTES_ATTACHED, MOST_FILES_ATTACHED, MOST_TEXT
from app.documents.mail.plain import add_plain
from app.documents.parts import Parts

DEEPEST = 3  # mails in mails, and files that are read of these
_STRONG = frozenset((Style.STRONG,))
_LONGEST_NAME = 200
# The headings of a mail's own text are below those of its attachments, which are one below its subject.
_OWN = 2

# Reads an attachment by its bytes and its name; raises SpanlightError for what cannot be read.
ReadFile = Callable[[bytes, str], Parts]


@dataclass(frozen=True, slots=True)
class Body:
    """A part of a mail's text, plain or as HTML; `flowed` and `joined` are those of `add_plain`."""

    text: str
    is_html: bool = False
    flowed: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Attached:
    """An attachment: its name, and its bytes or, for a mail, what that is."""

    name: str
    content: bytes | Mail


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail: its subject, the lines of its head as label and words, its text, and what is attached to it."""

    subject: str = ""
    head: tuple[tuple[str, str], ...] = ()
    bodies: tuple[Body, ...] = ()
    attached: tuple[Attached, ...] = ()
    encrypted: bool = False


@dataclass
class MailWriter:
    """Adds mails to blocks, until they hold as much as is shown of one file (`limits`), all attachments together."""

    blocks: Blocks
    report: Report
    read_file: ReadFile
    text: int = MOST_TEXT
    bytes: int = MOST_BYTES_ATTACHED
    files: int = MOST_FILES_ATTACHED
    notes: dict[str, None] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether no more text is added."""
        return self.text <= 0

    def add(self, mail: Mail, level: int = 1, title: str = "") -> None:
        """Add a mail: its subject, or a `title`, as a heading, its head as a table, its text, and its attachments.

        Attachments of a kind that is read follow the text, each below its name; of all of them the head has the names
        and sizes.
        """
        self.report.check()
        read = list(self._read(mail.attached, level))
        self._heading(title or mail.subject or "(no subject)", level)
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

    def _read(self, attached: Iterable[Attached], level: int) -> Iterator[tuple[Attached, Parts | None]]:
        """Attachments, each with what was read of it; None for a mail and for what was not read."""
        for each in attached:
            yield each, self._parts(each) if isinstance(each.content, bytes) and level <= DEEPEST else None

    def _parts(self, attached: Attached) -> Parts | None:
        assert isinstance(attached.content, bytes)
        if not attached.content:
            return None
        if len(attached.content) > self.bytes or not self.files or self.is_full:
            note = Message(
                "Attachments beyond {files:,} files or {size} are listed and not read.",
                files=MOST_FILES_ATTACHED,
                size=size(MOST_BYTES_ATTACHED),
            )
            self.notes[note] = None
            return None
        try:
            parts = self.read_file(attached.content, attached.name)
        except SpanlightError:
            return None
        if len(parts.text) > self.text or not parts.text.strip():
            return None
        self.text -= len(parts.text)
        self.bytes -= len(attached.content)
        self.files -= 1
        for each in parts.notes:
            self.notes[Message("{name}: {note}", name=attached.name, note=each)] = None
        return parts

    def _heading(self, words: str, level: int) -> None:
        self.blocks.begin(BlockKind.HEADING, level)
        self.blocks.words(words)
        if not self.blocks.end():  # it shows nothing
            self.blocks.begin(BlockKind.HEADING, level)
            self.blocks.words("(no subject)")
            self.blocks.end()

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
        text = body.text[: max(0, self.text)]
        self.text -= len(text)
        if len(text) < len(body.text):
            self.notes[Message("The mail is too long: its beginning is shown.")] = None
        if not body.is_html:
            add_plain(text, self.blocks, flowed=body.flowed, joined=body.joined)
            return
        own = Blocks()
        add_html(text, own, self.report)
        if (parts := own.parts()).blocks:
            self.blocks.add(parts, deeper)


def short(name: str) -> str:
    """A file's name without folders, on one line."""
    return " ".join(name.replace("\\", "/").rpartition("/")[2].split())[:_LONGEST_NAME]


def _listed(attached: Attached, parts: Parts | None) -> str:
    if isinstance(attached.content, Mail):
        return f"{attached.name} (mail)"
    unread = "" if parts is not None else ", not read"
    return f"{attached.name} ({size(len(attached.content))}{unread})"
