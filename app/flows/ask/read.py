"""Open a file as a document, draw its pages, and tell whether it has changed since."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SpanlightError
from app.core.kinds import KINDS
from app.core.layout import Kind, Opened, Picture
from app.core.message import Message
from app.core.report import Report
from app.core.wording import size
from app.documents.orders import Draw, Read
from app.documents.same_bytes import holds_same_bytes
from app.documents.sniff import HEAD, first_look
from app.flows.ask.recognise import MOST_BY_ITSELF, scans
from app.flows.workspace import Workspace

_PIECE = 1 << 20


def read_document(
    workspace: Workspace,
    path: Path | str,
    report: Report,
    *,
    password: str = "",
    words_only: bool = False,
    recognise: int | None = MOST_BY_ITSELF,
) -> Opened:
    """The document in a file, read in the documents process; its path is the one given, `words_only` as in orders.Read.

    `recognise` is how many pictures of pages at most are recognised, as in `Scans.read`.

    Raises SpanlightError for what cannot be read, PasswordNeeded for an encrypted PDF without its password, Stopped
    when stopped.
    """
    given = str(path)
    # The process may have been started in another folder.
    order = Read(str(Path(path).absolute()), Path(path).name, password, words_only=words_only)
    opened = scans(workspace).read(order, report, recognise)
    return replace(opened, document=replace(opened.document, path=given))


def document_from_stream(
    workspace: Workspace,
    stream: BinaryIO,
    name: str,
    report: Report,
    *,
    password: str = "",
    recognise: int | None = MOST_BY_ITSELF,
) -> Opened:
    """The document from a stream (standard input, say); no more is read than such a file may be long.

    A PDF or a mailbox may be as long as a Word file. Raises as `read_document` does.
    """
    data = bytearray(stream.read(HEAD))
    kind = first_look(bytes(data), name)
    # The bytes from a stream are in memory, where a large file of these kinds is read in place.
    in_memory = kind in (Kind.PDF, Kind.MBOX)
    most = KINDS[Kind.DOCX if in_memory else kind].most
    while len(data) <= most and (piece := stream.read(_PIECE)):
        report.check()
        data += piece
    if in_memory and len(data) > most:
        raise SpanlightError(
            Message(
                "“{name}” brings {kind} of more than {size}.",
                name=name,
                kind=KINDS[kind].title,
                size=size(most),
            ),
            Message("Save it in a file, and open that."),
        )
    return scans(workspace).read(Read("", name, password, bytes(data)), report, recognise)


def draw_part(
    workspace: Workspace,
    opened: Opened,
    page: int,
    scale: float,
    left: int,
    top: int,
    width: int,
    height: int,
    report: Report,
    *,
    password: str = "",
) -> Picture:
    """A part of a page of an opened PDF as pixels, in the units of orders.Draw.

    Raises SpanlightError where it cannot be drawn or its file has changed since, and Stopped when cancelled.
    """
    part = (page, scale, left, top, width, height)
    state = (opened.modified, opened.size, opened.sha256)
    return workspace.documents.draw(Draw(opened.document.path, *part, password, *state), report)


class FileState(StrEnum):
    """A file's state compared with when it was opened."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


def file_state(opened: Opened, report: Report) -> FileState:
    """The state of the opened file, by `holds_same_bytes`.

    A file that cannot be read any more, or is no longer a file, counts as gone. Raises Stopped when the report says
    so.
    """
    path = Path(opened.document.path)
    try:
        same = holds_same_bytes(path, opened.modified, opened.size, opened.sha256, report.check)
    except (OSError, ValueError):
        return FileState.GONE
    return FileState.SAME if same else FileState.CHANGED
