"""A cluster's answers, or an exported table, taken into a table here."""

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
from app.flows.answer_table.tables import table_named
from app.flows.cluster.rows import Asked, together
from app.flows.cluster.store import ROWS, Storage, is_address
from app.flows.library.folders import is_folder
from app.flows.library.libraries import save_library
from app.flows.workspace import Workspace

# Documents that are stored at once.
_MANY = 500
# What the ledger tells of a file by the state that all of its exported cells have.
_STATES = {CellState.FAILED: FileState.FAILED, CellState.NO_TEXT: FileState.NO_TEXT}
# What an export holds as texts; and the numbers of a place with the least that each may be, and what none reaches.
_TEXTS = (
    *("question", "answer", "state", "verdict", "quotation", "page label", "cell", "section"),
    *("reader's answer", "model", "read", "judged", "sha256", "path", "reason"),
)
_LEAST = {"start": 0, "end": 0, "page": 1, "line": 1}
_MOST = 1 << 31
_SHA256 = re.compile("(?:[0-9a-f]{64})?")

Document = tuple[LibraryFile, Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Results:
    """Documents with their cells, by the places of `columns` from 1, and the folder that was asked, if it is known."""

    columns: tuple[Column, ...]
    documents: Iterable[Document]
    over: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """The table that results were taken into, and how many documents and answers they had."""

    table: AnswerTable
    documents: int
    cells: int


def import_results(workspace: Workspace, place: str, report: Report, *, name: str = "") -> Imported:
    """Take the rows that a cluster wrote, or a table that was exported as JSON Lines, into a table with this name.

    The documents become a library, or are found in one; what could not be read is there with its reason. Nothing is
    read: the words of the documents can be searched once the library is updated. What is known here of a file stays,
    and so do answers with a verdict; those that an exported table brings are taken along where there are none. Raises
    SpanlightError for a file that is neither, Stopped when cancelled.
    """
    results = _results(place)
    documents, over = results.documents, results.over
    if not over:
        documents = list(documents)  # the paths of all of them tell the library
    library: Library | None = None
    taken = cells = 0
    for some in _groups(documents):
        report.check()
        if library is None:
            library = _library(workspace, over, some if over else list(documents), report)
            title = name or f"{Path(place.rstrip('/')).stem}, {library.name}"
            table = table_named(workspace, title, library, results.columns, report)
            numbers = {column.question: column.number for column in table.columns}
        # Those with a text wait to be read here too.
        workspace.library.enter(
            library,
            (
                replace(file, state=FileState.WAITING) if file.state is FileState.READ else file
                for file, _ in some
            ),
        )
        found = [
            replace(cell, column=numbers[results.columns[cell.column - 1].question])
            for _, row in some
            for cell in row
            if cell.sha256 and cell.can_be_judged
        ]
        workspace.tables.put_all(found)
        taken, cells = taken + len(some), cells + len(found)
        report.progress(Progress(taken, 0, Message("documents")))
    if library is None:
        raise SpanlightError(
            Message("“{place}” holds no answers.", place=place), Message("Choose another file.")
        )
    return Imported(table, taken, cells)


def _groups(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """The documents in groups that are stored at once."""
    left = iter(documents)
    while some := list(islice(left, _MANY)):
        yield some


def _results(place: str) -> Results:
    """What stands at a path or an address: a table as JSON Lines, a folder of rows, or one of its files."""
    path = Path(place)
    if not is_address(place) and path.is_file() and path.suffix.lower() == ".jsonl":
        return _exported(path)
    if not is_address(place):
        rows = path.with_name(f"{path.name}{ROWS}")
        folder = rows if rows.is_dir() else path.parent if path.suffix.lower() == ".parquet" else path
        place = str(folder)
    storage = Storage(place)
    asked = storage.run()
    return Results(asked.columns, _rows(storage, asked), asked.over)


def _rows(storage: Storage, asked: Asked) -> Iterator[Document]:
    """The documents of a folder of rows, one by one; raises SpanlightError for Parquet files of something else."""
    try:
        for row in together(storage.parts(), asked.digest):
            yield row.file, row.cells[: len(asked.columns)]
    except (KeyError, TypeError, ValueError) as fault:
        raise SpanlightError(
            Message("“{place}” holds Parquet files that are no answers of a cluster.", place=storage.place),
            Message("Name the folder that the cluster wrote."),
        ) from fault


def _exported(path: Path) -> Results:
    """The documents of an exported table, whose rows stand one after another, a row a question."""
    questions: dict[str, int] = {}
    found: dict[str, list[Cell]] = {}
    for row in read_rows(path):
        try:
            values = _checked(row.values)
            number = questions.setdefault(values["question"], len(questions) + 1)
            found.setdefault(values["path"], []).append(_cell(number, values))
        except (KeyError, TypeError, ValueError, OverflowError) as fault:
            raise SpanlightError(
                Message("Line {line} of {file} is no answer of a table.", line=row.line, file=path.name),
                Message("Choose a table that was exported as JSON Lines."),
            ) from fault
    return Results(columns_of(questions), [(_file(path, cells), cells) for path, cells in found.items()])


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    """An exported row, whose values are of their kinds; raises KeyError, TypeError and ValueError."""
    if not all(isinstance(values[name], str) for name in _TEXTS):
        raise TypeError("no text")
    for name, least in _LEAST.items():
        if values[name] is not None and not (type(values[name]) is int and least <= values[name] < _MOST):
            raise ValueError(name)
    if values["probability"] is not None and not 0 <= values["probability"] <= 1:
        raise ValueError("probability")
    is_there = os.fsencode(values["path"]) and "\0" not in values["path"]
    is_one = values["question"] and values["question"] == " ".join(values["question"].split())
    if not (is_there and is_one and _SHA256.fullmatch(values["sha256"])):
        raise ValueError("no document, or no question")
    return values


def _file(path: str, cells: Sequence[Cell]) -> LibraryFile:
    """The file of exported cells; that the reader failed over one of several says nothing of it."""
    states = {cell.state for cell in cells}
    state = _STATES.get(cells[0].state, FileState.READ) if len(states) == 1 else FileState.READ
    reason = cells[0].reason if state is not FileState.READ else ""
    return LibraryFile(0, path, state, reason, sha256=cells[0].sha256)


def _cell(number: int, values: dict[str, Any]) -> Cell:
    """A cell as an export tells it: of an answer that the person replaced, it has no place."""
    state, verdict = CellState(values["state"]), Verdict(values["verdict"])
    place = Span(values["start"], values["end"]) if values["start"] is not None else None
    is_own = verdict not in (Verdict.OTHER_WORDS, Verdict.NOT_THERE)
    text, answer = values["reader's answer"], None
    if not text and state in (CellState.ANSWER, CellState.LOW_CONFIDENCE):
        raise ValueError("no answer")
    if values["probability"] is None and (text or state is CellState.ABSENT):
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
        values["probability"] if state is CellState.ABSENT else 0.0,
        values["model"],
        _seconds(values["read"]),
        verdict,
        "" if is_own else values["answer"],
        None if is_own else place,
        values["reason"],
        _seconds(values["judged"]),
    )


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() if moment else 0.0


def _library(workspace: Workspace, over: str, documents: Sequence[Document], report: Report) -> Library:
    """The library of what was asked, or the first that has all of these documents; made where there is none."""
    present = workspace.library.libraries()
    paths = {file.path for file, _ in documents}
    for library in present:
        if (
            over in library.roots
            if over
            else paths <= {*library.roots, *(file.path for file in workspace.library.files(library))}
        ):
            return library
    taken = {library.name.casefold() for library in present}
    title = Path(over.rstrip("/")).name if over else Path(next(iter(paths))).parent.name
    free = free_name(title or "Documents", lambda name: name.casefold() in taken)
    # A row that names a folder as its document must not have all of that read.
    roots = [over] if over else sorted(path for path in paths if not is_folder(path))
    return save_library(workspace, Library(0, free, tuple(roots)), report)
