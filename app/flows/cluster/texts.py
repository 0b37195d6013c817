"""Classifies the texts in Parquet files on a Ray cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.core.atomic import writing
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ProblemType
from app.core.report import Report
from app.core.tables import class_columns, csv_lines
from app.flows.cluster.node import Node, NodeSetup, node_setup
from app.flows.cluster.run import Actor, RunResult, run_tasks
from app.flows.cluster.store import ROWS_SUFFIX, Storage
from app.flows.rows import csv_value
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint

# Rows per task, which is the unit of work that is lost with an actor.
_ROWS_PER_TASK = 512


@dataclass(frozen=True, slots=True)
class Slice:
    """Some rows of a row group of a Parquet file, and the name of the file for these rows with their classes."""

    path: str
    group: int
    first: int
    rows: int
    name: str


@dataclass(frozen=True, slots=True)
class TextSet:
    """The texts of a run, in order: slices of files with equal columns, of which `column` holds the texts.

    `columns` are the files' own, `own` in number, followed by those of the classes; `numbers` are those of the latter
    that hold numbers.
    """

    slices: tuple[Slice, ...]
    column: str
    columns: tuple[str, ...]
    own: int
    numbers: frozenset[str]

    @property
    def total(self) -> int:
        """How many texts there are."""
        return sum(each.rows for each in self.slices)


def find_texts(workspace: Workspace, source: str, column: str, report: Report, *, model: str = "") -> TextSet:
    """Find the texts in a column of a Parquet file or of a folder of them; "" takes the only column of strings.

    Raises SpanlightError where there are none, and for files with different columns; Stopped when cancelled.
    """
    card = workspace.find_model(Head.CLASSIFICATION, model)
    model_commit = fingerprint(Path(card.folder))
    slices: list[Slice] = []
    columns: tuple[str, ...] = ()
    storage = Storage(source)
    is_file = source.lower().endswith(".parquet")
    files = (
        [storage.file()] if is_file else sorted(storage.documents(("parquet",)), key=lambda file: file.path)
    )
    for file in files:
        report.check()
        layout = Storage(file.path).layout()
        column = column or _only_column(layout.text_columns, file.path)
        if column not in layout.text_columns:
            raise SpanlightError(
                Message("“{file}” has no column of texts “{column}”.", file=file.path, column=column),
                Message("Its columns of texts are: {columns}.", columns=", ".join(layout.text_columns)),
            )
        if columns not in ((), layout.columns):
            raise SpanlightError(
                Message("“{file}” has other columns than the files before it.", file=file.path),
                Message("Classify it by itself."),
            )
        columns = layout.columns
        for group, rows in enumerate(layout.group_rows):
            for first in range(0, rows, _ROWS_PER_TASK):
                state = (file.path, file.size, file.modified, group, first, column, model_commit)
                key = hashlib.sha256(repr(state).encode()).hexdigest()[:24]
                name = f"{len(slices):08}-{key}.parquet"
                slices.append(Slice(file.path, group, first, min(_ROWS_PER_TASK, rows - first), name))
    if not slices:
        raise SpanlightError(
            Message("There are no texts in {place}.", place=source), Message("Name a Parquet file.")
        )
    own = len(columns)
    columns = tuple(class_columns(columns, card.labels, card.problem))
    labels = 0 if card.problem is ProblemType.REGRESSION else 1
    return TextSet(tuple(slices), column, columns, own, frozenset(columns[own + labels :]))


def _only_column(columns: Sequence[str], file: str) -> str:
    if len(columns) == 1:
        return columns[0]
    raise SpanlightError(
        Message(
            "“{file}” has {n} column of texts.",
            "“{file}” has {n} columns of texts.",
            file=file,
            n=len(columns),
        ),
        Message("Name the one to classify with --column."),
    )


def classify_texts_on_cluster(
    workspace: Workspace,
    texts: TextSet,
    place: str,
    address: str,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> RunResult:
    """Classify texts on a cluster; each slice, with columns for its classes, is written into the folder `place`.

    Slices that an earlier run with the same model has written are not computed again. Raises as `ask_documents` does,
    and SpanlightError for a folder with other Parquet files, unless its rows are merged into one file afterwards.
    """
    storage = Storage(place)
    storage.sweep()
    present = set(storage.names())
    if not place.endswith(ROWS_SUFFIX) and present - {each.name for each in texts.slices}:
        raise SpanlightError(
            Message(
                "“{place}” holds other Parquet files: of other texts, of texts as they were before, or of another"
                " model.",
                place=place,
            ),
            Message("Name another folder, or remove them."),
        )
    left = [each for each in texts.slices if each.name not in present]
    total = sum(each.rows for each in left)
    card = workspace.find_model(Head.CLASSIFICATION, model)
    setup = node_setup(workspace, card, Head.CLASSIFICATION, device)
    arguments = (storage.place, replace(texts, slices=()))
    tasks = [[each] for each in left]
    done = run_tasks(workspace, _Classifier, tasks, total, setup, arguments, address, report)
    return replace(done, before=texts.total - total)


def write_classes(texts: TextSet, place: str, output: Path, report: Report) -> None:
    """Write the classified slices in `place` as one CSV file, in the order of their texts.

    Raises SpanlightError where that fails; Stopped when cancelled.
    """
    storage = Storage(place)
    with writing(output, private=False) as file:
        file.write(csv_lines([texts.columns]).encode())
        for each in texts.slices:
            report.check()
            rows = (
                [
                    ("" if row[name] is None else str(row[name])) if at < texts.own else csv_value(row[name])
                    for at, name in enumerate(texts.columns)
                ]
                for row in storage.rows(each.name)
            )
            file.write(csv_lines(rows).encode("utf-8", "replace"))


class _Classifier(Actor):
    """Classifies texts."""

    UNIT = Message("texts")

    def __init__(self, setup: NodeSetup, files: Sequence[Any], place: str, texts: TextSet) -> None:
        super().__init__(setup, files)
        self._storage, self._texts = Storage(place), texts

    def work(self, items: list[dict[str, Any]], node: Node) -> tuple[int, int]:
        """Write a slice with columns for its classes."""
        (piece,) = (Slice(**values) for values in items)
        if not self._storage.has(piece.name):
            table = Storage(piece.path).read_slice(piece.group, piece.first, piece.rows)
            words = [text or "" for text in table.column(self._texts.column).to_pylist()]
            found = node.classes(words)
            for at, name in enumerate(self._texts.columns[self._texts.own :]):
                values: list[Any] = [each[at] for each in found]
                if name in self._texts.numbers:
                    values = [float(value) if value else None for value in values]
                table = table.append_column(name, [values])
            self._storage.write(piece.name, table)
        return piece.rows, 0
