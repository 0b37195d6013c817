"""The page Settings: choices take effect at once and are saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.core.offers import Source
from app.settings import settings as settings_file
from app.ui.kit.jobs import Lanes
from app.ui.kit.parts import ElidedLabel
from app.ui.kit.theme import Theme
from app.ui.settings.settings import SettingsView
from tests.helpers.windows import FakeEngine, open_fake_workspace

QA = Head.QUESTION_ANSWERING
CARDS = (
    ModelCard("small-reader", "/m/small", "bert", (QA,), parameters=22_000_000, size=45_000_000),
    ModelCard("large-reader", "/m/large", "bert", (QA,), parameters=110_000_000, size=220_000_000),
    ModelCard("taught", "/m/taught", "bert", (Head.MASKED_WORDS, Head.NEXT_SENTENCE)),
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
    qtbot.waitUntil(lambda: view.models[QA].count() > 0)
    yield view
    theme.choose("light")
    lanes.close()


def saved(view: SettingsView) -> settings_file.Settings:
    return settings_file.load(view.workspace.paths.settings_file)


def test_choices_take_effect_at_once_and_are_saved(view: SettingsView, qtbot: QtBot) -> None:
    before = QApplication.font().pixelSize()
    view.text_size.setCurrentIndex(view.text_size.findData(150))
    view.text_size.activated.emit(view.text_size.currentIndex())
    assert QApplication.font().pixelSize() > before * 1.3 and saved(view).text_size == 150
    qtbot.mouseClick(view.look._buttons["dark"], Qt.MouseButton.LeftButton)
    assert QApplication.palette().window().color() == view.theme.colour("desk")
    assert view.theme.name == saved(view).theme == "dark"
    for reading in ("every", "quick", "usual"):
        qtbot.mouseClick(view.reading._buttons[reading], Qt.MouseButton.LeftButton)
        assert saved(view).ask_reading == reading
        view.settings_changed()
        assert view.reading._buttons[reading].isChecked()
    view.top_k.setValue(9)
    assert saved(view).ask_top_k == 9
    folders = [label.full_text() for label in view.findChildren(ElidedLabel)]
    assert str(view.workspace.paths.data) in folders


def test_each_head_offers_its_models(view: SettingsView) -> None:
    offered = {
        head: [choice.itemData(at) for at in range(choice.count())] for head, choice in view.models.items()
    }
    assert offered[QA] == ["small-reader", "large-reader"] and offered[Head.CLASSIFICATION] == ["moods"]
    assert offered[Head.MASKED_WORDS] == offered[Head.NEXT_SENTENCE] == ["taught"]
    assert offered.keys() == set(Head)
    assert view.models[QA].itemText(0) == "small-reader, 45 MB"
    assert "22 million" in view.models[QA].itemData(0, Qt.ItemDataRole.ToolTipRole)
    assert view.models[Head.TOKEN_CLASSIFICATION].currentText() == "None is installed"
    assert not view.models[Head.TOKEN_CLASSIFICATION].isEnabled()
    view.models[Head.NEXT_SENTENCE].activated.emit(0)
    assert saved(view).models == {"next-sentence": "taught"}


def test_the_model_in_use_is_shown_even_if_it_is_not_installed(view: SettingsView, qtbot: QtBot) -> None:
    starter = ModelCard("starter", "/m/starter", "bert", (QA,), source=Source.STARTER)
    view.workspace.shelf.models = (*CARDS, starter)  # type: ignore[attr-defined]
    view.workspace.shelf.default = lambda head: starter if head is QA else CARDS[2]  # type: ignore[method-assign]
    for chosen, shown in (
        ("", "starter"),
        ("large-reader", "large-reader, 220 MB"),
        ("vanished", "vanished (not installed)"),
    ):
        view.workspace.settings.models[QA] = chosen
        view.settings_changed()
        qtbot.waitUntil(lambda shown=shown: view.models[QA].currentText().startswith(shown))


def test_a_chosen_model_is_saved_and_announced(view: SettingsView, qtbot: QtBot) -> None:
    told: list[str] = []
    view.changed.connect(told.append)
    view.models[QA].setFocus()
    qtbot.keyClick(view.models[QA], Qt.Key.Key_Down)
    view.models[QA].activated.emit(view.models[QA].currentIndex())
    assert saved(view).models == {"question-answering": "large-reader"}
    assert told[-1] == Head.QUESTION_ANSWERING
    view.shown()
    qtbot.waitUntil(lambda: not view._models_job.running)  # type: ignore[union-attr]
    assert view.models[QA].currentData() == "large-reader"


def test_the_device_is_shown_with_a_link(view: SettingsView, qtbot: QtBot) -> None:
    for device, precision, words in (
        ("auto", "auto", "Automatic: a GPU if there is one"),
        ("cpu", "bfloat16", "CPU, in 16 bits (bfloat16)"),
        ("cuda:0", "auto", "GPU"),
        ("cuda:1", "float32", "GPU number 1, in 32 bits"),
        ("tpu", "auto", "tpu"),
    ):
        view.workspace.settings.device, view.workspace.settings.precision = device, precision
        view.settings_changed()
        assert view.device.words() == words
    with qtbot.waitSignal(view.go) as asked:
        qtbot.keyClick(view.device.link, Qt.Key.Key_Space)
    assert asked.args == ["models", ("computer",)]
    qtbot.waitUntil(lambda: view.lanes.files.idle)


def test_the_network_is_shown_with_a_link_and_a_disk_that_refuses_is_reported(
    view: SettingsView, qtbot: QtBot
) -> None:
    assert view.network.words().startswith("Only when asked")
    view.workspace.settings.offline = True
    view.settings_changed()
    assert view.network.words() == "Offline"
    with qtbot.waitSignal(view.go) as asked:
        qtbot.mouseClick(view.network.link, Qt.MouseButton.LeftButton)
    assert asked.args == ["models", ("network",)]
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    config = view.workspace.paths.config
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("a file where the folder should be", encoding="utf-8")
    view.top_k.setValue(7)
    assert view.notice.isVisible() and view.notice.sentence()


def test_a_folder_that_cannot_be_shown_is_reported_in_view(
    view: SettingsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    view.resize(700, 320)
    view._column.ensureWidgetVisible(view._open)
    view._open.click()
    line = view.folder_notice
    assert line.sentence() == "No program opened the folder."
    qtbot.waitUntil(lambda: line.visibleRegion().boundingRect() == line.rect())
    assert not view._open.visibleRegion().isEmpty(), "beside what was pressed"
