"""What was read for a question, in words. Without Qt, and imported once there is something to tell."""

from __future__ import annotations

from collections.abc import Sequence

from app.core import wording
from app.core.layout import Opened
from app.core.library import LibraryReading, LibraryStatus
from app.core.message import Message
from app.core.models import model_title
from app.core.results import Reading


def not_in_open(number: int) -> str:
    """The sentence if none of so many open documents answers: "Not in the 3 open documents."."""
    return Message("Not in the {n:,} open document.", "Not in the {n:,} open documents.", n=number)


def not_in_library(status: LibraryStatus) -> str:
    """The sentence if none of a library's files answers: "Not in 412 of 415 files."."""
    read, total = status.read, status.total
    if read == total:
        return Message("Not in {n:,} file.", "Not in {n:,} files.", n=total)
    return Message("Not in {read:,} of {n:,} file.", "Not in {read:,} of {n:,} files.", read=read, n=total)


def read_in(result: Reading | LibraryReading, documents: Sequence[Opened]) -> str:
    """What was read and how fast: "71 pages read whole in 2.1 seconds"; of a library `documents` are none.

    Pages whose text was not recognised are not counted.
    """
    time = wording.duration(result.seconds)
    if isinstance(result, LibraryReading):
        return Message(
            "{n:,} passage of {files} read in {time}",
            "{n:,} passages of {files} read in {time}",
            n=result.passages,
            files=Message("{n:,} file", "{n:,} files", n=result.status.read),
            time=time,
        )
    pages = sum(len(opened.pages) - len(opened.pictures) for opened in documents)
    characters = sum(len(opened.document.text) for opened in documents)
    if result.quick:
        length = (
            Message("{n:,} page", "{n:,} pages", n=pages)
            if pages
            else Message("{n:,} character", "{n:,} characters", n=characters)
        )
        return Message("The best passages of {length} read in {time}", length=length, time=time)
    if pages:
        return Message(
            "{n:,} page read whole in {time}", "{n:,} pages read whole in {time}", n=pages, time=time
        )
    return Message(
        "{n:,} character read whole in {time}",
        "{n:,} characters read whole in {time}",
        n=characters,
        time=time,
    )


def facts(reading: Reading, passages: int | None) -> str:
    """The time that reading took, if known, what was read, and by which model; `passages` of a library, else None."""
    read = _read_by(reading, passages, model_title(reading.model))
    if not reading.seconds:
        return read
    return Message("{time}, {read}", time=wording.duration(reading.seconds), read=read)


def _read_by(reading: Reading, passages: int | None, model: str) -> str:
    if passages is not None and reading.complete:
        return Message(
            "{n:,} passage read by {model}",
            "{n:,} passages read by {model}",
            n=passages,
            model=model,
        )
    if passages is not None:
        return Message(
            "{n:,} passage read in part by {model}",
            "{n:,} passages read in part by {model}",
            n=passages,
            model=model,
        )
    if not reading.complete:
        return Message("read in part by {model}", model=model)
    if not reading.quick:
        return Message("read whole by {model}", model=model)
    if reading.finder in ("", reading.model):
        return Message("the best passages read by {model}", model=model)
    return Message(
        "the best passages found by {finder}, read by {model}",
        finder=model_title(reading.finder),
        model=model,
    )
