"""The documents of a run on a cluster, and an estimate of what the run would take."""

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
from app.flows.cluster.rows import SourceFile
from app.flows.cluster.store import Storage, Unreachable, is_address
from app.flows.library import libraries
from app.flows.library.folders import is_folder, walk
from app.flows.workspace import Workspace

_MOST_LIST = 1_000_000_000  # bytes
# How many documents an estimate reads, and how many questions it asks each.
_SAMPLE, _MOST_QUESTIONS = 12, 3


def find_documents(workspace: Workspace, over: str, report: Report) -> list[SourceFile]:
    """Find the documents of a folder, an address, a library, or a text file that lists a path or an address per line.

    They are sorted by path. From a folder the files are taken that a library takes, from a list all of them. Names
    that are not valid Unicode are left out, with a notice. Raises SpanlightError where nothing is found; Stopped when
    cancelled.
    """
    if is_address(over):
        found = list(Storage(over).documents())
    elif is_folder(over):
        found = _walk(libraries.plan_library(workspace, [over]), report)
    elif Path(over).name == over and not Path(over).exists():
        found = _walk(workspace.library.library(over), report)
    else:
        text = decode(read_whole(Path(over), _MOST_LIST), Path(over).name)
        found = []
        for line in filter(None, map(str.strip, text.split("\n"))):
            report.check()
            found.append(_source(line))
    by_path = {source.path: source for source in found}
    valid = sorted(path for path in by_path if _is_unicode(path))
    if len(valid) < len(by_path):
        report.notice(Message("Files whose names are no valid Unicode are left out."))
    if not valid:
        raise SpanlightError(
            Message("There is no document in {place}.", place=over), Message("Name another folder.")
        )
    return [by_path[path] for path in valid]


def _walk(library: Library, report: Report) -> list[SourceFile]:
    found = walk(library, report)
    if not found.files and found.refused:
        raise found.refusal()
    return [SourceFile(file.path, file.size, file.modified or 1) for file in found.files]


def _source(line: str) -> SourceFile:
    """The document in a line of a list; where it cannot be reached, the node that reads it gives the reason."""
    if is_address(line):
        try:
            return Storage(line).file()
        except Unreachable:
            return SourceFile(line, 0, 1)
    path = os.path.normpath(Path(line).absolute())
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return SourceFile(path, 0, 1)
    return SourceFile(path, status.st_size, status.st_mtime_ns or 1)


def _is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would take: documents, bytes, roughly how many pages, and hours of one machine like this one.

    `measured` documents were read and asked for it.
    """

    documents: int
    size: int
    pages: int
    hours: float
    measured: int


def estimate(
    workspace: Workspace,
    sources: Sequence[SourceFile],
    columns: Sequence[Column],
    report: Report,
    *,
    model: str = "",
) -> Estimate:
    """Read a sample of the documents on this computer, ask each the first questions, and extrapolate to all.

    Raises SpanlightError where the model cannot be used; Stopped when cancelled.
    """
    node = Node(workspace, model, Head.QUESTION_ANSWERING)
    sample, asked = sample_by_size(sources, _SAMPLE), columns[:_MOST_QUESTIONS]
    pages, reading, asking = 0, 0.0, 0.0
    for done, source in enumerate(sample):
        report.check()
        report.progress(Progress(done, len(sample), Message("documents measured")))
        began = time.perf_counter()
        file, opened = node.read(source)
        read = time.perf_counter()
        if opened is not None:
            node.answers(file, opened, asked)
        pages += file.pages
        reading += read - began
        asking += time.perf_counter() - read
    factor = len(sources) / max(1, len(sample))
    seconds = factor * (reading + asking * len(columns) / max(1, len(asked)))
    size = sum(source.size for source in sources)
    return Estimate(len(sources), size, round(factor * pages), seconds / 3600, len(sample))


def sample_by_size(sources: Sequence[SourceFile], most: int) -> list[SourceFile]:
    """At most `most` of the documents, at equal steps from the smallest to the largest."""
    ordered = sorted(sources, key=lambda source: source.size)
    number = min(most, len(ordered))
    return [ordered[(2 * at + 1) * len(ordered) // (2 * number)] for at in range(number)]
