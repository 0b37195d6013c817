"""What all three panes can do: highlights, clicks, copying, files dropped on them, and their scroll position."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.layout import Block, BlockKind, Opened
from app.core.results import HEAT_BINS
from app.core.text import Document, Span
from app.ui.document.flowing.rich_pane import RichPane
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.text.document_pane import DocumentPane
from app.ui.kit.theme import Theme
from tests.helpers.paged import opened_pdf
from tests.helpers.small_pdfs import Page, lines
from tests.helpers.widgets import select_words

AnyPane = DocumentPane | RichPane | PagePane
CONTROL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")


@pytest.fixture(params=[DocumentPane, RichPane, PagePane])
def pane(theme: Theme, qtbot: QtBot, request: pytest.FixtureRequest) -> AnyPane:
    """An empty pane of each kind."""
    pane: AnyPane = request.param(theme)
    qtbot.addWidget(pane)
    pane.resize(700, 400)
    pane.show()
    qtbot.waitExposed(pane)
    return pane


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Eight pages whose lines are blocks too."""
    pages = [
        Page(
            lines(f"The tide of day {n} is high\nthe ebb of night {n} low\nand noon {n} is bright.", 72, 100)
        )
        for n in NUMBERS
    ]
    opened = opened_pdf(tmp_path_factory.mktemp("pdf") / "tides.pdf", pages)
    text, blocks, at = opened.document.text, [], 0
    for line in text.split("\n"):
        if line:
            blocks.append(Block(BlockKind.PARAGRAPH, Span(at, at + len(line))))
        at += len(line) + 1
    return Opened(Document(text), opened.kind, blocks=tuple(blocks), pages=opened.pages)


@pytest.fixture
def filled(pane: AnyPane, opened: Opened) -> AnyPane:
    """A pane of each kind that shows the document."""
    show(pane, opened)
    return pane


def show(pane: AnyPane, opened: Opened) -> None:
    if isinstance(pane, DocumentPane):
        pane.set_text(opened.document.text)
    else:
        pane.show_document(opened)


def place(pane: AnyPane, words: str) -> tuple[Span, str]:
    at = pane.text().index(words)
    return Span(at, at + len(words)), words


def test_an_empty_pane_takes_every_request(pane: AnyPane) -> None:
    assert pane.accessibleName()
    assert pane.is_empty() and pane.text() == "" and pane.selected_words() == "" and pane.top() == 0
    assert pane.light([(Span(0, 3), "abc")]) == [False] and pane.why_not(0)
    pane.choose(0)
    pane.reveal(0)
    pane.set_heat([0.5] * 8)
    pane.set_heat(())
    pane.go_to(5)
    pane.clear_highlights()
    pane.note_position()
    assert not pane.moved_by_user() and not select_words(pane, "abc")


def test_only_places_with_their_words_are_highlighted(filled: AnyPane) -> None:
    wrong = (Span(3, 7), "ebbs")
    given = [place(filled, "day two"), wrong, (Span(0, 10**6), "x")]
    assert filled.light(given) == [True, False, False]
    assert filled.why_not(0) == filled.why_not(9) == ""
    assert filled.why_not(1).endswith(".") and filled.why_not(2).endswith(".")
    assert filled.light_boxes(1) == []
    marks = filled.map.marks
    assert 0 < marks[0] < 0.5 and marks[1] == -1.0
    before = filled.map.value()
    filled.reveal(1)
    assert filled.map.value() == before
    filled.clear_highlights()
    assert filled.map.marks == () and filled.light_boxes(0) == []


def test_a_click_on_a_highlighted_place_or_its_mark_sends_its_index(filled: AnyPane, qtbot: QtBot) -> None:
    chosen: list[int] = []
    filled.light_chosen.connect(chosen.append)
    filled.light([place(filled, "tide"), place(filled, "high")])
    for index in (1, 0):
        qtbot.mouseClick(filled.viewport(), LEFT, pos=filled.light_boxes(index)[0].center().toPoint())
    beside = filled.light_boxes(1)[0].center().toPoint() + QPoint(150, 0)
    qtbot.mouseClick(filled.viewport(), LEFT, pos=beside)
    filled.map.mark_clicked.emit(1)
    assert chosen == [1, 0, 1]


def test_ctrl_c_copies_the_selection_and_asks_for_the_answer_without_one(
    filled: AnyPane, qtbot: QtBot
) -> None:
    requests: list[bool] = []
    filled.copy_asked.connect(lambda: requests.append(True))
    qtbot.keyClick(filled, Qt.Key.Key_C, CONTROL)
    assert requests == [True]
    qtbot.keyClick(filled, Qt.Key.Key_A, CONTROL)
    qtbot.keyClick(filled, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text().strip() == filled.text().strip() and requests == [True]


def test_files_dropped_or_pasted_are_passed_on(pane: AnyPane, tmp_path: Path, qtbot: QtBot) -> None:
    received: list[list[Path]] = []
    pane.files_dropped.connect(received.append)

    def files() -> QMimeData:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.txt"))])
        return data

    data = files()
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, LEFT, NONE)
    QApplication.sendEvent(pane.viewport(), enter)
    assert enter.isAccepted()
    QApplication.sendEvent(
        pane.viewport(), QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, LEFT, NONE)
    )
    QGuiApplication.clipboard().setMimeData(files())
    qtbot.keyClick(pane, Qt.Key.Key_V, CONTROL)
    QGuiApplication.clipboard().clear()  # at exit Qt would delete the data after Python has
    assert received == [[tmp_path / "a.txt"]] * 2 and pane.text() == ""


def test_scrolling_by_the_user_is_noticed(filled: AnyPane, qtbot: QtBot) -> None:
    filled.light([place(filled, "day eight")])
    filled.reveal(0)
    qtbot.wait(10)
    (box,) = filled.light_boxes(0)
    assert 0 <= box.top() and box.bottom() <= filled.viewport().height()
    assert not filled.moved_by_user()
    value = filled.map.value()
    filled.reveal(0)
    assert filled.map.value() == value, "a place that is seen well stays where it is"
    filled.map.setValue(0)
    assert filled.moved_by_user()
    filled.note_position()
    assert not filled.moved_by_user()


def test_a_place_beyond_the_end_is_the_end(pane: AnyPane, opened: Opened) -> None:
    show(pane, opened)
    pane.go_to(len(pane.text()))
    last = pane.top()
    pane.go_to(0)
    pane.go_to(10 * len(pane.text()))
    assert pane.top() == last > 0


def test_the_top_of_the_view_is_gone_back_to(filled: AnyPane, qtbot: QtBot) -> None:
    for words in ("ebb of night two", "The tide of day one"):
        point = place(filled, words)[0].start
        filled.go_to(point)
        qtbot.wait(5)
        top = filled.top()
        assert 0 <= point - top < 120
        filled.go_to(top)
        assert filled.top() == top
    assert top == 0


def test_the_heat_stands_where_the_words_do(filled: AnyPane, qtbot: QtBot) -> None:
    span, words = place(filled, "ebb of night five")
    filled.light([(span, words)])
    qtbot.wait(20)
    heat = [0.0] * HEAT_BINS
    heat[span.start * HEAT_BINS // len(filled.text())] = 0.8
    filled.set_heat(heat)
    hot = [part for part, value in enumerate(filled.map.heat) if value == 0.8]
    near = HEAT_BINS / 24  # a line
    assert hot and hot[0] - near <= filled.map.marks[0] * HEAT_BINS <= hot[-1] + near
    filled.map.place_clicked.emit((hot[0] + 0.5) / HEAT_BINS)
    qtbot.wait(20)
    (box,) = filled.light_boxes(0)
    assert 0 <= box.top() and box.bottom() <= filled.viewport().height()
    filled.set_heat(())
    assert not any(filled.map.heat)
