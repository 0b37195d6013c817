"""Libraries to test with: files in a folder, an index of them, and all that can be told of it from outside."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.core.layout import Kind, Opened
from app.core.library import FileState, Library, LibraryFile
from app.core.memory_limit import exit_out_of_memory
from app.core.report import Report, Silent
from app.core.text import Document, View
from app.documents.orders import Read
from app.documents.process import DocumentWorker, Order, Result
from app.flows.library.libraries import plan_library, save_library
from app.flows.workspace import Workspace
from app.library.index import Index
from app.library.packing import inflate, unpack_starts
from app.library.schema import MIGRATIONS

# A name of vectors that no test stores.
NONE = "none-4"


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder with these files in it, by their paths below it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def refuse(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Have the system refuse to list a folder: root may list every one, so rights would not do it."""
    real = os.scandir

    def scandir(path: str) -> object:
        if path == str(folder):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)


def linked(workspace: Workspace, *paths: Path, **how: Any) -> Library:
    """A library of these folders and files, saved and not read yet."""
    return save_library(workspace, plan_library(workspace, paths, **how), Silent())


def opened_text(text: str, path: str, kind: Kind = Kind.TEXT) -> Opened:
    """A text as it is read from a file."""
    data = text.encode("utf-8", "surrogatepass")
    return Opened(
        Document(text, Path(path).name, path),
        kind,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        modified=1,
    )


def stored(index: Index, library: Library, texts: Mapping[str, str]) -> dict[str, LibraryFile]:
    """Have the library hold just files of these texts, by their paths; returns them by their paths."""
    found = {path: opened_text(text, path) for path, text in texts.items()}
    others = index.record_walk(library, ((path, each.size, each.modified) for path, each in found.items()))
    index.leave(library, others)
    files = {file.path: file for file in index.files(library)}
    for path, each in found.items():
        if files[path].sha256 != each.sha256:
            index.put(files[path], each, View())
    index.sweep()
    return {file.path: file for file in index.files(library)}


def found_in(index: Index, library: Library, question: str) -> list[str]:
    """The names of the files in which a search finds something, the best first."""
    passages = index.passages(index.search(question, library, 100), library)
    return list(dict.fromkeys(Path(index.file_of(each.text, library).path).name for each in passages))


def everything_of(index: Index, library: Library, *questions: str) -> dict[str, Any]:
    """The ledger, the texts, the passages and what questions find: equal for equal indexes."""
    files = index.files(library)
    passages = index.without_vectors(NONE, 1_000_000)
    numbers = [passage.number for passage, _ in passages]
    assert len(set(numbers)) == len(numbers)
    return {
        "files": [replace(file, number=0, text=0) for file in files],
        "texts": [index.opened(file).document.text for file in files if file.state is FileState.READ],
        "passages": sorted(words for _, words in passages),
        "found": {
            question: sorted(
                (index.file_of(each.text, library).path, each.span)
                for each in index.passages(index.search(question, library, 1_000_000), library)
            )
            for question in questions
        },
    }


def make_older(folder: Path) -> None:
    """Have an index, which is closed, be as a Spanlight of before its fourth schema left it."""
    with closing(sqlite3.connect(folder / "index.sqlite3")) as connection, connection:
        connection.execute("DROP TABLE search")
        for table in "due", "again", "drives":
            connection.execute(f"DROP TABLE {table}")
        connection.execute(MIGRATIONS[0][-1])
        for number, deflated, starts in connection.execute(
            "SELECT text, deflated, starts FROM bodies"
        ).fetchall():
            connection.execute(
                "UPDATE bodies SET deflated = ?, starts = ? WHERE text = ?",
                (
                    zlib.compress(inflate(deflated).encode("utf-8", "surrogatepass"), 1),
                    unpack_starts(starts).tobytes(),
                    number,
                ),
            )
        connection.execute("PRAGMA user_version = 3")


def without_findings(folder: Path) -> None:
    """Have an index, which is closed, be as a Spanlight left it that did not tell what of a file was not read."""
    with closing(sqlite3.connect(folder / "index.sqlite3")) as connection, connection:
        for table in "again", "drives":
            connection.execute(f"DROP TABLE {table}")
        connection.execute("UPDATE files SET reason = '' WHERE state = 'read'")
        connection.execute("PRAGMA user_version = 4")


def vector_of(words: str) -> np.ndarray:
    """A unit vector of 32 numbers, the same for the same words."""
    found = np.random.default_rng(list(words.encode("utf-8", "replace"))).standard_normal(32)
    return (found / np.linalg.norm(found)).astype(np.float32)


def give_vectors(index: Index, vectors: str) -> None:
    """Give each passage without a vector that of its words."""
    while lacking := index.without_vectors(vectors, 64):
        index.put_vectors(
            vectors, [passage for passage, _ in lacking], np.array([vector_of(words) for _, words in lacking])
        )


def have_their_own(index: Index, library: Library, vectors: str) -> bool:
    """Whether every vector of a library's passages is that of the passage's words."""
    words_of = {passage.number: words for passage, words in index.without_vectors(NONE, 1_000_000)}
    lacking = {passage.number for passage, _ in index.without_vectors(vectors, 1_000_000)}
    own = {passage.number: words_of[passage.number] for passage in index.passages(list(words_of), library)}
    same = Counter(own.values())
    return all(
        number in lacking or number in index.nearest(vector_of(words), vectors, library, same[words])
        for number, words in own.items()
    )


DEADLY = "deadly.txt"


class _Dying(DocumentWorker):
    def __call__(self, order: Order, report: Report) -> Result:
        if isinstance(order, Read) and order.name == DEADLY:
            exit_out_of_memory()
        return super().__call__(order, report)


def start_dying() -> DocumentWorker:
    """The handler of a documents process that ends, as if out of memory, with the file `DEADLY`."""
    return _Dying()
