"""What was read for a question, in words. Without Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.core import wording
from app.core.message import Message
from app.core.models import model_title

if TYPE_CHECKING:
    from app.core.results import Reading
    from app.ui.ask.session import QuestionRun


def not_in(run: QuestionRun) -> str:
    """The sentence if none of several documents answers: "Not in 412 of 415 files."."""
    if run.status is None:
        return Message("Not in the {n:,} open document.", "Not in the {n:,} open documents.", n=len(run.keys))
    read, total = run.status.read, run.status.total
    if read == total:
        return Message("Not in {n:,} file.", "Not in {n:,} files.", n=total)
    return Message("Not in {read:,} of {n:,} file.", "Not in {read:,} of {n:,} files.", read=read, n=total)


def read_in(run: QuestionRun, seconds: float, *, quick: bool) -> str:
    """What was read and how fast: "71 pages read whole in 2.1 seconds"."""
    time = wording.duration(seconds)
    if run.status is not None:
        return Message(
            "{n:,} passage of {files} read in {time}",
            "{n:,} passages of {files} read in {time}",
            n=run.passages,
            files=Message("{n:,} file", "{n:,} files", n=run.status.read),
            time=time,
        )
    pages = sum(len(opened.pages) for opened in run.documents)
    characters = sum(len(opened.document.text) for opened in run.documents)
    if quick:
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


def facts(run: QuestionRun) -> str:
    """The time that reading took, if known, what was read, and by which model; empty before the end."""
    reading = run.reading
    if reading is None or run.is_running:
        return ""
    read = _read_by(run, reading, model_title(reading.model))
    if not reading.seconds:
        return read
    return Message("{time}, {read}", time=wording.duration(reading.seconds), read=read)


def _read_by(run: QuestionRun, reading: Reading, model: str) -> str:
    """What was read, and by which model."""
    if run.library is not None and reading.complete:
        return Message(
            "{n:,} passage read by {model}",
            "{n:,} passages read by {model}",
            n=run.passages,
            model=model,
        )
    if run.library is not None:
        return Message(
            "{n:,} passage read in part by {model}",
            "{n:,} passages read in part by {model}",
            n=run.passages,
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
