"""Creates tables of texts with labels, labels their texts, checks the labels, and exports the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.labels import MOST_LABELS, Dataset, GivenLabels, Label
from app.core.message import Message
from app.core.models import Head, ModelCard, ProblemType
from app.core.report import Report
from app.core.rows import without_surrogates
from app.core.tables import class_columns
from app.core.wording import free_name
from app.flows.rows import bytes_of, require_format, rows_as, write_sheet
from app.flows.teach.figures import predict_labels
from app.flows.teach.files import TextTable, read_text_table
from app.flows.workspace import Workspace

if TYPE_CHECKING:
    from app.training.linear import Array

# Separates the labels of a text in a column of a table.
SEPARATOR = ";"
_WIDE, _NARROW = 60, 16


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that was read from a file (None if pasted), and the classifiers that could classify its texts."""

    path: Path | None
    table: TextTable
    cards: tuple[ModelCard, ...] = ()


def read_table(workspace: Workspace, path: Path, report: Report) -> ReadTable:
    """Read the table in a file; the first of the cards is the classifier in use, if it is among them.

    Raises SpanlightError as `read_text_table` does.
    """
    table = read_text_table(workspace, path, report)
    cards = [card for card in workspace.shelf.cards() if Head.CLASSIFICATION in card.heads]
    fitting = [card for card in cards if card.problem is not ProblemType.REGRESSION and len(card.labels) > 1]
    used = workspace.find_model(Head.CLASSIFICATION).folder if fitting else ""
    return ReadTable(path, table, tuple(sorted(fitting, key=lambda card: card.folder != used)))


def make_dataset(
    workspace: Workspace,
    table: TextTable,
    name: str,
    labels: Sequence[Label],
    report: Report,
    *,
    multi: bool = False,
    source: str = "",
    model: str = "",
) -> Dataset:
    """Save a table with labels; texts get the labels in its label column, which are added to `labels`.

    `model` is the folder of a classifier with these labels to start from, empty for none. A name that is taken gets a
    number. Raises SpanlightError for labels that cannot be used.
    """
    given: list[GivenLabels] = []
    known = {label.name.casefold(): label.name for label in labels}
    if table.label_column >= 0:
        for row, cells in enumerate(table.rows):
            names = split_labels(cells[table.label_column], multi)
            named = dict.fromkeys(known.setdefault(each.casefold(), each) for each in names)
            if len(known) > MOST_LABELS:
                raise _too_many_labels(len(table.labels_in(table.label_column)))
            if named and cells[table.text_column].strip():
                given.append(GivenLabels(row, tuple(named)))
    described = {label.name: label for label in labels}
    taken = {dataset.name.casefold() for dataset in workspace.datasets.all()}
    dataset = Dataset(
        0,
        free_name(name.strip() or "Labels", lambda wanted: wanted.casefold() in taken),
        table.columns,
        table.text_column,
        checked_labels([described.get(each, Label(each)) for each in known.values()], multi),
        multi,
        source,
        model,
    )
    return workspace.datasets.add(dataset, table.rows, given)


def split_labels(cell: str, multi: bool) -> list[str]:
    """Split the labels in a table's cell: one, or with `multi` several, separated by semicolons."""
    parts = cell.split(SEPARATOR) if multi else [cell]
    return [_clean(part) for part in parts if part.strip()]


def labels_from(text: str, known: Sequence[Label] = ()) -> tuple[Label, ...]:
    """Parse labels from lines, or from one line separated by semicolons: a name, or a name, a colon and a description.

    A line that equals the text of a `known` label is that label, even if its name has a colon.
    """
    texts = {label.text: label for label in known}
    lines = [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
    if len(lines) == 1:
        lines = [part for part in lines[0].split(SEPARATOR) if part.strip()]
    found = []
    for line in lines:
        name, _, words = line.partition(":")
        if line.strip() in texts:
            found.append(texts[line.strip()])
        elif name.strip():
            found.append(Label(_clean(name), _clean(words)))
    return tuple(found)


def checked_labels(labels: Sequence[Label], multi: bool) -> tuple[Label, ...]:
    """Check labels and return them. Raises SpanlightError for too few, too many, and duplicate names."""
    if len(labels) < (1 if multi else 2):
        raise SpanlightError(
            Message("There are too few labels to tell texts apart."), Message("Name at least two.")
        )
    if len(labels) > MOST_LABELS:
        raise _too_many_labels(len(labels))
    seen: set[str] = set()
    for label in labels:
        if label.name.casefold() in seen:
            raise SpanlightError(
                Message("The label “{label}” is there twice.", label=label.name),
                Message("Take one of them out."),
            )
        seen.add(label.name.casefold())
    return tuple(labels)


def _clean(text: str) -> str:
    """The text on one line, without characters that UTF-8 cannot hold."""
    return " ".join(without_surrogates(text).split())


def _too_many_labels(count: int) -> SpanlightError:
    return SpanlightError(
        Message("{number:,} labels are more than can be told apart.", number=count),
        Message("Use at most {most}.", most=MOST_LABELS),
    )


def normalise_text(text: str) -> str:
    """The text in lower case with single spaces, to compare texts by."""
    return " ".join(text.casefold().split())


def contradictions(texts: Sequence[str], given: Mapping[int, GivenLabels]) -> list[tuple[int, ...]]:
    """Groups of rows with equal texts that have different labels."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row in given:
        rows[normalise_text(texts[row])].append(row)
    return [tuple(same) for same in rows.values() if len({frozenset(given[row].labels) for row in same}) > 1]


def agreement(given: Iterable[GivenLabels]) -> tuple[tuple[int, int], tuple[int, int]]:
    """How many guesses the person agreed with, and how many there were: for shown guesses, then for hidden ones."""
    counts = {True: [0, 0], False: [0, 0]}
    for each in given:
        if each.guess:
            counts[each.shown][0] += each.agrees
            counts[each.shown][1] += 1
    return (counts[True][0], counts[True][1]), (counts[False][0], counts[False][1])


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
