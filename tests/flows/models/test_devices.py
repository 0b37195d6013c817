"""Devices and memory: the model process is started only where it is needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.models import Head
from app.core.report import Silent
from app.flows.ask.question import load_reader
from app.flows.models.devices import devices, memory, unload
from app.flows.workspace import Workspace, open_workspace
from app.settings.paths import default_paths


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = open_workspace(default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")}))
    yield workspace
    workspace.close()


@pytest.mark.parametrize("flow", [memory, unload])
def test_memory_is_told_and_given_back_without_starting_anything(workspace: Workspace, flow: type) -> None:
    use = flow(workspace, Silent())
    assert not workspace.engine.alive
    assert (use.held, use.process, use.gpu) == ((), 0, 0)
    assert 0 < use.free < use.computer


def test_a_starter_is_held_in_the_memory_and_leaves_it(workspace: Workspace) -> None:
    found = devices(workspace, Silent())
    assert found.options[0].key == "cpu"
    before = memory(workspace, Silent())
    assert before.held == ()
    assert before.process > 50 * 2**20, "PyTorch itself"
    pid = workspace.engine.pid
    load_reader(workspace, Silent(), device="cpu")
    loaded = memory(workspace, Silent())
    (held,) = loaded.held
    assert (held.name, held.head, held.device) == ("reader-careful", Head.QUESTION_ANSWERING, "cpu")
    assert held.size > 200 * 2**20
    left = unload(workspace, Silent())
    assert (left.held, workspace.engine.pid) == ((), pid)
    if sys.platform == "linux":
        assert loaded.process - left.process > 0.5 * held.size
    assert load_reader(workspace, Silent(), device="cpu").card.name == "reader-careful"
