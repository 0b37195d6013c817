"""An indexed library of two leases and a scan, and a table over it, with a fake engine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.answer_table import AnswerTable
from app.core.layout import Opened, PageText
from app.core.library import FileState, Library, LibraryFile
from app.core.report import Silent
from app.core.text import Document, Span
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import save_table
from app.flows.ask.question import with_view
from app.flows.workspace import Workspace
from app.library.ledger import Content
from tests.flows.fake_engine import FakeEngine, fake_workspace

# The engine finds a question's last word, so that these are answered in both, in one and in no lease.
QUESTIONS = ("Who is the landlord Anna?", "How long is 60?", "Is there a garden?")
TEXTS = {
    "first.txt": "The landlord is Anna. 🦉 The notice is 60 days.",
    "second.txt": "=The landlord is Anna.",
}


def put(
    workspace: Workspace, library: Library, name: str, text: str, gap: str = "", content: str = ""
) -> LibraryFile:
    """Have the index read a file of the library with this text, and a picture where a `gap` is told.

    `content` stands for the file's bytes, if these are not the text's.
    """
    index, path = workspace.library, f"{library.roots[0]}/{name}"
    sha256 = hashlib.sha256((content or text).encode()).hexdigest()
    present = [(file.path, file.size, file.modified) for file in index.files(library) if file.path != path]
    index.record_walk(library, [*present, (path, len(text), hash(text))])
    file = next(file for file in index.files(library) if file.path == path)
    document = with_view(Document(text, name, path))
    assert document.view is not None
    pages = [PageText(1.0, 1.0, Span(0, len(text)), label="iii")]
    if gap:
        pages.append(PageText(1.0, 1.0, Span(len(text), len(text))))
    unread = {"notes": (gap,), "pictures": (1,)} if gap else {}
    opened = Opened(document, pages=tuple(pages), sha256=sha256, **unread)  # type: ignore[arg-type]
    index.put(file, replace(opened, size=len(text), modified=hash(text)), document.view)
    read = index.file(path)
    assert read is not None and read.state is FileState.READ
    return read


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def workspace(tmp_path: Path, engine: FakeEngine) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "home", engine)
    yield workspace
    workspace.close()


@pytest.fixture
def library(workspace: Workspace, tmp_path: Path) -> Library:
    library = workspace.library.save(Library(0, "Leases", (str(tmp_path / "leases"),)))
    for name, text in TEXTS.items():
        put(workspace, library, name, text)
    scan = f"{library.roots[0]}/scan.pdf"
    files = [(file.path, file.size, file.modified) for file in workspace.library.files(library)]
    workspace.library.record_walk(library, [*files, (scan, 9, 9)])
    found = workspace.library.file(scan)
    assert found is not None
    workspace.library.fail(found, FileState.NO_TEXT, "Pictures of pages only.", Content("", 9, 9))
    return library


@pytest.fixture
def make(workspace: Workspace, library: Library) -> Callable[..., AnswerTable]:
    """Makes a table of these questions, of three if none are given."""

    def make(*questions: str, name: str = "Checks") -> AnswerTable:
        columns = columns_of(questions or QUESTIONS)
        return save_table(workspace, AnswerTable(0, name, library.number, columns), Silent())

    return make
