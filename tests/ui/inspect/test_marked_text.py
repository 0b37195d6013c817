"""A text in which words are chosen and marked: places are code points, whatever the text holds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.text import Span
from app.ui.inspect.example_marking import MarkedText
from app.ui.kit.theme import Theme
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def marked(qapp: QApplication) -> MarkedText:
    theme = Theme(ROOT / "resources")
    theme.choose("light")
    return MarkedText(theme, "Text")


_characters = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029\ufdd0\ufdd1")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=st.text(st.one_of(_characters, st.sampled_from("👩‍👩‍👧 שלום é \n")), min_size=1, max_size=40),
    data=st.data(),
)
def test_what_is_chosen_is_brought_back_in_code_points(
    marked: MarkedText, text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    marked.show_text(text)
    marked.choose(Span(start, end))
    chosen = marked.chosen()
    words = text[start:end].strip()
    assert (chosen.of(text) if chosen else "") == words
    marked.mark(Span(start, end))
    lit = marked.extraSelections()
    assert [light.cursor.selectedText().replace("\u2029", "\n") for light in lit] == [text[start:end]]


def test_a_mark_beyond_the_text_is_let_be(marked: MarkedText, qtbot: QtBot) -> None:
    marked.show_text("short")
    marked.mark(Span(3, 9))
    assert marked.extraSelections() == []
    assert marked.isReadOnly()
