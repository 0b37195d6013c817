"""Storage at addresses: files with any name can be opened as they are listed, and a row group is read once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.core.library import FileState
from app.core.models import Head
from app.core.report import Silent, Stopped
from app.flows.cluster.node import Node
from app.flows.cluster.rows import SourceFile
from app.flows.cluster.store import Storage, Unreachable
from tests.flows.fake_engine import FakeEngine, fake_workspace

pytest.importorskip("pyarrow")
NAMES = ["a b.txt", "c#1.txt", "100%20.txt", "what?.txt", "[x].txt", "für.txt"]


@pytest.mark.parametrize("folder", ["plain", "two words", "50%", "ü#[1]"])
@pytest.mark.parametrize("ending", ["", "/"])
def test_files_are_opened_by_the_addresses_that_they_are_listed_by(
    tmp_path: Path, folder: str, ending: str
) -> None:
    place = tmp_path / folder / "below"
    place.mkdir(parents=True)
    for name in (*NAMES, ".hidden.txt"):
        (place / name).write_text(name)
    address = f"file://{tmp_path}/{folder.replace('%', '%25')}{ending}"
    found = [item.path for item in Storage(address).documents()]
    assert sorted(Storage(path).open().read().decode() for path in found) == sorted(NAMES)
    assert {Storage(path).file().size for path in found} == {len(name.encode()) for name in NAMES}


def test_a_node_reads_any_name_and_takes_its_kind_from_it(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a?b c.txt").write_text("The landlord is Anna.")
    workspace = fake_workspace(tmp_path / "home", FakeEngine())
    here = Node(workspace, "reader", Head.QUESTION_ANSWERING)
    (item,) = Storage(f"file://{folder}").documents()
    assert here.row(item, (), "x").file.state is FileState.READ
    row = here.row(SourceFile("nosuch://x/a b.txt", 0, 1), (), "x")
    assert row.file.state is FileState.FAILED and "cannot be reached" in row.file.reason
    workspace.close()


def test_a_query_stays_behind_the_name(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_text("x")
    storage = Storage(f"file://{tmp_path}")
    storage.place += "?region=x"
    assert [item.path for item in storage.documents()] == [f"file://{tmp_path}/a b.txt?region=x"]


def test_a_missing_folder_is_empty_and_an_address_of_no_kind_unreachable() -> None:
    assert Storage("file:///no/such").names() == []
    with pytest.raises(Unreachable, match="nosuch://x” cannot be reached"):
        Storage("nosuch://x")


def test_where_storage_tells_no_time_it_is_not_that_of_a_file_to_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    os.utime(tmp_path / "a.txt", ns=(0, 0))
    (listed,) = Storage(f"file://{tmp_path}").documents()
    assert listed.modified == Storage(listed.path).file().modified == 1


class Stop(Silent):
    def check(self) -> None:
        raise Stopped


def test_reading_the_rows_of_earlier_runs_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "1.parquet").write_bytes(b"PAR1")
    storage = Storage(str(tmp_path))
    for read in (storage.shards, storage.summaries):
        with pytest.raises(Stopped):
            list(read(Stop()))


def test_a_row_group_is_read_once_for_all_its_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow
    from pyarrow import parquet

    path, read = tmp_path / "texts.parquet", []
    parquet.write_table(pyarrow.table({"n": list(range(100))}), path, row_group_size=60)
    opened = Storage.open
    monkeypatch.setattr(Storage, "open", lambda self, name="": read.append(name) or opened(self, name))
    storage = Storage(str(path))
    slices = [storage.read_slice(group, first, 20) for group in (0, 1) for first in (0, 20)]
    assert [each.column("n").to_pylist()[0] for each in slices] == [0, 20, 60, 80] and len(read) == 2
    parquet.write_table(pyarrow.table({"n": list(range(5, 105))}), path, row_group_size=60)
    os.utime(path, ns=(1, 1))
    assert storage.read_slice(1, 0, 1).column("n").to_pylist() == [65]
