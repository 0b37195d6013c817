"""Opens a file as a document, draws its pages, and checks whether it has changed since."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SpanlightError
from app.core.files import holds_same_bytes
from app.core.kinds import KINDS
from app.core.layout import Kind, Opened, Picture
from app.core.message import Message
from app.core.report import Report
from app.core.wording import size
from app.documents.orders import Draw, Read
from app.documents.sniff import HEAD, first_look
from app.flows.ask.recognise import MOST_UNASKED, scan_reader
from app.flows.workspace import Workspace

_CHUNK = 1 << 20


def read_document(
    workspace: Workspace,
    path: Path | str,
    report: Report,
    *,
    password: str = "",
    words_only: bool = False,
    recognise: int | None = MOST_UNASKED,
) -> Opened:
    """Read a file in the documents process; the document keeps the path as it is given.

    `words_only` is as in orders.Read, `recognise` as in `ScanReader.read`. Raises SpanlightError for a file that cannot
    be read, PasswordNeeded for an encrypted one without its password, Stopped when cancelled.
    """
    given = str(path)
    # The documents process may have been started in another folder.
    order = Read(str(Path(path).absolute()), Path(path).name, password, words_only=words_only)
    opened = scan_reader(workspace).read(order, report, recognise)
    return replace(opened, document=replace(opened.document, path=given))


def document_from_stream(
    workspace: Workspace,
    stream: BinaryIO,
    name: str,
    report: Report,
    *,
    password: str = "",
    recognise: int | None = MOST_UNASKED,
) -> Opened:
    """Read a document from a stream, such as standard input, up to the largest size of its kind.

    A PDF or a mailbox may be as large as a Word file. Raises as `read_document` does.
    """
    data = bytearray(stream.read(HEAD))
    kind = first_look(bytes(data), name)
    # From a file these kinds are read in place, however large; from a stream they have to fit in memory.
    in_memory = kind in (Kind.PDF, Kind.MBOX)
    most = KINDS[Kind.DOCX if in_memory else kind].most
    while len(data) <= most and (piece := stream.read(_CHUNK)):
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
    return scan_reader(workspace).read(Read("", name, password, bytes(data)), report, recognise)


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
    """Draw a part of a page of an opened PDF, in the units of orders.Draw.

    Raises SpanlightError where it cannot be drawn or the file has changed since, Stopped when cancelled.
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
    """Compare a file with its state when it was opened, by `holds_same_bytes`.

    A path that cannot be read any more, or is no longer a file, counts as gone. Raises Stopped when cancelled.
    """
    path = Path(opened.document.path)
    try:
        same = holds_same_bytes(path, opened.modified, opened.size, opened.sha256, report.check)
    except (OSError, ValueError):
        return FileState.GONE
    return FileState.SAME if same else FileState.CHANGED
