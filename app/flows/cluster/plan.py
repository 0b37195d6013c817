"""The documents of a run on a cluster, and what the run would take."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.answer_table import Column
from app.core.errors import SpanlightError
from app.core.files import read_whole
from app.core.library import Library
from app.core.message import Message
from app.core.models import Head
from app.core.report import Progress, Report
from app.documents.plain_text import decode
from app.flows.cluster.node import Node
from app.flows.cluster.rows import Item
from app.flows.cluster.store import Storage, Unreachable, is_address
from app.flows.library import libraries
from app.flows.library.folders import is_folder, walk
from app.flows.workspace import Workspace

_MOST_LIST = 1_000_000_000  # bytes
# What is measured for a plan.
_MOST_MEASURED, _MOST_QUESTIONS = 12, 3


def documents_of(workspace: Workspace, over: str, report: Report) -> list[Item]:
    """The documents of a folder, an address, a library, or a text file with a path or an address in each line, by path.

    Of a folder those are taken that a library would take, of a list all. Names that are no valid Unicode are left out,
    with a notice. Raises SpanlightError where nothing is found; Stopped when cancelled.
    """
    if is_address(over):
        found = list(Storage(over).documents())
    elif is_folder(over):
        found = _walked(libraries.planned(workspace, [over]), report)
    elif Path(over).name == over and not Path(over).exists():
        found = _walked(workspace.library.library(over), report)
    else:
        text = decode(read_whole(Path(over), _MOST_LIST), Path(over).name)
        found = []
        for line in filter(None, map(str.strip, text.split("\n"))):
            report.check()
            found.append(_listed(line))
    named = {item.path: item for item in found if _is_valid(item.path)}
    if len(named) < len({item.path for item in found}):
        report.notice(Message("Files whose names are no valid Unicode are left out."))
    if not named:
        raise SpanlightError(
            Message("There is no document in {place}.", place=over), Message("Name another folder.")
        )
    return [named[path] for path in sorted(named)]


def _walked(library: Library, report: Report) -> list[Item]:
    found = walk(library, report)
    if not found.files and found.refused:
        raise found.refusal()
    return [Item(file.path, file.size, file.modified or 1) for file in found.files]


def _listed(line: str) -> Item:
    """A line of a list; the node that reads it says what is wrong with it."""
    if is_address(line):
        try:
            return Storage(line).item()
        except Unreachable:
            return Item(line, 0, 1)
    path = os.path.normpath(Path(line).absolute())
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return Item(path, 0, 1)
    return Item(path, status.st_size, status.st_mtime_ns or 1)


def _is_valid(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do: documents, bytes, about how many pages, and hours of one machine like the one measured."""

    documents: int
    size: int
    pages: int
    hours: float
    measured: int


def planned(
    workspace: Workspace, items: Sequence[Item], columns: Sequence[Column], report: Report, *, model: str = ""
) -> Plan:
    """Read a few of the documents here, ask each of them the first questions, and tell what all would take.

    Raises SpanlightError where the model cannot be used; Stopped when cancelled.
    """
    here = Node(workspace, model, Head.QUESTION_ANSWERING)
    sample = []
    chosen = to_measure(items, _MOST_MEASURED)
    for done, item in enumerate(chosen):
        report.check()
        report.progress(Progress(done, len(chosen), Message("documents measured")))
        began = time.perf_counter()
        pages = here.row(item, (), "").file.pages
        reading = time.perf_counter() - began
        asked = columns[:_MOST_QUESTIONS]
        here.row(item, asked, "")
        asking = (time.perf_counter() - began - 2 * reading) / max(1, len(asked))
        sample.append((pages, reading, max(0.0, asking)))
    return estimated(items, len(columns), sample)


def estimated(items: Sequence[Item], questions: int, sample: Sequence[tuple[int, float, float]]) -> Plan:
    """A plan from a sample of the documents: pages, seconds to read one, and seconds for a question to it each."""
    size, times = sum(item.size for item in items), len(items) / max(1, len(sample))
    pages = sum(pages for pages, _, _ in sample)
    seconds = sum(reading + questions * asking for _, reading, asking in sample)
    return Plan(len(items), size, round(times * pages), times * seconds / 3600, len(sample))


def to_measure(items: Sequence[Item], most: int) -> list[Item]:
    """Up to `most` of the documents, from the smallest to the largest at equal steps."""
    ordered = sorted(items, key=lambda item: item.size)
    number = min(most, len(ordered))
    return [ordered[(2 * at + 1) * len(ordered) // (2 * number)] for at in range(number)]
