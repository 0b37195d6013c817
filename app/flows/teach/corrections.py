"""Keep what a person says of an answer, so that a reader can learn from it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.core.corrections import Correction, Verdict, passage_around
from app.core.errors import SpanlightError
from app.core.history import Entry, KeptAnswer
from app.core.layout import Opened
from app.core.message import Message
from app.core.plain import json_of
from app.core.report import Report
from app.core.results import Outcome
from app.core.text import Span
from app.core.wording import UNNAMED
from app.flows.history.history import AROUND, digest
from app.flows.teach.calibration import follow_verdicts, readers_named
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint, last_changed
from app.settings.files import write_atomic


def correct(
    workspace: Workspace,
    opened: Opened,
    entry: Entry,
    verdict: Verdict,
    report: Report,
    *,
    span: Span | None = None,
) -> Correction | None:
    """Keep a verdict on the first answer of an entry, in place of an earlier one on its question and document.

    `opened` is the document that was asked, and `span` the place of the right words there for `OTHER_WORDS`; if these
    are the words shown, they are RIGHT. RIGHT of an entry that shows no answer is NOT_THERE. NONE takes a verdict back,
    and returns None. The reader's calibration follows, unless the entry's probabilities are shared with other
    documents. Raises SpanlightError where the document has changed since, or no words are at `span`.
    """
    if verdict is Verdict.NONE:
        take_back(workspace, entry.sha256, entry.question, report)
        return None
    document, text = opened.document, opened.document.text
    shown = entry.answers[0] if entry.answers else None
    shown_span = shown.span if shown is not None else None
    # The index keeps a file's text without the digest of its bytes.
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
    # What several documents share is the chance that any of them answers, and depends on what else was asked: it says
    # nothing of how sure the reader is of this one, and cannot be brought to its scale afterwards.
    weights = "" if entry.shared else _weights(workspace, entry)
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
            answered=entry.answered,
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
    """Delete the correction of a question about a document, if there is one; the reader's calibration follows."""
    found = workspace.corrections.find(sha256, question)
    if found is not None:
        delete_corrections(workspace, [found], report)


def delete_corrections(workspace: Workspace, corrections: Sequence[Correction], report: Report) -> None:
    """Delete corrections; the readers' calibrations follow. Raises SpanlightError on a disk error."""
    workspace.corrections.delete(each.number for each in corrections)
    follow_verdicts(workspace, corrections, report)


def bring_back(workspace: Workspace, corrections: Sequence[Correction], report: Report) -> None:
    """Store deleted corrections again, except where there is a newer verdict; the readers' calibrations follow.

    Raises SpanlightError on a disk error.
    """
    for each in corrections:
        if workspace.corrections.find(each.sha256, each.question) is None:
            workspace.corrections.put(each)
    follow_verdicts(workspace, corrections, report)


def export_corrections(
    workspace: Workspace, corrections: Sequence[Correction], path: Path, report: Report
) -> int:
    """Write corrections as SQuAD 2.0 (Rajpurkar et al. 2018), in their order by document; returns how many.

    A context is the whole passage, and `answer_start` counts its code points. Where the text does not answer, the
    question `is_impossible`, and what the reader had shown is a plausible answer. Raises SpanlightError for none, and
    where the disk refuses.
    """
    if not corrections:
        raise SpanlightError(Message("There are no corrections to export."), Message("Look for other words."))
    documents: dict[tuple[str, str], dict[str, list[dict[str, object]]]] = {}
    for each in corrections:
        report.check()
        paragraphs = documents.setdefault((each.name, each.sha256), {})
        paragraphs.setdefault(each.passage, []).append(_question_of(each))
    data = [
        {
            "title": name,
            "paragraphs": [{"context": context, "qas": qas} for context, qas in paragraphs.items()],
        }
        for (name, _), paragraphs in documents.items()
    ]
    text = json_of({"version": "v2.0", "data": data}, indent=1, ensure_ascii=False) + "\n"
    write_atomic(path, text.encode("utf-8", "replace"), private=False)
    return len(corrections)


def _question_of(correction: Correction) -> dict[str, object]:
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
    """What was said of the answer to a question about a document; None where nothing was."""
    return workspace.corrections.find(opened.sha256 or digest(opened.document.text), question.strip())


def judged_entry(correction: Correction) -> Entry:
    """The question as an entry of the history, as the reader had answered it, to be shown in its document again."""
    answers: tuple[KeptAnswer, ...] = ()
    if (shown := correction.shown_span) is not None:
        # Where it stands in the passage, if it does: the person's words may be elsewhere.
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
        threshold=0.0,
        model=correction.model,
        device="",
        seconds=0.0,
        asked=correction.judged,
        windows=windows,
        windows_total=windows,
        absent=float(correction.verdict is Verdict.NOT_THERE and correction.is_agreed),  # then it said so
        shared=not correction.weights,  # judged again, it counts for the calibration only if it did before
    )


def shown_before(
    workspace: Workspace, number: int, opened: Opened, question: str, report: Report
) -> Entry | None:
    """The entry of the history with this number, or for 0 the `judged_entry` of a question about a document.

    None where nothing was said of its answer. Raises SpanlightError where there is no entry of that number.
    """
    if number:
        return workspace.history.get(number)
    if not workspace.paths.corrections_file.exists():
        return None  # nor is the file made by looking
    found = correction_of(workspace, opened, question, report)
    return judged_entry(found) if found is not None else None


def corrections_of(workspace: Workspace, entries: Iterable[Entry]) -> dict[tuple[str, str], Correction]:
    """What was said of the answers of entries, by an entry's `sha256` and `question`."""
    return workspace.corrections.find_all((entry.sha256, entry.question) for entry in entries)


def _weights(workspace: Workspace, entry: Entry) -> str:
    """The fingerprint of the reader of an entry; empty where it is gone, was changed since, or is one of several."""
    try:
        cards = readers_named(workspace, entry.model)
        folder = Path(cards[0].folder) if len(cards) == 1 else None
        return fingerprint(folder) if folder and last_changed(folder) <= entry.asked else ""
    except SpanlightError:
        return ""
