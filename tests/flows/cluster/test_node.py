"""A node answers documents as one machine does, and writes a row with the reason for each that it cannot read."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.answer_table import AnswerTable, CellState
from app.core.errors import EngineLost, NotStarted, SpanlightError
from app.core.library import FileState, Library
from app.core.locks import Lock
from app.core.models import Head
from app.core.report import Silent
from app.engine.child import ChildBug
from app.flows.answer_table.export import export_documents, export_table
from app.flows.answer_table.fill import fill
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import save_table
from app.flows.cluster.node import Node, NodeSetup, model_files, node_setup, open_node
from app.flows.cluster.rows import SourceFile, number_columns
from app.flows.cluster.store import Unreachable
from app.flows.library.update import update
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.small_models import small_checkpoint
from tests.helpers.small_pdfs import Page, Words, small_pdf

QUIET = Silent()
COLUMNS = number_columns(columns_of(["Who wrote it, Thorburn?", "Is there a garden?"]))
DOCUMENTS = Path(__file__).resolve().parents[3] / "resources" / "check"


@pytest.fixture
def lease(tmp_path: Path) -> Path:
    """A document to ask."""
    path = tmp_path / "a.txt"
    path.write_text("The landlord is Thorburn.")
    return path


def source(path: Path, **more: Any) -> SourceFile:
    status = path.stat()
    return SourceFile(str(path), status.st_size, status.st_mtime_ns, **more)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def workspace(tmp_path: Path, engine: FakeEngine) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "home", engine)
    yield workspace
    workspace.close()


@pytest.fixture
def here(workspace: Workspace) -> Node:
    return Node(workspace, "reader", Head.QUESTION_ANSWERING)


def without_times(data: bytes) -> bytes:
    """An export without the times of reading."""
    return re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"", data)


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_a_nodes_rows_give_the_file_of_one_machine_byte_for_byte(
    workspace: Workspace, here: Node, tmp_path: Path, ending: str
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for path in DOCUMENTS.iterdir():
        if path.suffix != ".png":  # of a folder pictures are left out
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "empty.txt").write_text("  ")
    (folder / "broken.docx").write_bytes(b"PK\3\4 nothing")
    cut = small_pdf([Page([Words("The landlord is Thorburn.")])]).partition(b"xref")[0]
    (folder / "cut.pdf").write_bytes(cut)
    library = workspace.library.save(Library(0, "Documents", (str(folder),)))
    update(workspace, library, QUIET)
    table = save_table(workspace, AnswerTable(0, "Checks", library.number, COLUMNS), QUIET)
    fill(workspace, table, QUIET)
    export_table(workspace, table, tmp_path / f"one{ending}", QUIET)
    rows = [here.row(source(path), COLUMNS, "x") for path in sorted(folder.iterdir())]
    documents = [(row.file, {cell.column: cell for cell in row.cells}) for row in rows]
    export_documents(COLUMNS, documents, tmp_path / f"many{ending}", QUIET)
    one = without_times((tmp_path / f"one{ending}").read_bytes())
    assert one == without_times((tmp_path / f"many{ending}").read_bytes())
    assert b"This PDF is damaged" in one and b"no answer in the part that was read" in one
    assert b"Thorburn" in one and {row.file.state for row in rows} == {
        FileState.READ, FileState.NO_TEXT, FileState.FAILED
    }  # fmt: skip


def test_a_file_with_the_bytes_that_are_known_is_not_read(
    here: Node, engine: FakeEngine, lease: Path
) -> None:
    first = here.row(source(lease), COLUMNS, "x")
    assert len(engine.requests) == len(first.cells) == 2 and not first.same
    again = here.row(source(lease, known_sha256=first.file.sha256), COLUMNS, "x")
    assert again.same and again.key == first.key and not again.cells and len(engine.requests) == 2
    assert not here.row(source(lease, known_sha256="other"), COLUMNS, "x").same


def failing(engine: FakeEngine, fault: BaseException) -> None:
    def fail(request: object) -> None:
        raise fault

    engine.before = fail


@pytest.mark.parametrize(
    "fault",
    [EngineLost("It ended.", "Try again."), SpanlightError("No memory.", "Close programs."), ChildBug("bug")],
)
def test_a_document_that_breaks_the_reader_is_a_row_and_is_read_again(
    here: Node, engine: FakeEngine, lease: Path, fault: Exception
) -> None:
    failing(engine, fault)
    row = here.row(source(lease), COLUMNS, "x")
    assert [cell.state for cell in row.cells] == [CellState.FAILED] * 2
    assert all(cell.reason for cell in row.cells) and row.has_failed and not row.file.modified


def test_a_process_that_cannot_be_started_is_no_documents_fault(
    here: Node, engine: FakeEngine, lease: Path
) -> None:
    failing(engine, NotStarted("No process.", "Close programs."))
    with pytest.raises(NotStarted):
        here.row(source(lease), COLUMNS, "x")


def test_a_missing_document_is_a_row_that_is_tried_again(here: Node, tmp_path: Path) -> None:
    row = here.row(SourceFile(str(tmp_path / "gone.txt"), 5, 7), COLUMNS, "x")
    assert (row.file.state, row.file.modified, row.file.size) == (FileState.FAILED, 0, 5)
    assert "gone.txt” could not be read: No such file" in row.file.reason


def test_a_name_that_cannot_be_and_a_place_that_cannot_be_reached_are_rows(
    here: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = here.row(SourceFile("/docs/a\0b.txt", 0, 1), COLUMNS, "x", 3)
    assert (row.file.state, row.file.modified, row.run) == (FileState.FAILED, 0, 3)
    assert row.file.reason.endswith("could not be read: its name is at fault.")

    def refuse(address: str) -> None:
        raise Unreachable(f"“{address}” cannot be reached.", "Check the address.")

    monkeypatch.setattr("app.flows.cluster.node.Storage", refuse)
    row = here.row(SourceFile("nosuch://x/a.txt", 0, 1), COLUMNS, "x")
    assert (row.file.state, row.file.modified) == (FileState.FAILED, 0)
    assert row.file.reason.startswith("“nosuch://x/a.txt” cannot be reached.")


@pytest.mark.parametrize(
    ("name", "state", "opened"),
    [("a.txt", FileState.READ, 1), ("a.docx", FileState.FAILED, 1), ("known.txt", FileState.READ, 2)],
)
def test_a_document_at_an_address_is_fetched_once_unless_it_may_be_known(
    here: Node, monkeypatch: pytest.MonkeyPatch, name: str, state: FileState, opened: int
) -> None:
    fetched = []

    class Address:
        def __init__(self, address: str) -> None:
            fetched.append(address)

        def open(self) -> io.BytesIO:
            return io.BytesIO(b"PK\3\4 nothing" if name.endswith(".docx") else b"The landlord is Thorburn.")

    monkeypatch.setattr("app.flows.cluster.node.Storage", Address)
    known = "other" if name == "known.txt" else ""
    row = here.row(SourceFile(f"s3://bucket/{name}", 25, 7, known), COLUMNS, "x")
    assert (row.file.state, row.file.modified, len(fetched)) == (state, 7, opened)


@pytest.mark.skipif(os.name == "nt", reason="needs permissions")
def test_a_document_of_the_reader_that_crashes_is_a_row(
    here: Node, workspace: Workspace, lease: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise SpanlightError(
            "“a.txt” could not be read: it makes the reader break off.", "It may be damaged."
        )

    monkeypatch.setattr(type(workspace.documents), "read", crash)
    row = here.row(source(lease), COLUMNS, "x")
    assert (row.file.state, row.cells) == (FileState.FAILED, ()) and "break off" in row.file.reason
    assert row.file.modified == lease.stat().st_mtime_ns  # nothing but another file changes that


def test_texts_get_the_values_of_their_classes(workspace: Workspace) -> None:
    here = Node(workspace, "classifier", Head.CLASSIFICATION)
    good, blank = here.classes(["This is good.", "  "])
    assert good[0] == "positive" and re.fullmatch(r"0\.\d{6}", good[1])
    assert blank == ["", "", "", ""]


# A node of its own


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "tiny", "bert", Head.QUESTION_ANSWERING)


def setup(folder: Path, model: Path) -> NodeSetup:
    return NodeSetup(Head.QUESTION_ANSWERING, "tiny", str(folder), fingerprint(model), "cpu", "auto")


def test_a_node_without_the_model_takes_the_files_that_were_shipped(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.cluster.node.Workspace", Engineless)
    with open_node(setup(tmp_path / "nowhere", model), lambda: model_files(str(model))) as here:
        folder = Path(here.model)
        assert folder.name == "tiny" and fingerprint(folder) == fingerprint(model)
        assert folder != model
    assert not folder.exists()
    with open_node(setup(model, model), dict) as here:
        assert Path(here.model) == model


def test_a_node_deletes_what_killed_ones_left(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.cluster.node.Workspace", Engineless)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, used = (tmp_path / f"spanlight-node-{name}" for name in ("999999999999999999999", "y"))
    for folder in (left, used):
        folder.mkdir()
        (folder / "recognised.sqlite3").write_text("words")
    lock = Lock(tmp_path / "spanlight-node-y.lock")  # as a node in another container holds it
    assert lock.take()
    with open_node(setup(model, model), dict):
        assert not left.exists() and used.exists()
        (own,) = (path for path in tmp_path.iterdir() if path.is_dir() and path != used)
        if os.name == "posix":
            assert own.stat().st_mode & 0o077 == 0
        with open_node(setup(model, model), dict):
            assert own.exists()
    lock.release()
    assert list(tmp_path.iterdir()) == [used]


class Engineless(Workspace):
    """A workspace whose engine loads nothing."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given, engine=FakeEngine())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("device", "precision", "shipped_as"),
    [
        ("", "auto", ("cpu", "float32")),
        ("cpu", "bfloat16", ("cpu", "bfloat16")),
        ("cuda", "auto", ("cuda", "auto")),
    ],
)
def test_all_nodes_compute_alike(
    workspace: Workspace, model: Path, device: str, precision: str, shipped_as: tuple[str, str]
) -> None:
    workspace.settings.precision = precision
    card = replace(workspace.find_model(Head.QUESTION_ANSWERING, "reader"), folder=str(model))
    made = node_setup(workspace, card, Head.QUESTION_ANSWERING, device)
    assert (made.device, made.precision) == shipped_as


def test_other_files_than_those_of_the_model_are_refused(model: Path, tmp_path: Path) -> None:
    files = model_files(str(model))
    files["config.json"] = json.dumps({"model_type": "bert"}).encode()
    with pytest.raises(SpanlightError, match="changed when they were shipped"):
        with open_node(setup(tmp_path / "nowhere", model), lambda: files):
            pass


def test_a_node_with_another_spanlight_says_so(model: Path) -> None:
    with pytest.raises(SpanlightError, match=r"A node has Spanlight .*, this computer 0\.0\.1"):
        with open_node(replace(setup(model, model), version="0.0.1"), dict):
            pass
