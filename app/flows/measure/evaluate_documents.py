"""Measure a reader on questions that people ask of whole documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.text import Span
from app.documents.orders import Read
from app.flows.ask.read import read_document
from app.flows.measure.evaluate_asked import (
    DocumentQaEvaluation,
    DocumentQaPlan,
    KnownQuestion,
    check_known,
    evaluate_document_qa,
)
from app.flows.rows import LONE_SURROGATE
from app.flows.workspace import Workspace
from app.training.examples import read_parsed

_FIELDS = "id, question, kind and answers, with a file and the places there, or with a document"
_TEXTS = ("documents.jsonl.xz", "documents.jsonl")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the file of questions; `places` are `(start, end)` in the text at that time.

    `is_text`: the document is a text in a row, not a file.
    """

    id: object
    name: str
    is_text: bool
    question: str
    kind: str
    answers: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


def evaluate_documents(
    workspace: Workspace,
    plan: DocumentQaPlan,
    folder: Path,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> DocumentQaEvaluation:
    """Ask every question of the whole of its document, as the window does, and score the answers by kind and file.

    Rows are `{"id", "file", "question", "kind", "answers": [text], "starts", "places"}`, whose files lie in `folder`,
    or `{"id", "document", "question", "kind", "answers": [{"text", "answer_start"}]}`, whose documents are the texts
    `{"id", "text"}` of documents.jsonl.xz there. The limit counts the first questions of each document. A document is
    read once. Raises as `evaluate_document_qa` does.
    """
    questions = _questions(workspace, plan, folder, report)
    return evaluate_document_qa(workspace, questions, plan, report, groups="file", model=model, device=device)


def _questions(
    workspace: Workspace, plan: DocumentQaPlan, folder: Path, report: Report
) -> Iterator[KnownQuestion]:
    """The questions with their documents, those on one document in succession."""
    rows: dict[tuple[str, bool], list[_Row]] = {}
    for row in read_parsed(plan.questions, _row, _FIELDS):
        rows.setdefault((row.name, row.is_text), []).append(row)
    texts = _texts(folder, {name for name, is_text in rows if is_text})
    for (name, is_text), questions in rows.items():
        if is_text:
            order = Read("", f"{name}.txt", data=texts[name].encode())
            document = workspace.documents.read(order, report).document
        else:
            document = read_document(workspace, folder / name, report).document
        for row in questions[: plan.limit or None]:
            places = places_in(document.text, row.answers, row.places)
            moved = [*dict.fromkeys(row.places)] != [(place.start, place.end) for place in places]
            yield KnownQuestion(
                row.id, row.question, row.kind, name, row.answers, places, document, moved=moved
            )


def _row(row: dict[str, Any]) -> _Row:
    answers, is_text = row["answers"], "document" in row
    if is_text:
        texts = tuple(answer["text"] for answer in answers)
        places = tuple(
            (int(answer["answer_start"]), int(answer["answer_start"]) + len(answer["text"]))
            for answer in answers
        )
    else:
        texts = tuple(answers)
        starts = row.get("places") or [[start, start + len(answers[0])] for start in row["starts"]]
        places = tuple((int(start), int(end)) for start, end in starts)
    name, question, kind = row["document" if is_text else "file"], row["question"], row["kind"]
    check_known(kind, texts, question, name)
    if any(start < 0 for start, _ in places):
        raise ValueError("places count from the text's first character")
    return _Row(row["id"], name, is_text, question, kind, texts, places)


def _texts(folder: Path, names: set[str]) -> dict[str, str]:
    """The texts with these names, from the file of texts in a folder; it is not read where there are no names."""
    if not names:
        return {}
    path = next((folder / name for name in _TEXTS if (folder / name).is_file()), folder / _TEXTS[0])
    # One character is replaced by one, so that positions stay.
    pairs = read_parsed(
        path, lambda row: (row["id"], LONE_SURROGATE.sub("\ufffd", row["text"])), "id and text"
    )
    found = {name: text for name, text in pairs if name in names}
    if missing := sorted(names - found.keys()):
        raise SpanlightError(
            f"{path.name} has no document “{missing[0]}”.", "Give the folder of the questions' documents."
        )
    return found


def places_in(text: str, answers: Sequence[str], places: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """The places of acceptable answers, given their places in an older version of the text; each place once.

    A place that still has an answer is kept. Otherwise it is replaced by the nearest place with an answer of that
    length as whole words, or with an answer of any length where there is none; blanks of any kind are equal.
    """
    found: dict[Span, None] = {}
    for start, end in places:
        if text[start:end] in answers:
            found[Span(start, end)] = None
            continue
        alike = [answer for answer in answers if len(answer) == end - start]
        now = [*_occurrences(text, alike)] or [*_occurrences(text, answers)]
        if now:
            found[min(now, key=lambda span: abs(span.start - start))] = None
    return tuple(found)


def _occurrences(text: str, answers: Sequence[str]) -> Iterator[Span]:
    for answer in answers:
        words = r"\s+".join(map(re.escape, answer.split()))
        for match in re.finditer(rf"(?<!\w){words}(?!\w)", text):
            yield Span(*match.span())
