"""Every widget that shows a document is a Pane: what a view may ask, it answers."""

from __future__ import annotations

import inspect

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.layout import Block, BlockKind, Kind, Opened, PageText
from app.core.text import Document, Span
from app.ui.document.flowing.rich_pane import RichPane
from app.ui.document.pane import Pane
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.text.document_pane import DocumentPane
from app.ui.kit.theme import Theme
from tests.conftest import ROOT

RESOURCES = ROOT / "resources"
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
    pane.clear_highlights()
    pane.note_position()
    assert not pane.moved_by_user() and not pane.go_to_words("abc")


@pytest.mark.parametrize("kind", [DocumentPane, RichPane, PagePane])
def test_a_place_beyond_the_end_is_the_end(
    qapp: QApplication, qtbot: QtBot, kind: type[DocumentPane] | type[RichPane] | type[PagePane]
) -> None:
    theme = Theme(RESOURCES)
    theme.choose("light")
    pane = kind(theme)
    theme.setParent(pane)
    qtbot.addWidget(pane)
    pane.resize(600, 400)
    text = "Words on a line of their own.\n\n" * 80
    if isinstance(pane, DocumentPane):
        pane.set_text(text)
    else:
        places = [(at, at + 29) for at in range(0, len(text), 31)]
        blocks = tuple(Block(BlockKind.PARAGRAPH, Span(*place)) for place in places)
        pages = (PageText(300, 400, Span(0, 1000)), PageText(300, 400, Span(1000, len(text))))
        shown = Opened(Document(text), Kind.PDF, blocks=blocks, pages=pages)
        pane.show_document(shown)
    pane.show()
    qtbot.waitExposed(pane)
    pane.go_to(len(text))
    last = pane.top()
    pane.go_to(0)
    pane.go_to(10 * len(text))
    assert pane.top() == last > 0
