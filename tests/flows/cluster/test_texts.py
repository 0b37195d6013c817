"""Classifying texts on a cluster: which files may be in the output folder already."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.cluster.run import RunResult
from app.flows.cluster.texts import Slice, TextSet, classify_texts_on_cluster
from tests.flows.fake_engine import FakeEngine, fake_workspace

TEXTS = TextSet(
    (Slice("/a.parquet", 0, 0, 2, "1-new.parquet"), Slice("/a.parquet", 1, 0, 3, "2-new.parquet")),
    "text",
    ("text", "label"),
    1,
    frozenset(),
)


def storage_with(*names: str) -> Callable[[str], object]:
    """A class of folders that contain files of these names."""

    class Folder:
        def __init__(self, place: str) -> None:
            self.place = place

        def sweep(self) -> None:
            pass

        def names(self) -> list[str]:
            return list(names)

    return Folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunResult]:
    def run(place: str, *names: str) -> RunResult:
        monkeypatch.setattr("app.flows.cluster.texts.Storage", storage_with(*names))
        monkeypatch.setattr("app.flows.cluster.texts.node_setup", lambda *given: None)
        monkeypatch.setattr("app.flows.cluster.texts.run_tasks", lambda *given: RunResult(0, 0, 0, 0.1))
        workspace = fake_workspace(tmp_path, FakeEngine())
        try:
            return classify_texts_on_cluster(workspace, TEXTS, place, "local", Silent())
        finally:
            workspace.close()

    return run


def test_what_is_there_of_the_same_texts_counts(run: Callable[..., RunResult]) -> None:
    assert run("/out", "2-new.parquet").before == 3


def test_a_folder_with_rows_of_other_texts_is_refused(run: Callable[..., RunResult]) -> None:
    with pytest.raises(SpanlightError, match="“/out” holds other Parquet files"):
        run("/out", "1-old.parquet", "2-new.parquet")
    # What is brought together in a file is chosen by its names.
    assert run("/out.csv.rows", "1-old.parquet", "2-new.parquet").before == 3
