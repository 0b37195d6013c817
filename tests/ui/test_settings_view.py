"""The settings page: what is chosen holds at once and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.settings import settings as settings_file
from app.ui.jobs import Lanes
from app.ui.theme import Theme
from app.ui.views.settings import SettingsView
from app.ui.widgets.status_line import ElidedLabel
from tests.helpers.windows import FakeEngine, open_fake_workspace

QA = (Head.QUESTION_ANSWERING,)
CARDS = (
    ModelCard("small-reader", "/m/small", "bert", QA, parameters=22_000_000, size=45_000_000),
    ModelCard("large-reader", "/m/large", "bert", QA, parameters=110_000_000, size=220_000_000),
    ModelCard("moods", "/m/moods", "bert", (Head.CLASSIFICATION,), labels=("a", "b")),
)


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> Iterator[SettingsView]:
    workspace = open_fake_workspace(FakeEngine(lambda *_: None, *CARDS))
    lanes = Lanes()
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    view = SettingsView(workspace, theme, lanes)
    qtbot.addWidget(view)
    view.show()
    view.shown()
    qtbot.waitUntil(lambda: view.reader.count() > 0)
    yield view
    theme.choose("light")
    lanes.close()


def saved(view: SettingsView) -> settings_file.Settings:
    return settings_file.load(view.workspace.paths.settings_file)


def test_the_look_changes_at_once_and_is_saved(view: SettingsView, qtbot: QtBot) -> None:
    qtbot.mouseClick(view.look._buttons["dark"], Qt.MouseButton.LeftButton)
    assert view.theme.name == "dark"
    assert QApplication.palette().window().color() == view.theme.colour("desk")
    assert saved(view).theme == "dark"


def test_the_text_grows_at_once_and_the_size_is_saved(view: SettingsView) -> None:
    before = view.look.font().pixelSize() or QApplication.font().pixelSize()
    view.text_size.setCurrentIndex(view.text_size.findData(150))
    view.text_size.activated.emit(view.text_size.currentIndex())
    assert QApplication.font().pixelSize() > before * 1.3
    assert saved(view).text_size == 150


def test_models_are_offered_by_head(view: SettingsView) -> None:
    assert [view.reader.itemData(at) for at in range(view.reader.count())] == ["small-reader", "large-reader"]
    assert [view.classifier.itemData(at) for at in range(view.classifier.count())] == ["moods"]
    assert view.reader.itemText(0) == "small-reader, 45 MB"
    assert "22 million" in view.reader.itemData(0, Qt.ItemDataRole.ToolTipRole)


def test_a_chosen_model_is_saved_and_told(view: SettingsView, qtbot: QtBot) -> None:
    told: list[str] = []
    view.changed.connect(told.append)
    view.reader.setFocus()
    qtbot.keyClick(view.reader, Qt.Key.Key_Down)
    view.reader.activated.emit(view.reader.currentIndex())
    assert saved(view).reader_model == "large-reader"
    assert told[-1] == "reader_model"
    view.shown()
    qtbot.waitUntil(lambda: not view._models_job.running)  # type: ignore[union-attr]
    assert view.reader.currentData() == "large-reader"


def test_a_chosen_model_that_is_gone_is_said(view: SettingsView, qtbot: QtBot) -> None:
    view.workspace.settings.reader_model = "vanished"
    view.shown()
    qtbot.waitUntil(lambda: "vanished" in view.reader.currentText())
    assert "not installed" in view.reader.currentText()


def test_device_and_number_of_answers_are_saved(view: SettingsView, qtbot: QtBot) -> None:
    view.device.setCurrentIndex(view.device.findData("cpu"))
    view.device.activated.emit(view.device.currentIndex())
    view.top_k.setValue(9)
    assert (saved(view).device, saved(view).ask_top_k) == ("cpu", 9)


def test_a_disk_that_refuses_is_said_on_the_page(view: SettingsView, qtbot: QtBot) -> None:
    config = view.workspace.paths.config
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("a file where the folder should be", encoding="utf-8")
    view.top_k.setValue(7)
    assert view.notice.isVisible()
    assert view.notice.sentence()


def test_where_things_are_kept_is_shown(view: SettingsView) -> None:
    assert any(label.whole() == str(view.workspace.paths.data) for label in view.findChildren(ElidedLabel))
