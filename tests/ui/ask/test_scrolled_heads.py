"""Headings of the panel beside the page, in windows of every height."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.settings.paths import default_paths
from app.ui.ask.answer_panel import AnswerPanel, TryButton
from app.ui.kit.theme import Theme


@pytest.fixture
def panel(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> AnswerPanel:
    theme = Theme(default_paths().resources)
    theme.choose("light")
    panel = AnswerPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(360, 700)
    panel.show()
    return panel


def also_try(panel: AnswerPanel) -> QLabel:
    return next(label for label in panel.findChildren(QLabel) if label.text() == "Also try")


def test_a_heading_stands_where_something_is_seen_under_it(panel: AnswerPanel, qtbot: QtBot) -> None:
    panel.suggest(["When is it?", "Where is it?"])
    head, button = also_try(panel), panel.findChildren(TryButton)[0]
    seen: set[bool] = set()
    for height in range(700, 120, -8):
        panel.resize(360, height)
        qtbot.wait(1)
        line = button.visibleRegion().boundingRect().height() >= button.fontMetrics().height()
        assert head.isVisible() == line, height
        seen.add(line)
    assert seen == {True, False}
    bar = panel._scroll.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert head.isVisible() and button.visibleRegion().boundingRect().height() == button.height()


def test_a_heading_without_anything_takes_up_no_room(panel: AnswerPanel, qtbot: QtBot) -> None:
    panel.suggest(["When is it?"])
    qtbot.wait(1)
    inner = panel._scroll.widget()
    tall = inner.minimumSizeHint().height()
    panel.suggest([])
    qtbot.wait(1)
    assert not also_try(panel).isVisible()
    assert inner.minimumSizeHint().height() < tall - also_try(panel).height()
