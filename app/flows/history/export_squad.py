"""Exports questions and answers as SQuAD 2.0 (Rajpurkar et al. 2018), for training and measuring."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from app.core.corrections import Correction
from app.core.errors import SpanlightError
from app.core.history import Entry, KeptAnswer
from app.core.message import Message
from app.core.plain import json_of
from app.core.report import Progress, Report
from app.core.text import Span, common_prefix
from app.flows.history.export_annotations import entry_iri
from app.flows.history.export_formats import Exported
from app.flows.history.export_text import Corrections
from app.flows.history.history import digest, document_of
from app.flows.workspace import Workspace


def squad_json(
    workspace: Workspace,
    entries: Sequence[Entry],
    corrections: Corrections,
    report: Report,
    *,
    password: str = "",
) -> Exported:
    """The questions as SQuAD's JSON.

    A question's context is the whole text of its document if that is still available unchanged, else the saved
    sentence; `answer_start` counts its code points. A question without an answer `is_impossible`, and the best span,
    which is below the threshold, is a plausible answer. The person's corrections take precedence.
    """
    notes: list[str] = []
    texts = _texts(workspace, entries, report, notes, password)
    data: dict[tuple[str, str], dict[str, list[dict[str, object]]]] = {}
    written, left_out = 0, 0
    for entry in entries:
        text = texts.get(_key(entry), "")
        correction = corrections.get((entry.sha256, entry.question))
        placed = _context_and_answers(entry, text, correction)
        if placed is None:
            left_out += 1
            continue
        context, answers = placed
        has_answer = entry.best is not None if correction is None else correction.span is not None
        found = "answers" if has_answer else "plausible_answers"
        question = {
            "id": entry_iri(entry).removeprefix("urn:uuid:"),
            "question": entry.question,
            "is_impossible": not has_answer,
            "answers": [],
            found: [{"text": context[at.start : at.end], "answer_start": at.start} for at in answers],
        }
        paragraphs = data.setdefault(_key(entry), {})
        paragraphs.setdefault(context, []).append(question)
        written += 1
    if left_out:
        notes.append(
            Message(
                "{n:,} question could not be written: neither the text nor a sentence of it is there any more.",
                "{n:,} questions could not be written: neither the text nor a sentence of it is there any more.",
                n=left_out,
            )
        )
    names = {_key(entry): entry.name for entry in entries}
    text = dataset_json((names[key], paragraphs) for key, paragraphs in data.items())
    return Exported(written, text, notes=tuple(notes))


def dataset_json(documents: Iterable[tuple[str, Mapping[str, Sequence[object]]]]) -> str:
    """SQuAD's JSON for documents, each with a title and its questions by their context."""
    data = [
        {
            "title": title,
            "paragraphs": [{"context": context, "qas": qas} for context, qas in paragraphs.items()],
        }
        for title, paragraphs in documents
    ]
    return json_of({"version": "v2.0", "data": data}, indent=1, ensure_ascii=False) + "\n"


def _key(entry: Entry) -> tuple[str, str]:
    return entry.path, entry.sha256


def _texts(
    workspace: Workspace, entries: Sequence[Entry], report: Report, notes: list[str], password: str
) -> dict[tuple[str, str], str]:
    """Read the texts of those documents that are still available unchanged, each once."""
    wanted = {_key(entry): entry for entry in entries}
    texts = {}
    for at, (key, entry) in enumerate(wanted.items()):
        report.check()
        report.progress(Progress(at, len(wanted), Message("Reading the documents")))
        try:
            opened = document_of(workspace, entry, report, password=password)
        except SpanlightError as fault:
            notes.append(Message("{fault} Its kept sentences were written instead.", fault=fault.message))
            continue
        if (opened.sha256 or digest(opened.document.text)) == entry.sha256:
            texts[key] = opened.document.text
        else:
            notes.append(
                Message(
                    "{document} has changed since: its kept sentences were written instead.",
                    document=entry.name,
                )
            )
    return texts


def _context_and_answers(
    entry: Entry, text: str, correction: Correction | None
) -> tuple[str, list[Span]] | None:
    """The context of a question and the places of its answers there; None if there is no context."""
    if correction is not None and correction.span is not None and correction.place is not None:
        return (
            (text, [correction.span])
            if text and correction.span.of(text) == correction.words
            else (correction.passage, [correction.place])
        )
    answer = entry.answers[0] if entry.answers else None
    if text and (answer is None or answer.span.of(text) == answer.text):
        return text, [answer.span] if answer else []
    at = _place_in_sentence(answer) if answer is not None else None
    if answer is not None and at is not None:
        return answer.sentence, [at]
    return (correction.passage, []) if correction is not None else None


def _place_in_sentence(answer: KeptAnswer) -> Span | None:
    """The answer's place in its sentence: the occurrence whose context matches best."""
    sentence, words = answer.sentence, answer.text

    def fit(start: int) -> int:
        before, after = sentence[:start], sentence[start + len(words) :]
        return common_prefix(before[::-1], answer.before[::-1]) + common_prefix(after, answer.after)

    # Occurrences may overlap.
    starts = [found.start() for found in re.finditer(f"(?={re.escape(words)})", sentence)] if words else []
    best = max(starts, key=fit, default=-1)
    return Span(best, best + len(words)) if best >= 0 else None
