"""Classes of the texts in Parquet files, computed on a Ray cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ProblemType
from app.core.report import Report
from app.core.tables import class_columns, csv_lines
from app.flows.answer_table.export import written
from app.flows.cluster.node import Node, Shipped, shipped
from app.flows.cluster.run import Actor, Ran, Task, run_tasks
from app.flows.cluster.store import ROWS, Storage
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint
from app.settings.files import writing

# Texts of a task, which is what is computed again where an actor was lost.
_A_TASK = 512


@dataclass(frozen=True, slots=True)
class Slice:
    """Some rows of a row group of a Parquet file, with the name of the file that takes them with their classes."""

    path: str
    group: int
    first: int
    rows: int
    name: str


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a run in order, the name of their column, and all columns with those of the classes behind.

    `own` counts the columns of the files themselves; `numbers` are the columns that hold numbers of classes.
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


def texts_in(workspace: Workspace, source: str, column: str, *, model: str = "") -> Texts:
    """The texts in a column of a Parquet file or of a folder of them; without a name, in the only column of texts.

    Raises SpanlightError where there are none, and for files with different columns.
    """
    card = workspace.find_model(Head.CLASSIFICATION, model)
    model_commit = fingerprint(Path(card.folder))
    is_file = source.lower().endswith(".parquet")
    slices: list[Slice] = []
    known: tuple[str, ...] = ()
    files = Storage(source)
    items = [files.item()] if is_file else sorted(files.documents(("parquet",)), key=lambda item: item.path)
    for item in items:
        found = Storage(item.path).groups()
        column = column or _only_column(found.texts, item.path)
        if column not in found.texts:
            raise SpanlightError(
                Message("“{file}” has no column of texts “{column}”.", file=item.path, column=column),
                Message("Its columns of texts are: {columns}.", columns=", ".join(found.texts)),
            )
        if known not in ((), found.columns):
            raise SpanlightError(
                Message("“{file}” has other columns than the files before it.", file=item.path),
                Message("Classify it by itself."),
            )
        known = found.columns
        for group, rows in enumerate(found.rows):
            for first in range(0, rows, _A_TASK):
                place = (item.path, item.size, item.modified, group, first, column, model_commit)
                key = hashlib.sha256(repr(place).encode()).hexdigest()[:24]
                some = Slice(item.path, group, first, min(_A_TASK, rows - first), "")
                slices.append(replace(some, name=f"{len(slices):08}-{key}.parquet"))
    if not slices:
        raise SpanlightError(
            Message("There are no texts in {place}.", place=source), Message("Name a Parquet file.")
        )
    columns = tuple(class_columns(known, card.labels, card.problem))
    labels = 0 if card.problem is ProblemType.REGRESSION else 1
    return Texts(tuple(slices), column, columns, len(known), frozenset(columns[len(known) + labels :]))


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


def classify_on(
    workspace: Workspace,
    texts: Texts,
    place: str,
    address: str,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> Ran:
    """Classify texts on a cluster; each task's rows, with columns for their classes, are written into `place`.

    What was written by an earlier run with the same model is not computed again. Raises as `ask_documents` does, and
    SpanlightError for a folder with other Parquet files, unless its rows are to be brought together in a file.
    """
    storage = Storage(place)
    storage.sweep()
    there = set(storage.names())
    if not place.endswith(ROWS) and there - {each.name for each in texts.slices}:
        raise SpanlightError(
            Message(
                "“{place}” holds other Parquet files: of other texts, of texts as they were before, or of another"
                " model.",
                place=place,
            ),
            Message("Name another folder, or remove them."),
        )
    left = [each for each in texts.slices if each.name not in there]
    card = workspace.find_model(Head.CLASSIFICATION, model)
    needs = shipped(workspace, card, Head.CLASSIFICATION, device)
    tasks = [Task([each], each.rows) for each in left]
    more = (storage.place, replace(texts, slices=()))
    ran = run_tasks(workspace, _Classifier, tasks, needs, more, address, report)
    return replace(ran, before=texts.total - sum(each.rows for each in left))


def write_classes(texts: Texts, place: str, output: Path) -> None:
    """Write the texts with their classes as CSV, as they stood in their files; raises SpanlightError."""
    storage = Storage(place)
    with writing(output, private=False) as file:
        file.write(csv_lines([texts.columns]).encode())
        for each in texts.slices:
            rows = (
                [
                    _shown(row[name]) if at < texts.own else written(row[name])
                    for at, name in enumerate(texts.columns)
                ]
                for row in storage.rows(each.name)
            )
            file.write(csv_lines(rows).encode("utf-8", "replace"))


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


class _Classifier(Actor):
    """Classifies texts."""

    WHAT = Message("texts")

    def __init__(self, needs: Shipped, files: Sequence[Any], place: str, texts: Texts) -> None:
        super().__init__(needs, files)
        self._storage, self._texts = Storage(place), texts

    def work(self, rows: list[dict[str, Any]], node: Node) -> tuple[int, int]:
        """Write texts with their classes."""
        (some,) = (Slice(**values) for values in rows)
        if not self._storage.has(some.name):
            table = Storage(some.path).part_of(some.group, some.first, some.rows)
            words = [text or "" for text in table.column(self._texts.column).to_pylist()]
            found = node.classes(words)
            for at, name in enumerate(self._texts.columns[self._texts.own :]):
                values: list[Any] = [each[at] for each in found]
                if name in self._texts.numbers:
                    values = [float(value) if value else None for value in values]
                table = table.append_column(name, [values])
            self._storage.write(some.name, table)
        return some.rows, 0
