"""A text that wraps: its height follows its width, its words and the text size."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.ui.kit.flow_text import FlowText
from app.ui.kit.theme import Theme


def test_its_height_is_that_of_its_words_at_any_size(theme: Theme, qtbot: QtBot) -> None:
    theme.choose("light", 1.0)
    text = FlowText(theme, "ui")
    qtbot.addWidget(text)
    text.set_text("Words that need several lines of a narrow page. " * 4)
    wide, narrow = text.heightForWidth(600), text.heightForWidth(200)
    assert narrow > wide
    theme.choose("light", 2.0)
    assert text.heightForWidth(600) > wide
    theme.choose("light", 1.0)
    assert (text.heightForWidth(600), text.heightForWidth(200)) == (wide, narrow)
    text.set_text("Words")
    assert text.heightForWidth(200) < narrow
