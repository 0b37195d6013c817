"""Imports a cluster's answers, or a table that was exported, into a table of this computer."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.history import KeptAnswer
from app.core.library import FileState, Library, LibraryFile
from app.core.message import Message
from app.core.report import Progress, Report
from app.core.rows import read_rows
from app.core.text import Span
from app.core.wording import free_name
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import find_or_add_table
from app.flows.cluster.rows import RunSpec, merge_rows
from app.flows.cluster.store import ROWS_SUFFIX, Storage, is_address
from app.flows.library.folders import is_folder
from app.flows.library.libraries import save_library
from app.flows.workspace import Workspace

# Documents per transaction.
_BATCH = 500
# The state of a file in the ledger by that of all its exported cells.
_STATES = {CellState.FAILED: FileState.FAILED, CellState.NO_TEXT: FileState.NO_TEXT}
# The columns of an export that hold strings; those that hold integers, with the least value, and what none reaches.
_TEXTS = (
    *("question", "answer", "state", "verdict", "quotation", "page label", "cell", "section"),
    *("reader's answer", "model", "read", "judged", "sha256", "path", "reason", "read as"),
)
_LEAST = {"start": 0, "end": 0, "page": 1, "line": 1}
_MOST = 1 << 31
_SHA256 = re.compile("(?:[0-9a-f]{64})?")

Document = tuple[LibraryFile, Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Results:
    """The documents to import, with their cells by the columns' places from 1.

    `over` is the folder or address that was asked, empty if it is not known.
    """

    columns: tuple[Column, ...]
    documents: Iterable[Document]
    over: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """The table into which results were imported, and how many documents and answers they had."""

    table: AnswerTable
    documents: int
    cells: int


def import_results(workspace: Workspace, place: str, report: Report, *, name: str = "") -> Imported:
    """Import the rows that a cluster wrote, or a table that was exported as JSON Lines, into the table of this name.

    The documents join the library that has them, or become a new one. No document is opened: their words can be
    searched once the library is updated. A document that could not be read keeps its reason. What is known here of a
    file stays, and so do answers with a verdict; an exported table's verdicts are taken over where there are none.
    Raises SpanlightError for a file that is neither, Stopped when cancelled.
    """
    results = _read_results(place, report)
    over = results.over
    # Without a folder, the library is found by the paths of all documents.
    documents = results.documents if over else list(results.documents)
    left = iter(documents)
    batch = list(islice(left, _BATCH))
    if not batch:
        raise SpanlightError(
            Message("“{place}” holds no answers.", place=place), Message("Choose another file.")
        )
    library = _library(workspace, over, batch if over else list(documents), report)
    title = name or f"{Path(place.rstrip('/')).stem}, {library.name}"
    table = find_or_add_table(workspace, title, library, results.columns, report)
    numbers = {column.question: column.number for column in table.columns}
    imported = answers = 0
    while batch:
        report.check()
        # Documents with a text wait to be read on this computer too.
        workspace.library.enter(
            library,
            (
                replace(file, state=FileState.WAITING, reason="") if file.state is FileState.READ else file
                for file, _ in batch
            ),
        )
        cells = [
            replace(cell, column=numbers[results.columns[cell.column - 1].question])
            for _, row in batch
            for cell in row
            if cell.sha256 and cell.can_be_judged
        ]
        workspace.tables.put_all(cells)
        imported, answers = imported + len(batch), answers + len(cells)
        report.progress(Progress(imported, 0, Message("documents")))
        batch = list(islice(left, _BATCH))
    return Imported(table, imported, answers)


def _read_results(place: str, report: Report) -> Results:
    """Read a table as JSON Lines, a folder of rows, one of its files, or the file that its rows were merged into."""
    path = Path(place)
    if not is_address(place):
        if path.is_file() and path.suffix.lower() == ".jsonl":
            return _read_export(path)
        rows = path.with_name(f"{path.name}{ROWS_SUFFIX}")
        folder = rows if rows.is_dir() else path.parent if path.suffix.lower() == ".parquet" else path
        place = str(folder)
    storage = Storage(place)
    spec = storage.spec()
    return Results(spec.columns, _read_rows(storage, spec, report), spec.over)


def _read_rows(storage: Storage, spec: RunSpec, report: Report) -> Iterator[Document]:
    """Yield a folder's documents one by one; raises SpanlightError for Parquet files of another kind."""
    try:
        for row in merge_rows(storage.shards(report), spec.digest):
            yield row.file, row.cells[: len(spec.columns)]
    except (KeyError, TypeError, ValueError) as fault:
        raise SpanlightError(
            Message("“{place}” holds Parquet files that are no answers of a cluster.", place=storage.place),
            Message("Name the folder that the cluster wrote."),
        ) from fault


def _read_export(path: Path) -> Results:
    """Read an exported table, which has a row per document and question."""
    questions: dict[str, int] = {}
    found: dict[str, list[Cell]] = {}
    for row in read_rows(path):
        try:
            values = _check_values(row.values)
            number = questions.setdefault(values["question"], len(questions) + 1)
            found.setdefault(values["path"], []).append(_cell(number, values))
        except (KeyError, TypeError, ValueError, OverflowError) as fault:
            raise SpanlightError(
                Message("Line {line} of {file} is no answer of a table.", line=row.line, file=path.name),
                Message("Choose a table that was exported as JSON Lines."),
            ) from fault
    return Results(columns_of(questions), [(_file(path, cells), cells) for path, cells in found.items()])


def _check_values(values: dict[str, Any]) -> dict[str, Any]:
    """Return an exported row's values if they have the right types; raises KeyError, TypeError and ValueError."""
    values = {"read as": ""} | values  # which earlier versions did not export
    if not all(isinstance(values[name], str) for name in _TEXTS):
        raise TypeError("no text")
    for name, least in _LEAST.items():
        if values[name] is not None and not (type(values[name]) is int and least <= values[name] < _MOST):
            raise ValueError(name)
    if values["probability"] is not None and not 0 <= values["probability"] <= 1:
        raise ValueError("probability")
    is_path = os.fsencode(values["path"]) and "\0" not in values["path"]
    is_question = values["question"] and values["question"] == " ".join(values["question"].split())
    if not (is_path and is_question and _SHA256.fullmatch(values["sha256"])):
        raise ValueError("no document, or no question")
    return values


def _file(path: str, cells: Sequence[Cell]) -> LibraryFile:
    """The file of exported cells; it has failed only if all of them have, not if the reader failed on some."""
    states = {cell.state for cell in cells}
    state = _STATES.get(cells[0].state, FileState.READ) if len(states) == 1 else FileState.READ
    reason = cells[0].reason if state is not FileState.READ else ""
    return LibraryFile(0, path, state, reason, sha256=cells[0].sha256)


def _cell(number: int, values: dict[str, Any]) -> Cell:
    """The cell of an exported row, which has no place for the reader's answer where the person replaced it."""
    state, verdict = CellState(values["state"]), Verdict(values["verdict"])
    place = Span(values["start"], values["end"]) if values["start"] is not None else None
    is_own = verdict not in (Verdict.OTHER_WORDS, Verdict.NOT_THERE)
    text, answer = values["reader's answer"], None
    if not text and state in (CellState.ANSWER, CellState.LOW_CONFIDENCE):
        raise ValueError("no answer")
    is_absent = state in (CellState.ABSENT, CellState.ABSENT_IN_PART)
    if values["probability"] is None and (text or is_absent):
        raise ValueError("no probability")
    if text:
        answer = KeptAnswer(
            place if is_own and place is not None else Span(0, 0),
            text,
            values["probability"],
            values["quotation"],
            page=values["page"],
            heading=values["section"],
            page_label=values["page label"],
            line=values["line"],
            cell=values["cell"],
        )
    return Cell(
        number,
        values["sha256"],
        state,
        answer,
        values["probability"] if is_absent else 0.0,
        values["model"],
        _seconds(values["read"]),
        verdict,
        "" if is_own else values["answer"],
        None if is_own else place,
        values["reason"],
        _seconds(values["judged"]),
        values["read as"],
    )


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() if moment else 0.0


def _library(workspace: Workspace, over: str, documents: Sequence[Document], report: Report) -> Library:
    """Find the library of the folder that was asked, or the first that has all these documents; else add one."""
    libraries = workspace.library.libraries()
    paths = {file.path for file, _ in documents}
    for library in libraries:
        if (
            over in library.roots
            if over
            else paths <= {*library.roots, *(file.path for file in workspace.library.files(library))}
        ):
            return library
    taken = {library.name.casefold() for library in libraries}
    title = Path(over.rstrip("/")).name if over else Path(next(iter(paths))).parent.name
    free = free_name(title or "Documents", lambda name: name.casefold() in taken)
    # Otherwise a row with a folder as its document would have everything in it read.
    roots = [over] if over else sorted(path for path in paths if not is_folder(path))
    return save_library(workspace, Library(0, free, tuple(roots)), report)
