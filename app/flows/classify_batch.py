"""Classify many texts from one file to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from app.core.models import Head
from app.core.report import Report
from app.core.requests import ModelChoice, TextsToClassify
from app.core.results import Classification
from app.flows.ask_batch import BatchDone
from app.flows.groups import GroupReport, groups
from app.flows.rows import LONE_SURROGATE, RowFile, check_rows, read_rows, refuse_same_file, refuse_unwritable
from app.flows.tables import Table, class_columns, class_values, csv_lines
from app.flows.workspace import Workspace
from app.settings.files import write_atomic


def classify_batch(
    workspace: Workspace, source: Path, output: Path, report: Report, *, model: str = "", device: str = ""
) -> BatchDone:
    """Classify rows `{"id", "text"}`; append `{"id", "label", "probability", "probabilities"}` in their order.

    A row without an id goes by its line, from 1; a text of blanks gets an empty label. Rows whose id is in the output
    already are not classified again. Raises SpanlightError for files that do not fit, Stopped when the report
    says so; what is finished stays.
    """
    choice = workspace.choose(Head.CLASSIFICATION, model, device)
    refuse_same_file(source, output)
    total = check_rows(source, ("text",))
    with RowFile(output, "label") as file:
        before = sum(row.key in file.finished for row in read_rows(source))
        left = (row for row in read_rows(source) if row.key not in file.finished)
        whole = GroupReport(report, total - before, "texts")
        for group in groups(left, lambda row: len(row.text("text", source))):
            items = classify_texts(workspace, [row.text("text", source) for row in group], choice, whole)
            file.append([{"id": row.id, **values(item)} for row, item in zip(group, items, strict=True)])
    return BatchDone(total, before, whole.seconds)


def classify_table(
    workspace: Workspace,
    table: Table,
    output: Path | None,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> str:
    """The table as CSV with the classes behind its own columns, also written to `output`.

    A row whose text is blank gets empty values. Raises SpanlightError where the output cannot be written, Stopped when
    the report says so.
    """
    choice = workspace.choose(Head.CLASSIFICATION, model, device)
    if output:
        refuse_unwritable(output)
    labels = workspace.find_model(Head.CLASSIFICATION, model).labels
    whole = GroupReport(report, len(table.rows), "texts")
    rows = [class_columns(table.columns, labels)]
    for group in groups(table.rows, lambda row: len(row[table.column])):
        items = classify_texts(workspace, [row[table.column] for row in group], choice, whole)
        for row, item in zip(group, items, strict=True):
            rows.append([*row, *(class_values(item) if item else [""] * (2 + len(labels)))])
    lines = csv_lines(rows, table.delimiter)
    if output:
        write_atomic(output, lines.encode("utf-8"), private=False)
    return lines


def classify_texts(
    workspace: Workspace, texts: Sequence[str], choice: ModelChoice, whole: GroupReport
) -> list[Classification | None]:
    """One group's classes, None for a text of blanks; the group counts as finished afterwards."""
    worded = [LONE_SURROGATE.sub("\ufffd", text) for text in texts if text.strip()]
    found: Iterator[Classification] = iter(())
    if worded:
        found = iter(workspace.engine.run(TextsToClassify(tuple(worded)), choice, whole).items)
    items = [next(found) if text.strip() else None for text in texts]
    whole.finished(len(texts))
    return items


def values(item: Classification | None) -> dict[str, object]:
    """A text's classes as JSON values; null probabilities where there was no text."""
    return {
        "label": item.winner if item else "",
        "probability": item.probability if item else None,
        "probabilities": {score.label: score.probability for score in item.scores} if item else {},
    }
