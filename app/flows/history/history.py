"""Saves questions in the history, searches and deletes them, asks them again, and says what changed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.history import DeletedEntry, Entry, KeptAnswer
from app.core.layout import Opened
from app.core.message import Message, joined
from app.core.models import Head
from app.core.quotes import quote
from app.core.report import Progress, Report
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document, without_blanks
from app.core.wording import NO_ANSWER, percent
from app.flows.ask.question import ask
from app.flows.ask.read import read_document
from app.flows.workspace import Workspace
from app.library.database import Damaged

AROUND = 32
_PAGE = 100


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of the history, newest first, and the total number of entries that match the search."""

    entries: tuple[Entry, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of asking again: the new entry, which is not saved, and sentences for the user.

    `now` is None if the document is gone. `same` is whether the same words are shown as the answer in the same place,
    or there still is no answer.
    """

    entry: Entry
    now: Entry | None
    sentences: tuple[str, ...]
    same: bool = False


def entry_of(
    opened: Opened, question: Question, reading: Reading, *, index: int = 0, asked: float | None = None
) -> Entry:
    """Make the entry for one of the question's documents, by its index, with the answers in that document.

    `asked` is in seconds since 1970, by default now.
    """
    text = opened.document.text
    answers = tuple(kept_answer(opened, answer) for answer in reading.answers if answer.document == index)
    first = reading.shown
    return Entry(
        question=question.text.strip(),
        name=opened.document.name,
        # A relative path from the command line is valid in one folder only.
        path=str(Path(opened.document.path).absolute()) if opened.document.path else "",
        sha256=opened.sha256 or digest(text),
        kind=opened.kind,
        answers=answers,
        answered=reading.answered and first is not None and first.document == index,
        no_answer_probability=reading.no_answer_probability,
        threshold=reading.threshold,
        model=reading.model,
        device=reading.device,
        seconds=reading.seconds,
        asked=time.time() if asked is None else asked,
        quick=reading.quick and question.quick,
        complete=reading.complete,
        windows=reading.windows,
        windows_total=reading.windows_total,
        absent=reading.absent,
        finder=reading.finder,
        own_threshold=reading.own_threshold,
        read_as=reading.read_as,
        shared=len(question.documents) != 1,  # a question to a library has no documents
    )


def remember(
    workspace: Workspace,
    documents: Sequence[Opened],
    question: Question,
    reading: Reading,
    report: Report,
    *,
    asked: float | None = None,
) -> Entry | None:
    """Save a question with its answers, and return the entry; None if the history is switched off.

    The outcome "no answer" is not saved for a document with pages that are not recognised, and so were not read. Of
    several documents, the one with the best answer is saved. `asked` is in seconds since 1970, by default now. Raises
    SpanlightError where it could not be saved, and after it was saved in a new history because the old one was damaged.
    """
    if not workspace.settings.keep_history:
        return None
    index = reading.answers[0].document if reading.answers else 0
    opened = documents[index]
    entry = entry_of(opened, question, reading, index=index, asked=asked)
    if entry.shown is None and opened.pictures:
        return None
    text = opened.document.text
    try:
        return replace(entry, number=workspace.history.add(entry, text))
    except Damaged:
        workspace.history.add(entry, text)
        raise


def past(
    workspace: Workspace, words: str, report: Report, *, limit: int = _PAGE, before: Entry | None = None
) -> HistoryPage:
    """The newest entries with all these words, or the newest of those older than `before`; newest first."""
    found = workspace.history.entries(words, limit=limit, before=before)
    return HistoryPage(tuple(found), workspace.history.count(words))


def all_entries(workspace: Workspace, words: str, report: Report) -> tuple[Entry, ...]:
    """All entries with all these words, newest first; raises Stopped when cancelled."""
    found: list[Entry] = []
    while page := workspace.history.entries(words, limit=1000, before=found[-1] if found else None):
        report.check()
        found += page
    return tuple(found)


def forget(workspace: Workspace, numbers: Iterable[int], report: Report) -> tuple[DeletedEntry, ...]:
    """Delete entries, and return what `bring_back` needs to restore them.

    Raises SpanlightError where one is missing; then none is deleted.
    """
    return tuple(workspace.history.delete(numbers))


def bring_back(workspace: Workspace, forgotten: Iterable[DeletedEntry], report: Report) -> tuple[int, ...]:
    """Restore deleted entries, and return their numbers."""
    return tuple(workspace.history.add(one.entry, one.text) for one in forgotten)


def forget_all(workspace: Workspace, report: Report) -> int:
    """Delete the whole history for good, and return the number of entries."""
    return workspace.history.delete_all()


def document_of(workspace: Workspace, entry: Entry, report: Report, *, password: str = "") -> Opened:
    """Read the document of an entry again: its file, or its saved text.

    Raises SpanlightError where it is gone, PasswordNeeded for an encrypted one.
    """
    if entry.path:
        if not Path(entry.path).exists():
            raise _gone_error(entry)
        return read_document(workspace, Path(entry.path), report, password=password)
    text = workspace.history.text_of(entry)
    if not text:
        raise _gone_error(entry)
    return Opened(Document(text, entry.name), sha256=entry.sha256)


def check_again(workspace: Workspace, entry: Entry, report: Report) -> Comparison:
    """Ask an entry's question again with the same settings, and compare the answers; nothing is saved.

    Raises SpanlightError where the document cannot be read, PasswordNeeded for an encrypted one, Stopped when
    cancelled.
    """
    if entry.path and not Path(entry.path).exists():
        return Comparison(entry, None, (Message("The file is not there any more."),))
    report.progress(Progress(0, 0, Message("Opening {document}", document=entry.name)))
    if not entry.path and not workspace.history.text_of(entry):
        return Comparison(entry, None, (Message("The text is not kept any more."),))
    opened = document_of(workspace, entry, report)
    sentences = []
    if opened.sha256 != entry.sha256:
        sentences.append(Message("The file has changed since."))
    # A stopped question to the careful reader may have only the quick reader's provisional answer.
    reader = model = "" if entry.model == entry.finder and not entry.quick else entry.model
    try:
        workspace.find_model(Head.QUESTION_ANSWERING, model)
    except SpanlightError:
        model = ""
    question = Question(
        entry.question,
        (opened.document,),
        top_k=max(1, len(entry.answers)),
        threshold=entry.threshold,
        quick=entry.quick,
        # A document that was read completely is read completely again.
        every=entry.complete and not (entry.quick or entry.finder),
    )
    reading = ask(workspace, question, report, model=model)
    now = entry_of(opened, question, reading)
    if reader and now.model != reader:
        sentences.append(
            Message(
                "{reader} is not installed any more; {model} has read it.", reader=reader, model=now.model
            )
        )
    if not entry.complete:
        sentences.append(Message("That time: {stopped}.", stopped=entry.stopped))
    same, sentence = compare_entries(entry, now)
    return Comparison(entry, now, (sentence, *sentences), same)


def digest(text: str) -> str:
    """The SHA-256 of a text in UTF-8, for a text without a file."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def kept_answer(opened: Opened, answer: Answer) -> KeptAnswer:
    """The answer as it is saved, with its sentence, its context and its place in the document."""
    text, start, end = opened.document.text, answer.span.start, answer.span.end
    cell = opened.cell_at(start)
    return KeptAnswer(
        span=answer.span,
        text=answer.text,
        probability=answer.probability,
        sentence=quote(opened, answer.span).words,
        before=text[max(0, start - AROUND) : start],
        after=text[end : end + AROUND],
        page=opened.page_at(start),
        heading=opened.heading_at(start) if cell else opened.heading_above(start),
        page_label=opened.page_label_at(start),
        line=opened.line_at(start),
        cell=cell,
        column_name=opened.column_name_at(start),
    )


def _gone_error(entry: Entry) -> SpanlightError:
    if entry.path:
        return SpanlightError(
            Message("{file} is not there any more.", file=entry.path),
            Message("It may have been moved or renamed."),
        )
    return SpanlightError(
        Message("The text of {document} is not kept any more.", document=entry.name),
        Message("Paste it again."),
    )


def compare_entries(before: Entry, now: Entry) -> tuple[bool, str]:
    """Return whether the same words are shown in the same place, or still none, and a sentence about the change."""
    old, new = before.shown, now.shown
    if new is None:
        return old is None, _no_answer_now(old, whole=now.words == NO_ANSWER)
    # White space in the same file may be read differently now.
    plain = without_blanks if before.sha256 == now.sha256 else shorten
    is_other_outcome = before.outcome is not now.outcome
    if old is None or is_other_outcome or plain(old.text) != plain(new.text):
        return False, _other_words_now(old, new, now, is_other_outcome=is_other_outcome)
    is_same = _are_same_place(before, old, now, new)
    where = new.where if (new.page, new.line, new.cell) != (old.page, old.line, old.cell) else ""
    sentence = _same_words_now(is_same, where, is_answer=now.best is not None)
    was, likely = percent(old.probability), percent(new.probability)
    if was == likely:
        return is_same, sentence
    surer = Message("Now {likely} (was {was}).", likely=likely, was=was)
    return is_same, joined((sentence, surer), " ")


def _no_answer_now(old: KeptAnswer | None, *, whole: bool) -> str:
    """The sentence if no words are shown now; unless the `whole` text was read, it is about the part that was."""
    if old is None:
        if whole:
            return Message("The text still does not say.")
        return Message("Still no answer in the part that was read.")
    if whole:
        return Message("The text does not say any more (was “{was}”).", was=shorten(old.text))
    return Message("Now no answer in the part that was read (was “{was}”).", was=shorten(old.text))


def _other_words_now(old: KeptAnswer | None, new: KeptAnswer, now: Entry, *, is_other_outcome: bool) -> str:
    """The sentence if other words than before are shown now, or words with another outcome."""
    words, likely = shorten(new.text), now.likely
    if now.best is not None and is_other_outcome:
        return Message("Now there is an answer: “{words}”. {likely}.", words=words, likely=likely)
    if old is None:
        return Message("Now there are nearest words: “{words}”. {likely}.", words=words, likely=likely)
    both = {"words": words, "was": shorten(old.text), "likely": likely}
    if is_other_outcome:
        return Message("Now there are only nearest words: “{words}” (was “{was}”). {likely}.", **both)
    if now.best is not None:
        return Message("Another answer now: “{words}” (was “{was}”). {likely}.", **both)
    return Message("Other nearest words now: “{words}” (was “{was}”). {likely}.", **both)


def _same_words_now(is_same_place: bool, where: str, *, is_answer: bool) -> str:
    """The sentence for the same words; `where` is their page or line, empty if that has not changed."""
    if is_same_place and is_answer:
        return Message("The same answer, at the same place.")
    if is_same_place:
        return Message("The same nearest words, at the same place.")
    if where and is_answer:
        return Message("The same answer, at another place: {where}.", where=where)
    if where:
        return Message("The same nearest words, at another place: {where}.", where=where)
    if is_answer:
        return Message("The same answer, at another place.")
    return Message("The same nearest words, at another place.")


def shorten(text: str, most: int = 120) -> str:
    """The text on one line, cut off after `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _are_same_place(before: Entry, old: KeptAnswer, now: Entry, new: KeptAnswer) -> bool:
    """Whether two answers are in the same place, or in a changed text in the same context."""
    if before.sha256 == now.sha256:
        return old.span == new.span or (old.page == new.page and _have_same_context(old, new))
    return old.page == new.page and shorten(old.before + old.text + old.after) == shorten(
        new.before + new.text + new.after
    )


def _have_same_context(old: KeptAnswer, new: KeptAnswer) -> bool:
    """Whether two answers have the same context, as far as both entries have it, apart from white space."""
    one, two = without_blanks(old.before), without_blanks(new.before)
    if not (one.endswith(two) or two.endswith(one)):
        return False
    one, two = without_blanks(old.after), without_blanks(new.after)
    return one.startswith(two) or two.startswith(one)
