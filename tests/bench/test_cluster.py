from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from app.bench.cluster import _documents, _memory, _Pace
from app.bench.command import ALL, _parts
from app.core.report import Progress, Silent
from app.flows.workspace import open_workspace
from app.settings.paths import Paths, default_paths
from tests.helpers.terminal import Command


def test_a_rate_leaves_the_start_out(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter((100.0, 106.0, 112.0))
    monkeypatch.setattr("app.bench.cluster.time.perf_counter", lambda: next(moments))
    pace = _Pace(Silent())
    for done in (0, 4, 8, 12):
        pace.progress(Progress(done, 12, "documents"))
    assert pace.rate == 40.0  # the first four were done when counting began


def test_documents_are_real_texts_each_another(tmp_path: Path) -> None:
    workspace = open_workspace(Paths(*(tmp_path / name for name in "cdl"), default_paths().resources))
    items = _documents(workspace, tmp_path / "documents", 5, Silent())
    workspace.close()
    texts = {Path(item.path).read_text("utf-8") for item in items}
    assert len(texts) == 5 and all(len(text) > 2000 for text in texts)


def test_memory_is_that_of_paths_and_hashes() -> None:
    assert 200e6 < _memory() < 2e9


@pytest.mark.parametrize("there", [True, False])
def test_a_cluster_is_measured_with_all_where_ray_is(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.bench.command.find_spec", lambda name: there or None)
    assert ("cluster" in _parts(Namespace(what=ALL, bundle=""))) is there


def test_without_ray_it_says_what_to_install(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.flows.cluster.run.find_spec", lambda name: None)
    code, _, err = command("bench", "cluster")
    assert code == 2 and "needs Ray" in err
