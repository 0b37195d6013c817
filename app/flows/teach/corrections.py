"""Keeps a person's corrections of answers, from which a reader can learn."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.core.atomic import write_atomic
from app.core.corrections import Correction, Verdict, passage_around
from app.core.errors import SpanlightError
from app.core.history import Entry, KeptAnswer
from app.core.layout import Opened
from app.core.message import Message
from app.core.report import Report
from app.core.results import Outcome
from app.core.text import Span
from app.core.wording import UNNAMED
from app.flows.history.export_squad import dataset_json
from app.flows.history.history import AROUND, digest
from app.flows.teach.calibration import follow_verdicts, readers_named
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint, last_changed


def correct(
    workspace: Workspace,
    opened: Opened,
    entry: Entry,
    verdict: Verdict,
    report: Report,
    *,
    span: Span | None = None,
) -> Correction | None:
    """Keep a verdict on an entry's first answer as a correction, in place of an earlier one.

    `opened` is the document that was asked. For OTHER_WORDS, `span` is the place of the right words in it; if they are
    the words shown, the verdict becomes RIGHT. RIGHT on an entry that shows no answer becomes NOT_THERE. NONE deletes
    the correction, and returns None. The reader's calibration is adjusted, unless the entry's probabilities are shared
    with other documents. Raises SpanlightError where the document has changed since, or there are no words at `span`.
    """
    if verdict is Verdict.NONE:
        take_back(workspace, entry.sha256, entry.question, report)
        return None
    document, text = opened.document, opened.document.text
    shown = entry.answers[0] if entry.answers else None
    shown_span = shown.span if shown is not None else None
    # A text from the index comes without the digest of its file's bytes.
    sha256 = opened.sha256 or ("" if entry.path else digest(text))
    is_other = bool(sha256) and sha256 != entry.sha256
    if is_other or (shown is not None and shown.span.of(text) != shown.text):
        raise SpanlightError(
            Message("{document} has changed since this was asked.", document=entry.name or UNNAMED),
            Message("Ask again."),
        )
    if verdict is Verdict.RIGHT and entry.shown is None:
        verdict = Verdict.NOT_THERE
    if verdict is Verdict.RIGHT:
        span = shown_span
    elif verdict is Verdict.NOT_THERE:
        span = None
    elif span is None or span.end > len(text) or not span.of(text).strip():
        raise SpanlightError(
            Message("No words are selected."), Message("Select the right ones in the document.")
        )
    elif entry.shown is not None and span == shown_span:
        verdict = Verdict.RIGHT
    start, passage, view = passage_around(document, span or shown_span)
    before = workspace.corrections.find(entry.sha256, entry.question)
    # Probabilities that several documents share depend on the other documents, so they say nothing about how confident
    # the reader is about this one, and cannot be converted afterwards.
    weights = "" if entry.shared else _reader_weights(workspace, entry)
    kept = workspace.corrections.put(
        Correction(
            question=entry.question,
            name=entry.name,
            path=entry.path,
            sha256=entry.sha256,
            kind=entry.kind,
            verdict=verdict,
            words=span.of(text) if span is not None else "",
            span=span,
            shown=shown.text if shown is not None else "",
            shown_span=shown_span,
            probability=shown.probability if shown is not None else 0.0,
            no_answer=entry.no_answer_probability,
            answered=entry.best is not None,
            passage=passage,
            passage_start=start,
            view=view,
            in_parts=entry.windows_total > 1,
            in_table=shown_span is not None and document.in_table(shown_span),
            model=entry.model,
            weights=weights,
            judged=time.time(),
            adjustment=workspace.adjustments.at(weights, entry.asked),
            low_confidence=entry.outcome is Outcome.LOW_CONFIDENCE,
        )
    )
    follow_verdicts(workspace, [kept, *([before] if before else [])], report)
    return kept


def take_back(workspace: Workspace, sha256: str, question: str, report: Report) -> None:
    """Delete the correction for a question about a document, if there is one, and adjust the reader's calibration."""
    found = workspace.corrections.find(sha256, question)
    if found is not None:
        delete_corrections(workspace, [found], report)


def delete_corrections(workspace: Workspace, corrections: Sequence[Correction], report: Report) -> None:
    """Delete corrections, and adjust the readers' calibrations. Raises SpanlightError on a disk error."""
    workspace.corrections.delete(each.number for each in corrections)
    follow_verdicts(workspace, corrections, report)


def bring_back(workspace: Workspace, corrections: Sequence[Correction], report: Report) -> None:
    """Restore deleted corrections unless there is a newer verdict, and adjust the readers' calibrations.

    Raises SpanlightError on a disk error.
    """
    for each in corrections:
        if workspace.corrections.find(each.sha256, each.question) is None:
            workspace.corrections.put(each)
    follow_verdicts(workspace, corrections, report)


def export_corrections(
    workspace: Workspace, corrections: Sequence[Correction], path: Path, report: Report
) -> int:
    """Write corrections as SQuAD 2.0 (Rajpurkar et al. 2018), grouped by document; returns how many.

    A context is the whole passage, and `answer_start` counts its code points. If the text has no answer, the question
    `is_impossible`, and what the reader had shown is a plausible answer. Raises SpanlightError if there are none, and
    where the disk refuses.
    """
    if not corrections:
        raise SpanlightError(Message("There are no corrections to export."), Message("Look for other words."))
    documents: dict[tuple[str, str], dict[str, list[dict[str, object]]]] = {}
    for each in corrections:
        report.check()
        paragraphs = documents.setdefault((each.name, each.sha256), {})
        paragraphs.setdefault(each.passage, []).append(_squad_question(each))
    text = dataset_json((name, paragraphs) for (name, _), paragraphs in documents.items())
    write_atomic(path, text.encode("utf-8", "replace"), private=False)
    return len(corrections)


def _squad_question(correction: Correction) -> dict[str, object]:
    """A correction as a question of a SQuAD paragraph."""
    identity = f"{correction.sha256}\n{correction.question}".encode("utf-8", "surrogatepass")
    place, shown = correction.place, correction.shown_span
    found: dict[str, object] = {
        "id": hashlib.sha256(identity).hexdigest()[:24],
        "question": correction.question,
        "is_impossible": place is None,
        "answers": [{"text": correction.words, "answer_start": place.start}] if place is not None else [],
    }
    if place is None and shown is not None:
        start = shown.start - correction.passage_start
        found["plausible_answers"] = [{"text": correction.shown, "answer_start": start}]
    return found


def correction_of(workspace: Workspace, opened: Opened, question: str, report: Report) -> Correction | None:
    """The correction for a question about a document; None if there is none."""
    return workspace.corrections.find(opened.sha256 or digest(opened.document.text), question.strip())


def judged_entry(correction: Correction) -> Entry:
    """Rebuild the history entry that a correction is about, so that it can be shown in its document again."""
    answers: tuple[KeptAnswer, ...] = ()
    if (shown := correction.shown_span) is not None:
        # The passage is around the right words, so the reader's answer may not be in it.
        start, passage = shown.start - correction.passage_start, correction.passage
        end = start + len(correction.shown)
        is_there = start >= 0 and passage[start:end] == correction.shown
        before = passage[max(0, start - AROUND) : start] if is_there else ""
        after = passage[end : end + AROUND] if is_there else ""
        answers = (KeptAnswer(shown, correction.shown, correction.probability, before=before, after=after),)
    windows = 2 if correction.in_parts else 1
    return Entry(
        question=correction.question,
        name=correction.name,
        path=correction.path,
        sha256=correction.sha256,
        kind=correction.kind,
        answers=answers,
        answered=correction.answered,
        no_answer_probability=correction.no_answer,
        model=correction.model,
        asked=correction.judged,
        windows=windows,
        windows_total=windows,
        absent=float(correction.verdict is Verdict.NOT_THERE and correction.is_agreed),
        shared=not correction.weights,  # a new verdict counts for the calibration only if the old one did
    )


def shown_before(
    workspace: Workspace, number: int, opened: Opened, question: str, report: Report
) -> Entry | None:
    """The history entry with this number, or for 0 the `judged_entry` of a question about a document.

    None if there is no correction for the question. Raises SpanlightError if there is no entry with the number.
    """
    if number:
        return workspace.history.get(number)
    if not workspace.paths.corrections_file.exists():
        return None  # looking it up would create the file
    found = correction_of(workspace, opened, question, report)
    return judged_entry(found) if found is not None else None


def corrections_of(workspace: Workspace, entries: Iterable[Entry]) -> dict[tuple[str, str], Correction]:
    """The corrections of the answers of entries, by an entry's `sha256` and `question`."""
    asked = ((entry.sha256, entry.question) for entry in entries)
    return {each: one for each in asked if (one := workspace.corrections.find(*each)) is not None}


def _reader_weights(workspace: Workspace, entry: Entry) -> str:
    """The fingerprint of an entry's reader; empty if it is gone, has changed since, or its name is ambiguous."""
    try:
        cards = readers_named(workspace, entry.model)
        folder = Path(cards[0].folder) if len(cards) == 1 else None
        return fingerprint(folder) if folder and last_changed(folder) <= entry.asked else ""
    except SpanlightError:
        return ""
