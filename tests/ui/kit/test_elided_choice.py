"""A choice that says as much as there is room for."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.settings.paths import default_paths
from app.ui.kit.elided_choice import ElidedChoice
from app.ui.kit.theme import Theme


def test_long_words_end_with_an_ellipsis(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> None:
    Theme(default_paths().resources).choose("light")
    choice = ElidedChoice()
    choice.addItem("A model with a rather long name")
    qtbot.addWidget(choice)
    choice.show()
    choice.resize(choice.sizeHint())
    assert choice.shown() == choice.currentText()
    choice.resize(choice.width() // 2, choice.height())
    shown = choice.shown()
    assert shown.endswith("…") and choice.currentText().startswith(shown[:-1]) and len(shown) > 6
    choice.grab()
