"""A choice that says as much as there is room for."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.ui.kit.elided import ElidedChoice
from app.ui.kit.theme import Theme


def test_long_words_end_with_an_ellipsis(theme: Theme, qtbot: QtBot) -> None:
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
