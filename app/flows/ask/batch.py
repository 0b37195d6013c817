"""Answers many questions, each on its own text, from one file to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from app.core.message import Message
from app.core.models import Head
from app.core.report import Report
from app.core.requests import ModelChoice, Question, QuestionBatch
from app.core.results import UNREAD, Reading
from app.core.rows import Row, read_rows, without_surrogates
from app.core.text import Document
from app.flows.ask.question import nearest_values, select_answers, widen_top_k, with_view
from app.flows.batches import BatchDone, GroupReport, InOrder, groups
from app.flows.rows import RowFile, check_rows, refuse_same_file
from app.flows.workspace import Workspace

ItemT = TypeVar("ItemT")


def ask_batch(
    workspace: Workspace,
    source: Path,
    output: Path,
    options: Question,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> BatchDone:
    """Answer rows `{"id", "context", "question"}`; append `{"id", "answer", "start", "end", "outcome", ...}`.

    The output has the order of the input. A context is read unchanged, newlines included, and `start` and `end` are
    code points of it. A row without an answer has "" and null, and the probability that there is none; with low
    confidence, "nearest" has the words that may be the answer. `options` gives threshold and top_k; a top_k above 1
    adds "answers", from `select_answers`. Rows whose id is already in the output are skipped. Raises SpanlightError for
    files that do not fit, Busy where another process writes the output, Stopped when cancelled; finished rows stay.
    """
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report)
    refuse_same_file(source, output)
    keys = check_rows(source, ("context", "question"))
    with RowFile(output, "answer") as file:
        before = sum(key in file.finished for key in keys)
        left = (row for row in read_rows(source) if row.key not in file.finished)
        whole = GroupReport(report, len(keys) - before, Message("questions"))
        questions = ((row, _question(row, source, options)) for row in left)

        def take(pair: tuple[Row, Question], reading: Reading) -> None:
            row, question = pair
            answers = select_answers(reading.answers, question.documents, options.top_k)
            found = _as_given(replace(reading, answers=answers), row.text("context", source))
            file.append(_answer_row(row, found, options.top_k))

        read_questions(workspace, questions, choice, whole, take)
    return BatchDone(len(keys), before, whole.seconds)


def read_questions(
    workspace: Workspace,
    questions: Iterable[tuple[ItemT, Question]],
    choice: ModelChoice,
    whole: GroupReport,
    take: Callable[[tuple[ItemT, Question], Reading], None],
) -> None:
    """Answer the items' questions, and call `take` with each item, its question, and the reading.

    `take` is called in the items' order, for each as soon as all before it have a reading. A question without words is
    not asked: no text answers it.
    """
    for group in groups(questions, lambda pair: sum(len(document.text) for document in pair[1].documents)):
        unread = {at: UNREAD for at, (_, question) in enumerate(group) if not question.text.strip()}
        in_order = InOrder(group, unread, whole, take)
        if in_order.pending:
            batch = QuestionBatch(tuple(group[at][1] for at in in_order.pending))
            for found in enumerate(workspace.engine.run(batch, choice, in_order)):
                in_order.partial(found)
        whole.count_done(len(group))


def _question(row: Row, source: Path, options: Question) -> Question:
    context = without_surrogates(row.text("context", source))
    text = without_surrogates(row.text("question", source))
    return widen_top_k(replace(options, text=text, documents=(with_view(Document(context)),)))


def _as_given(reading: Reading, context: str) -> Reading:
    """Take the answers' words from the original context, which may have lone surrogates."""
    return replace(reading, answers=tuple(replace(a, text=a.span.of(context)) for a in reading.answers))


def _answer_row(row: Row, reading: Reading, top_k: int) -> dict[str, object]:
    best = reading.best
    values: dict[str, object] = {
        "id": row.id,
        "answer": best.text if best else "",
        "start": best.span.start if best else None,
        "end": best.span.end if best else None,
        "probability": best.probability if best else reading.no_answer_probability,
        "no_answer_probability": reading.no_answer_probability,
        "outcome": reading.outcome,
        "nearest": nearest_values(reading),
    }
    if top_k > 1:
        values["answers"] = [
            {"answer": a.text, "start": a.span.start, "end": a.span.end, "probability": a.probability}
            for a in reading.answers
        ]
    return values
