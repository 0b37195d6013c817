"""Passages are embedded while the window is idle, and never in anybody's way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.library import Library
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, TextsToEmbed
from app.flows.library.embed import vectors_name
from app.ui.window import idle
from app.ui.window.window import MainWindow
from tests.helpers.libraries import stored
from tests.helpers.resting import READER, HeldEngine
from tests.helpers.windows import settle

AFTER = 100  # milliseconds; more than it waits here


class EmbeddingEngine(HeldEngine):
    """Embeds once a test lets it continue, and records how that ended."""

    def __init__(self, *cards: ModelCard) -> None:
        super().__init__(READER, *cards)

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> object:
        if not isinstance(request, TextsToEmbed):
            return super().run(request, choice, report)
        self.hold(report)
        return np.ones((len(request.texts), 4), dtype=np.float32) / 2


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddingEngine:
    monkeypatch.setattr(idle, "_EMBED_AFTER_MS", 20)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.safetensors").write_bytes(b"weights")
    return EmbeddingEngine(ModelCard("encoder", str(tmp_path / "m"), "bert", (Head.EMBEDDINGS,), width=4))


@pytest.fixture(autouse=True)
def listed(window: MainWindow, qtbot: QtBot) -> None:
    """The libraries are listed and updated before there is one, since its files are on no disk."""
    with qtbot.waitSignal(window.libraries.listed):
        window.libraries.refresh()


def fill(window: MainWindow, number: int) -> None:
    """Put this many files into a library, and list it."""
    index = window.workspace.library
    found = index.libraries()
    library = found[0] if found else index.save(Library(0, "Papers"))
    stored(index, library, {f"/d/{at}.txt": f"This is text number {at}." for at in range(number)})
    window.libraries.refresh()


def embedded(window: MainWindow) -> tuple[int, int]:
    ((_, status),) = window.libraries.all
    return status.embedded, status.passages


def test_passages_get_vectors_and_new_ones_after_them(
    window: MainWindow, engine: EmbeddingEngine, qtbot: QtBot
) -> None:
    engine.go_on.set()
    fill(window, 3)
    qtbot.waitUntil(lambda: bool(window.libraries.all) and embedded(window) == (3, 3))
    said = len(engine.said)
    window.lanes.work.start(lambda report: None)
    qtbot.wait(AFTER)
    assert len(engine.said) == said, "nothing is left to do"
    fill(window, 5)
    qtbot.waitUntil(lambda: embedded(window) == (5, 5))
    assert window.status.state() == "Reader ready, on CPU"


def test_a_fault_is_not_told_and_not_met_again_before_something_changes(
    window: MainWindow, engine: EmbeddingEngine, qtbot: QtBot
) -> None:
    engine.fault = SpanlightError("The model is broken.", "Fetch it again.")
    fill(window, 3)
    qtbot.waitUntil(lambda: "begins" in engine.said and window.lanes.work.idle)
    assert engine.said.count("begins") == 1
    window.lanes.work.start(lambda report: None)
    qtbot.wait(AFTER)
    assert engine.said.count("begins") == 1
    assert not window.notice.isVisible()
    engine.fault = None
    engine.go_on.set()
    fill(window, 4)
    qtbot.waitUntil(lambda: embedded(window) == (4, 4))


@pytest.mark.parametrize("before", ["running", "failed", "done"])
def test_another_model_that_is_chosen_begins_at_once(
    window: MainWindow, engine: EmbeddingEngine, qtbot: QtBot, tmp_path: Path, before: str
) -> None:
    if before == "failed":
        engine.fault = SpanlightError("The model is broken.", "Fetch it again.")
    elif before == "done":
        engine.go_on.set()
    fill(window, 3)
    qtbot.waitUntil(lambda: "begins" in engine.said and (before == "running" or window.lanes.work.idle))
    if before == "done":
        qtbot.waitUntil(lambda: embedded(window) == (3, 3))
    engine.fault = None
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model.safetensors").write_bytes(b"other weights")
    workspace = window.workspace
    other = ModelCard("other", str(tmp_path / "other"), "bert", (Head.EMBEDDINGS,), width=4)
    workspace.shelf.models += (other,)  # type: ignore[attr-defined]
    workspace.settings.models[Head.EMBEDDINGS] = other.folder
    window.show_page("settings")
    window.page.changed.emit(Head.EMBEDDINGS.value)
    if before == "running":
        qtbot.waitUntil(lambda: "stopped" in engine.said)
    engine.go_on.set()
    qtbot.waitUntil(lambda: workspace.library.count_vectors(vectors_name(other)) == (3, 3))


def test_without_passages_or_a_model_nothing_is_done(
    window: MainWindow, engine: EmbeddingEngine, open_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    qtbot.wait(AFTER)
    assert "begins" not in engine.said
    window.workspace.shelf.models = (READER,)  # type: ignore[attr-defined]
    fill(window, 3)
    qtbot.waitUntil(lambda: bool(window.libraries.all))
    settle(window, qtbot)
    qtbot.wait(AFTER)
    assert embedded(window) == (0, 3) and not window.notice.isVisible()
