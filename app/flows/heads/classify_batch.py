"""Classifies many texts from one file to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from app.core.atomic import write_atomic
from app.core.message import Message
from app.core.models import Head, ProblemType
from app.core.report import Report
from app.core.requests import ModelChoice, TextBatch
from app.core.results import Classification
from app.core.rows import Row, read_rows, without_surrogates
from app.core.tables import class_columns, class_values, csv_lines
from app.flows.batches import BatchDone, GroupReport, InOrder, groups
from app.flows.csv_files import Table
from app.flows.rows import RowFile, check_rows, refuse_same_file, refuse_unwritable
from app.flows.workspace import Workspace

ItemT = TypeVar("ItemT")


def classify_batch(
    workspace: Workspace, source: Path, output: Path, report: Report, *, model: str = "", device: str = ""
) -> BatchDone:
    """Classify rows `{"id", "text"}`; append `{"id", "label", "probability", "probabilities"}` in their order.

    A row without an id has its line number, from 1; a blank text gets an empty label. Rows whose id is already in the
    output are skipped. Raises SpanlightError for files that do not fit, Stopped when cancelled; finished rows stay.
    """
    choice = workspace.choose(Head.CLASSIFICATION, model, device, report)
    refuse_same_file(source, output)
    keys = check_rows(source, ("text",))
    with RowFile(output, "label") as file:
        before = sum(key in file.finished for key in keys)
        left = (row for row in read_rows(source) if row.key not in file.finished)
        whole = GroupReport(report, len(keys) - before, Message("texts"))
        texts = ((row, row.text("text", source)) for row in left)

        def take(row: Row, item: Classification | None) -> None:
            file.append({"id": row.id, **classes_as_json(item)})

        classify_texts(workspace, texts, choice, whole, take)
    return BatchDone(len(keys), before, whole.seconds)


def classify_table(
    workspace: Workspace,
    table: Table,
    output: Path | None,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> str:
    """Return the table as CSV with the classes in further columns, and write it to `output` if that is given.

    A row with a blank text gets empty values. Raises SpanlightError where the output cannot be written, Stopped when
    cancelled.
    """
    choice = workspace.choose(Head.CLASSIFICATION, model, device, report)
    if output:
        refuse_unwritable(output)
    card = workspace.find_model(Head.CLASSIFICATION, model)
    whole = GroupReport(report, len(table.rows), Message("texts"))
    rows = [class_columns(table.columns, card.labels, card.problem)]
    unread = [""] * (len(rows[0]) - len(table.columns))

    def take(row: Sequence[str], item: Classification | None) -> None:
        rows.append([*row, *(class_values(item) if item else unread)])

    classify_texts(workspace, ((row, row[table.column]) for row in table.rows), choice, whole, take)
    lines = csv_lines(rows, table.delimiter)
    if output:
        write_atomic(output, lines.encode("utf-8"), private=False)
    return lines


def classify_texts(
    workspace: Workspace,
    texts: Iterable[tuple[ItemT, str]],
    choice: ModelChoice,
    whole: GroupReport,
    take: Callable[[ItemT, Classification | None], None],
) -> None:
    """Classify the items' texts, and call `take` with each item and its text's classes, None for a blank text.

    `take` is called in the items' order, for each as soon as all before it are classified.
    """
    for group in groups(texts, lambda pair: len(pair[1])):
        blank = {at: None for at, (_, text) in enumerate(group) if not text.strip()}
        in_order: InOrder[ItemT, Classification | None] = InOrder(
            [item for item, _ in group], blank, whole, take
        )
        if in_order.pending:
            batch = tuple(without_surrogates(group[at][1]) for at in in_order.pending)
            for found in enumerate(workspace.engine.run(TextBatch(batch), choice, in_order)):
                in_order.partial(found)
        whole.count_done(len(group))


def classes_as_json(item: Classification | None) -> dict[str, object]:
    """A text's classes as JSON values, without a label and a probability if no class applies or the text is blank.

    For a multi-label head, `labels` are all that apply; a regression head has `values` instead of `probabilities`.
    """
    numbers = {score.label: score.probability for score in item.scores} if item else {}
    found: dict[str, object] = {
        "label": item.winner if item else "",
        "probability": item.probability if item and item.winner else None,
    }
    if item and item.problem == ProblemType.MULTI_LABEL:
        found["labels"] = [score.label for score in item.fitting]
    found["values" if item and item.problem == ProblemType.REGRESSION else "probabilities"] = numbers
    return found
