"""Exports a table of texts with its labels, given or guessed, in further columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.atomic import write_atomic
from app.core.labels import Dataset, GivenLabels
from app.core.report import Report
from app.core.tables import class_columns
from app.core.wording import free_name
from app.flows.rows import bytes_of, require_format, rows_as, write_sheet
from app.flows.teach.datasets import SEPARATOR
from app.flows.teach.figures import predict_labels
from app.flows.workspace import Workspace

if TYPE_CHECKING:
    from app.training.linear import Array

_WIDE, _NARROW = 60, 16


def export_dataset(
    workspace: Workspace,
    dataset: Dataset,
    given: Mapping[int, GivenLabels],
    probabilities: Array | None,
    path: Path,
    report: Report,
) -> int:
    """Write every row with its label to CSV, XLSX or JSON Lines, by the extension; returns the number of rows.

    The row's own columns are followed by its label, the label's probability according to the classifier, the
    probability of each label, and who gave the label (you, or the model). Raises SpanlightError for another extension
    and where the disk refuses, Stopped when cancelled.
    """
    kind = require_format(path)
    rows = workspace.datasets.rows(dataset)
    heads = class_columns(dataset.columns, dataset.names)
    heads.append(free_name("label by", heads.__contains__))
    values = []
    for row, cells in enumerate(rows):
        report.check()
        values.append([*cells, *label_values(dataset, given, row, probabilities)])
    data = _workbook(heads, values, dataset) if kind == ".xlsx" else rows_as(kind, heads, values)
    write_atomic(path, data, private=False)
    return len(rows)


def label_values(
    dataset: Dataset, given: Mapping[int, GivenLabels], row: int, probabilities: Array | None
) -> list[object]:
    """A row's label, its probability, the probability of each label, and who gave the label; empty if there is none."""
    numbers: list[float] = probabilities[row].tolist() if probabilities is not None else []
    mine = given.get(row)
    labels = mine.labels if mine is not None else predict_labels(dataset, numbers) if any(numbers) else ()
    of = dict(zip(dataset.names, numbers, strict=False))
    sure = min((of[label] for label in labels if label in of), default=None)
    by = "you" if mine is not None else "model" if labels else ""
    each = [of.get(name) for name in dataset.names]
    return [f"{SEPARATOR} ".join(labels), sure, *each, by]


def _workbook(heads: Sequence[str], values: Sequence[Sequence[object]], dataset: Dataset) -> bytes:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    widths = [_WIDE if at == dataset.text_column else _NARROW for at in range(len(heads))]
    lines = (
        [((each, "0.00") if isinstance(each, float) else each, True) for each in line] for line in values
    )
    write_sheet(book, "Labels", heads, lines, widths)
    return bytes_of(book)
