"""A workspace whose engine is a plain object, and windows over one; what a window of another process has open."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head, LoadedModel, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice
from app.core.text import Document
from app.flows.workspace import Workspace
from app.settings import settings as settings_file
from app.settings.paths import default_paths
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from app.ui.window.window import MainWindow
from tests.helpers.documents_here import documents_here

Answer = Callable[[Any, ModelChoice | None, Report], Any]


class FakeEngine:
    """Answers requests by a function in the worker's thread, and remembers what it was asked."""

    def __init__(self, answer: Answer, *cards: ModelCard) -> None:
        self.answer = answer
        self.cards = cards
        self.requests: list[object] = []
        self.loads: list[ModelChoice] = []
        self.prepared: list[Document] = []
        self.alive = True
        self.closed = False

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        self.requests.append(request)
        return self.answer(request, choice, report)

    def load(self, choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        self.loads.append(choice)
        card = next(card for card in self.cards if card.folder == choice.folder)
        return LoadedModel(card, DeviceChoice("cpu", "float32", "it is a test"))

    def prepare(self, documents: Sequence[Document], choice: ModelChoice, report: Report) -> None:
        self.prepared += documents

    def close(self) -> None:
        self.closed = True


class FakeShelf:
    """Installed models without a disk."""

    def __init__(self, *models: ModelCard) -> None:
        self.models = models
        self.refused: dict[str, SpanlightError] = {}

    def cards(self) -> tuple[ModelCard, ...]:
        return self.models

    def find(self, name: str, head: Head) -> ModelCard:
        for card in self.models:
            if head in card.heads and name in ("", card.name, card.folder):
                return card
        raise SpanlightError(f"There is no model {name} here.", "Install one.")

    def default(self, head: Head) -> ModelCard:
        return self.find("", head)


def until_stopped(request: object, choice: ModelChoice | None, report: Report) -> None:
    """Answer nothing before a stop."""
    while True:
        report.check()
        time.sleep(0.002)


def open_fake_workspace(engine: FakeEngine, *, first: bool = False) -> Workspace:
    """A workspace below the test's own home with this engine and its cards; `first` for a very first start."""
    paths = default_paths()
    settings = settings_file.load(paths.settings_file)
    settings.welcomed = not first
    return Workspace(settings, paths, FakeShelf(*engine.cards), engine, documents_here())  # type: ignore[arg-type]


def shown_window(workspace: Workspace) -> MainWindow:
    """The window over a workspace, on the screen."""
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    window = MainWindow(workspace, theme, Lanes())
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowExposed(window)
    return window


def close_window(window: MainWindow) -> None:
    """Close a window, and have it go."""
    window.close()
    window.deleteLater()
    QApplication.processEvents()


def button(page: QWidget, name: str) -> QPushButton:
    """The first button below a page with this accessible name."""
    return next(one for one in page.findChildren(QPushButton) if one.accessibleName() == name)


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until what is read from files is there."""
    qtbot.waitUntil(lambda: window.lanes.files.idle)


def open_there(home: Path) -> list[str]:
    """The paths of the files in the tabs of the Ask page, a few seconds after they were opened."""
    try:
        kept = json.loads((home / "data" / "drafts" / "ask.txt").read_text("utf-8"))
        return [sheet["path"] for sheet in kept["sheets"] if sheet.get("path")]
    except (OSError, ValueError, KeyError):
        return []
