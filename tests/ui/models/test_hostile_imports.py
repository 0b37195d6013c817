"""Hostile checkpoints dropped on the window: each is refused in its place, and the window goes on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.models import Head
from tests.helpers.hostile import MARKER, READ, RUN
from tests.helpers.models_page import Opened
from tests.helpers.small_models import small_checkpoint

CASES = {name: READ[name] for name in list(READ)[::20]} | {name: RUN[name] for name in list(RUN)[:2]}


@pytest.mark.long
def test_the_window_outlives_hostile_checkpoints(
    open_models_page: Callable[[], Opened], tmp_path: Path
) -> None:
    assert len(CASES) >= 5
    whole = small_checkpoint(tmp_path / "whole" / "reader", head=Head.QUESTION_ANSWERING)
    opened = open_models_page()
    section = opened.offered()
    before = {path.name for path in opened.workspace.paths.models.glob("*")}
    for number, (name, (edit, _)) in enumerate(CASES.items()):
        folder = shutil.copytree(whole, tmp_path / f"case-{number:02}" / "reader")
        edit(folder)
        section.imports.take([folder])
        opened.qtbot.waitUntil(lambda: not section.imports.running, timeout=60_000)
        assert section.imports.notice.isVisible(), name
        said = section.imports.notice.sentence()
        assert said.endswith(".") and "\n" not in said, name
        assert not (folder.parent / MARKER).exists(), name
        assert {path.name for path in opened.workspace.paths.models.glob("*")} == before, name
    section.imports.take([whole])
    opened.qtbot.waitUntil(lambda: not section.imports.running, timeout=60_000)
    opened.settle()
    assert opened.installed().details.title() == "reader"
