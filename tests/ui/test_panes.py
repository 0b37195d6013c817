"""Every widget that shows a document is a Pane: what a view may ask, it answers."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.text import Span
from app.ui.theme import Theme
from app.ui.widgets.document_pane import DocumentPane
from app.ui.widgets.page_pane import PagePane
from app.ui.widgets.pane import Pane
from app.ui.widgets.rich_pane import RichPane

RESOURCES = Path(__file__).parents[2] / "resources"
DEEDS = [name for name in vars(Pane) if not name.startswith("_")]


@pytest.mark.parametrize("kind", [DocumentPane, RichPane, PagePane])
def test_it_is_a_pane(
    qapp: QApplication, qtbot: QtBot, kind: type[DocumentPane] | type[RichPane] | type[PagePane]
) -> None:
    theme = Theme(RESOURCES)
    theme.choose("light")
    pane = kind(theme)
    theme.setParent(pane)
    qtbot.addWidget(pane)
    assert DEEDS
    for name in DEEDS:
        wanted, given = inspect.signature(getattr(Pane, name)), inspect.signature(getattr(kind, name))
        assert list(wanted.parameters.values()) == list(given.parameters.values()), name
    for name in Pane.__annotations__:
        assert hasattr(getattr(pane, name), "connect"), name
    assert pane.accessibleName()
    # Nothing stands here yet, and nothing that is asked of it does harm.
    assert pane.is_empty() and pane.text() == "" and pane.selected_words() == "" and pane.top() == 0
    assert pane.light([(Span(0, 3), "abc")]) == [False] and pane.why_not(0)
    pane.choose(0)
    pane.reveal(0)
    pane.set_heat([0.5] * 8)
    pane.set_heat(())
    pane.go_to(5)
    pane.put_out()
    pane.hold()
    assert not pane.moved_by_person() and not pane.go_to_words("abc")
