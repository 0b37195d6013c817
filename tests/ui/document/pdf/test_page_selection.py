"""Selecting text on pages: what is marked is what is copied, across lines, columns and pages, in either direction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.layout import Opened
from app.core.page_runs import Box
from app.core.pages import places_of
from app.core.text import Span
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.pdf.page_selection import PageSelection, box_at, line_around, word_around
from app.ui.document.pdf.page_stack import Spot
from app.ui.kit.theme import Theme
from tests.helpers.page_texts import characters_under
from tests.helpers.paged import Drawn, opened_pdf
from tests.helpers.small_pdfs import Page, Words, lines

LEFT = "The kitchen had a table\nand on it lay seven silver\nspoons from the old coun-\ntry house."
RIGHT = "Roses grew behind the wall\nand nobody ever watered\nthem but the rain."
FIRST = Page([*lines(LEFT, 72, 100), *lines(RIGHT, 330, 100)])
SECOND = Page(lines("Another page tells of Minka,\nthe cat.", 72, 100))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return opened_pdf(tmp_path_factory.mktemp("pdf") / "house.pdf", [FIRST, SECOND])


@pytest.fixture
def open_pages(theme: Theme, qtbot: QtBot) -> Callable[[Opened], PagePane]:
    def shown(document: Opened) -> PagePane:
        pages = PagePane(theme)
        qtbot.addWidget(pages)
        pages.resize(760, 1500)
        pages.show()
        pages.show_document(document)
        return pages

    return shown


@pytest.fixture
def pages(open_pages: Callable[[Opened], PagePane], opened: Opened) -> PagePane:
    return open_pages(opened)


def box_of(opened: Opened, words: str) -> tuple[int, Box]:
    """The page and the first box of words."""
    at = opened.document.text.index(words)
    place = places_of(opened.pages, Span(at, at + len(words)))[0]
    return place.page, place.boxes[0]


def before(opened: Opened, words: str) -> Spot:
    """A hair inside the first letter's first half."""
    page, box = box_of(opened, words)
    return Spot(page, box.left + 0.5, (box.top + box.bottom) / 2)


def behind(opened: Opened, words: str) -> Spot:
    page, box = box_of(opened, words)
    return Spot(page, box.right - 0.5, (box.top + box.bottom) / 2)


def in_view(pages: PagePane, spot: Spot) -> QPoint:
    return pages.place_of(spot).toPoint()


def drag(pages: PagePane, qtbot: QtBot, start: Spot, end: Spot) -> None:
    port = pages.viewport()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=in_view(pages, start))
    move(pages, in_view(pages, end))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=in_view(pages, end))


def move(pages: PagePane, place: QPoint) -> None:
    """Move the mouse with its left button held."""
    port, left = pages.viewport(), Qt.MouseButton.LeftButton
    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(place), QPointF(port.mapToGlobal(place)), Qt.MouseButton.NoButton, left,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(port, event)


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_over_lines_columns_and_pages_it_reads_as_the_text_does(
    pages: PagePane, opened: Opened, qtbot: QtBot
) -> None:
    drag(pages, qtbot, behind(opened, "silver"), before(opened, "seven"))
    assert pages.selected_words() == "seven silver"
    drag(pages, qtbot, before(opened, "old"), behind(opened, "house"))
    assert pages.selected_words() == "old country house", "without the hyphen at a line's end"
    drag(pages, qtbot, before(opened, "house."), behind(opened, "Roses"))
    assert " ".join(pages.selected_words().split()) == "house. Roses"
    drag(pages, qtbot, before(opened, "the rain"), behind(opened, "Another page"))
    assert " ".join(pages.selected_words().split()) == "the rain. Another page"
    drag(pages, qtbot, before(opened, "kitchen"), behind(opened, "cat"))
    words = pages.selected_words()
    text = opened.document.text
    assert words == text[text.index("kitchen") : text.index("cat.") + 3]


def test_what_is_marked_is_what_is_copied(pages: PagePane, opened: Opened, qtbot: QtBot) -> None:
    drag(pages, qtbot, before(opened, "silver"), behind(opened, "nobody"))
    marked = characters_under(opened.pages, places_of(opened.pages, pages._selection.span))
    assert squeezed(marked).replace("\x02", "").replace("-", "") == squeezed(pages.selected_words())
    drawn = Drawn(pages, Path(opened.document.path))
    pages._request_pictures()
    drawn.draw()
    image = pages.viewport().grab().toImage()
    blue = pages._theme.colour("print_selection")
    for words, chosen in (("spoons", True), ("Roses", True), ("kitchen", False), ("rain", False)):
        page, box = box_of(opened, words)
        corner = pages.place_of(Spot(page, box.left, box.top + 1)).toPoint()
        assert (QColor(image.pixel(corner)) == blue) == chosen, words


def test_two_clicks_select_a_word_and_three_a_line(pages: PagePane, opened: Opened, qtbot: QtBot) -> None:
    at = in_view(pages, behind(opened, "silv"))
    port, left = pages.viewport(), Qt.MouseButton.LeftButton
    qtbot.mouseDClick(port, left, pos=at)
    assert pages.selected_words() == "silver"
    qtbot.mousePress(port, left, pos=at)
    assert pages.selected_words() == "and on it lay seven silver"
    move(pages, in_view(pages, behind(opened, "house")))
    assert pages.selected_words().startswith("and on it") and pages.selected_words().endswith("try house.")
    qtbot.mouseRelease(port, left, pos=at)
    qtbot.mouseDClick(port, left, pos=in_view(pages, behind(opened, "Ros")))
    move(pages, in_view(pages, before(opened, "wall")))
    assert pages.selected_words() == "Roses grew behind the wall"
    qtbot.mouseRelease(port, left, pos=at)


def test_shift_and_a_click_extend_and_a_click_takes_it_away(
    pages: PagePane, opened: Opened, qtbot: QtBot
) -> None:
    port, left = pages.viewport(), Qt.MouseButton.LeftButton
    qtbot.mouseClick(port, left, pos=in_view(pages, before(opened, "seven")))
    assert pages.selected_words() == ""
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(port, left, shift, in_view(pages, behind(opened, "spoons")))
    assert pages.selected_words() == "seven silver spoons"
    qtbot.mouseClick(port, left, shift, in_view(pages, before(opened, "on it")))
    assert pages.selected_words().strip() == "on it lay"
    qtbot.mouseClick(port, left, pos=in_view(pages, before(opened, "table")))
    assert pages.selected_words() == ""


def test_beyond_the_edge_it_scrolls_on(pages: PagePane, opened: Opened, qtbot: QtBot) -> None:
    pages.resize(760, 400)
    qtbot.mousePress(
        pages.viewport(), Qt.MouseButton.LeftButton, pos=in_view(pages, before(opened, "kitchen"))
    )
    move(pages, QPoint(200, 460))
    qtbot.waitUntil(lambda: "Minka" in pages.selected_words(), timeout=4000)
    assert pages.map.value() > 300
    qtbot.mouseRelease(pages.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 460))
    stood = pages.map.value()
    qtbot.wait(80)
    assert pages.map.value() == stood


def test_the_mouse_shows_where_there_is_text(pages: PagePane, opened: Opened) -> None:
    on = pages.place_of(behind(opened, "kitch"))
    assert pages._cursor_at(on) == Qt.CursorShape.IBeamCursor
    assert pages._cursor_at(pages.place_of(Spot(0, 300, 600))) == Qt.CursorShape.ArrowCursor
    assert pages._cursor_at(QPointF(1, 1)) == Qt.CursorShape.ArrowCursor
    at = pages.text().index("kitchen")
    assert pages.light([(Span(at, at + 7), "kitchen")]) == [True]
    assert pages._cursor_at(on) == Qt.CursorShape.PointingHandCursor


def test_right_to_left_words_are_selected_from_the_right(
    open_pages: Callable[[Opened], PagePane], tmp_path: Path, qtbot: QtBot
) -> None:
    # As it is printed, left to right: the last word of the sentence stands at the left.
    opened = opened_pdf(tmp_path / "hebrew.pdf", [Page([Words("בוט רקוב םלוע םולש", 200, 100)])])
    pages = open_pages(opened)
    text = opened.document.text
    assert text.split() == ["שלום", "עולם", "בוקר", "טוב"]
    (place,) = places_of(opened.pages, Span(0, 4))
    (box,) = place.boxes
    middle = (box.top + box.bottom) / 2
    assert box.left > box_of(opened, "טוב")[1].right
    selection = PageSelection(opened)
    for x, point in ((box.right - 0.5, 0), (box.left + 0.5, 4)):
        selection.begin(Spot(0, x, middle))
        selection.extend(Spot(0, x, middle))
        assert selection.span == Span(point, point)
    other = box_of(opened, "עולם")[1]
    drag(pages, qtbot, Spot(0, box.right - 0.5, middle), Spot(0, other.left + 0.5, middle))
    assert pages.selected_words() == "שלום עולם"
    qtbot.mouseDClick(
        pages.viewport(), Qt.MouseButton.LeftButton, pos=in_view(pages, Spot(0, other.left + 3, middle))
    )
    assert pages.selected_words() == "עולם"
    assert line_around(opened.pages[0], 6).of(text) == text.strip()


@given(st.data())
def test_a_drag_between_any_two_letters_selects_what_stands_between(
    opened: Opened, data: st.DataObject
) -> None:
    text = opened.document.text
    drawn = [
        point
        for point, character in enumerate(text)
        if character.strip() and box_at(opened.pages, point)[1].right > 0
    ]
    one, other = sorted((data.draw(st.sampled_from(drawn)), data.draw(st.sampled_from(drawn))))
    selection = PageSelection(opened)
    spots = []
    for point, second_half in ((one, False), (other, True)):
        page, box = box_at(opened.pages, point)
        share = 0.75 if second_half else 0.25
        spots.append(Spot(page, box.left + (box.right - box.left) * share, (box.top + box.bottom) / 2))
    for first, last in (spots, spots[::-1]):
        selection.begin(first)
        selection.extend(last)
        assert selection.span.of(text) == text[one : other + 1]
        marked = "".join(characters_under(opened.pages, places_of(opened.pages, selection.span)).split())
        plain = marked.replace("\x02", "").replace("-", "")
        assert plain == squeezed(text[one : other + 1])


@pytest.mark.parametrize(
    ("text", "point", "word"),
    [
        ("one two three", 5, "two"),
        ("one two three", 3, " "),
        ("it doesn't matter", 6, "doesn't"),
        ("שָׁלוֹם עולם", 2, "שָׁלוֹם"),
        ("👩\u200d👩\u200d👧 and 𝔘𝔫𝔦 here", 12, "𝔘𝔫𝔦"),
        ("word", 0, "word"),
        ("", 0, ""),
        ("a" * 500, 250, "a" * 200),
    ],
)
def test_the_word_around_a_place(text: str, point: int, word: str) -> None:
    assert word_around(text, point).of(text) == word
