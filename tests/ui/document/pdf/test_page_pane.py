"""A PDF's pages: highlights only where the page has the words, sharp pictures, and a scroll position that stays."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.layout import Opened
from app.core.results import HEAT_BINS
from app.core.text import Span
from app.ui.document.pdf.page_desk import ACTUAL, LEAST, MOST, fit_width_zoom, stepped, zoom_of
from app.ui.document.pdf.page_marks import PageHighlights
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.pdf.page_stack import Spot
from app.ui.kit.theme import Theme
from tests.conftest import ROOT
from tests.helpers.paged import Drawn, opened_pdf
from tests.helpers.small_pdfs import Page, Words, lines
from tests.helpers.widgets import select_words

# Two columns, the left one written first; the answer "seven silver spoons" goes over a line's end.
LEFT = "The house had a kitchen\nwith a large table, seven\nsilver spoons in a drawer\nand a cat."
RIGHT = "The garden lay behind it\nand was full of roses,\nwhich nobody watered but\nthe rain."
COLUMNS = Page([*lines(LEFT, 72, 100), *lines(RIGHT, 330, 100)])
OTHER = Page(lines("Another page begins here\nand says that the cat\nis called Minka.", 72, 100))
# Noise on a page in a pane that begins at an odd place of its window: any resampling would change it.
SCRIPT = """
import random, sys
from pathlib import Path
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from app.core.layout import Kind, Opened, PageText, Picture
from app.core.text import Document, Span
from app.ui.kit.theme import Theme
from app.ui.document.pdf.page_pane import PagePane
app = QApplication([])
theme = Theme(Path("resources"))
theme.choose("light")
window = QWidget()
column = QVBoxLayout(window)
column.setContentsMargins(15, 7, 3, 3)
pane = PagePane(theme)
column.addWidget(pane)
window.resize(803, 701)
chance = random.Random(3)
def draw(wanted):
    page, scale, left, top, width, height = wanted[0] if wanted else (0,) * 6
    if wanted:
        pane.take_picture(page, scale, left, top, Picture(width, height, chance.randbytes(width * height * 4)))
pane.pictures_wanted.connect(draw)
window.show()
pane.show_document(Opened(Document(""), Kind.PDF, pages=(PageText(595.28, 841.89, Span(0, 0)),) * 3))
pane.map.setValue(37)
pane._request_pictures()
ratio = window.devicePixelRatioF()
shown = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
rect, view = pane._stack.rect(0), pane.view()
sharp = [tile for tile in pane._shelf._cached if tile.scale == pane._stack.scale]
tile = next(tile for tile in sharp if tile.page == 0 and tile.top == 0)
corner = pane.viewport().mapTo(window, pane.viewport().rect().topLeft())
x = round(corner.x() * ratio) + rect.x() - view.x() + 40
y = round(corner.y() * ratio) + rect.y() - view.y() + 120
picture = pane._shelf.image(tile).copy(40, 120, 400, 300)
assert ratio == float(sys.argv[1]), ratio
assert shown.copy(x, y, 400, 300) == picture
print("the same pixels")
"""


@pytest.fixture
def open_pane(theme: Theme, qtbot: QtBot) -> Callable[[Opened], PagePane]:
    def opened(document: Opened) -> PagePane:
        pane = PagePane(theme)
        qtbot.addWidget(pane)
        pane.resize(760, 600)
        pane.show()
        pane.show_document(document)
        return pane

    return opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "house.pdf"


@pytest.fixture
def pane(open_pane: Callable[[Opened], PagePane], file: Path) -> PagePane:
    return open_pane(opened_pdf(file, [COLUMNS, OTHER]))


@pytest.fixture
def book(open_pane: Callable[[Opened], PagePane], file: Path) -> PagePane:
    """Sixty pages, each with its number in its first line and in its last."""
    pages = [
        Page(
            [
                Words(f"Page {name(n)} begins", 72, 200 + 2 * n),
                *lines("\n".join(f"Line {chr(97 + n % 26) * 3} {row}" for row in range(8)), 72, 400),
                Words(f"and {name(n)} ends here", 72, 600 - n),
            ]
        )
        for n in range(60)
    ]
    return open_pane(opened_pdf(file, pages))


def name(number: int) -> str:
    """A word for a number: lines that differ in numbers alone are taken for running heads."""
    return "".join("bcdfghjklm"[int(digit)] + "aeiou"[int(digit) % 5] for digit in f"{number:02}")


def place(pane: PagePane, words: str, nth: int = 0) -> tuple[Span, str]:
    at = -1
    for _ in range(nth + 1):
        at = pane.text().index(words, at + 1)
    return Span(at, at + len(words)), words


def draw_all(pane: PagePane, file: Path, qtbot: QtBot) -> int:
    drawn = Drawn(pane, file)
    pane._wanted = []
    qtbot.waitUntil(lambda: not pane._request_timer.isActive())
    pane._request_pictures()
    return drawn.draw()


def grabbed(pane: PagePane) -> QImage:
    return pane.viewport().grab().toImage()


def darkest(image: QImage, box: QRectF) -> int:
    """The lightness of the darkest pixel in a box, 0 to 255."""
    area = box.toRect()
    return min(
        image.pixelColor(x, y).lightness()
        for x in range(area.left(), area.right())
        for y in range(area.top(), area.bottom())
    )


def test_an_answer_over_a_lines_end_is_lit_in_both_lines(pane: PagePane, file: Path, qtbot: QtBot) -> None:
    draw_all(pane, file, qtbot)
    assert pane.light([place(pane, "seven silver spoons")]) == [True]
    first, second = pane.light_boxes(0)
    assert first.left() > second.left() and first.bottom() <= second.top() + 1
    image = grabbed(pane)
    amber = pane._theme.colour("print_answer")
    for box in (first, second):
        inside = [
            image.pixelColor(x, round(box.top()) + 1) for x in range(round(box.left()), round(box.right()))
        ]
        assert inside.count(amber) > len(inside) * 0.9
    assert darkest(image, first) < 60, "the letters stay black on the amber ground"
    column = pane.light_boxes(0)[0].right()
    assert column < pane.place_of(Spot(0, 320, 0)).x(), "nothing of the other column is lit"


def test_the_strong_one_and_the_others_differ_and_faint_makes_them_alike(
    pane: PagePane, file: Path, qtbot: QtBot
) -> None:
    draw_all(pane, file, qtbot)
    pane.light([place(pane, "kitchen"), place(pane, "garden")], 0)

    def ground(index: int) -> QColor:
        box = pane.light_boxes(index)[0]
        return grabbed(pane).pixelColor(round(box.left()), round(box.top()))

    strong, pale = pane._theme.colour("print_answer"), pane._theme.colour("print_other")
    assert (ground(0), ground(1)) == (strong, pale)
    pane.choose(1)
    assert (ground(0), ground(1)) == (pale, strong)
    pane.light([place(pane, "kitchen")], 0, faint=True)
    assert ground(0) == pale


def test_a_far_light_is_brought_into_view_with_room_above(book: PagePane, qtbot: QtBot) -> None:
    book.light([place(book, f"Page {name(40)}")])
    book.reveal(0)
    (box,) = book.light_boxes(0)
    assert 0.2 * book.viewport().height() < box.top() < 0.4 * book.viewport().height()
    book.set_zoom(4.0)
    book.horizontalScrollBar().setValue(book.horizontalScrollBar().maximum())
    book.reveal(0)
    (box,) = book.light_boxes(0)
    assert 0 <= box.left() and box.top() > 0 and box.right() <= book.viewport().width()


def test_marks_stand_at_their_share_of_the_height(book: PagePane) -> None:
    book.light([place(book, f"Page {name(n)} ") for n in (1, 30, 59)])
    height = book.map.maximum() + book.viewport().height()
    for index, mark in enumerate(book.map.marks):
        box = book.light_boxes(index)[0]
        assert mark == pytest.approx((box.center().y() + book.map.value()) / height, abs=2e-4)


def test_heat_that_goes_on_in_the_next_column_is_shown_along_both(pane: PagePane) -> None:
    pane.set_heat([0.5] * HEAT_BINS)
    warm = [part / HEAT_BINS for part, value in enumerate(pane.map.heat) if value]
    first = pane.light([place(pane, "The house")]) and pane.map.marks[0]
    last = pane.light([place(pane, "Minka")]) and pane.map.marks[0]
    assert warm[0] == pytest.approx(first, abs=0.02) and warm[-1] == pytest.approx(last, abs=0.02)


def test_pictures_stand_pixel_on_pixel(pane: PagePane, file: Path, qtbot: QtBot) -> None:
    assert draw_all(pane, file, qtbot) > 0
    image = grabbed(pane)
    rect, view = pane._stack.rect(0), pane.view()
    tile = next(tile for tile in pane._shelf._cached if tile.scale == pane._stack.scale and tile.page == 0)
    picture = pane._shelf.image(tile)
    assert picture is not None
    x, y = rect.x() - view.x() + tile.left, rect.y() - view.y() + tile.top
    part = picture.copy(0, 0, tile.width, min(tile.height, view.height() - y))
    assert image.copy(x, y, part.width(), part.height()).convertToFormat(part.format()) == part


def test_nothing_is_wanted_twice_and_only_near_pages_are_held(
    book: PagePane, file: Path, qtbot: QtBot
) -> None:
    draw_all(book, file, qtbot)
    drawn = Drawn(book, file)
    for share in (0.5, 1.0, 0.2):
        with qtbot.waitSignal(book.pictures_wanted):
            book.map.setValue(round(book.map.maximum() * share))
        assert all(abs(page + 1 - book.page()) <= 2 for page, *_ in drawn.wanted)
        assert drawn.draw() > 0
        assert drawn.wanted == []
    assert book._shelf.bytes <= book._shelf.budget
    sent = len(drawn.asked)
    book._request_pictures()
    assert len(drawn.asked) == sent


def test_a_zoom_shows_the_old_picture_until_the_new_one_comes(
    pane: PagePane, file: Path, qtbot: QtBot
) -> None:
    draw_all(pane, file, qtbot)
    pane.light([place(pane, "kitchen")])
    pane.set_zoom(2.0)
    pane.reveal(0)
    letters = darkest(grabbed(pane), pane.light_boxes(0)[0])
    assert letters < 120, "letters are there before the pictures of this size are"
    assert not any(tile.scale == pane._stack.scale for tile in pane._shelf._cached)


def test_the_place_stays_when_zoomed_and_resized(book: PagePane) -> None:
    book.go_to(place(book, f"Page {name(30)}")[0].start + 3)
    top = book.top()
    for size in ((500, 400), (1200, 900), (760, 600)):
        book.resize(*size)
        assert book.top() == top
    for zoom in (0.5, 3.0, 1.1):
        book.set_zoom(zoom)
        assert book.top() == top and book.zoom() == zoom
    book.zoom_by(0)
    assert book.top() == top and book.zoom() == 0.0
    around = QPointF(300, 250)
    before = book.spot_at(around)
    book.set_zoom(2.5, around)
    after = book.spot_at(around)
    assert after.page == before.page
    assert after.x == pytest.approx(before.x, abs=1) and after.y == pytest.approx(before.y, abs=1)


def test_the_page_that_is_seen_is_told(book: PagePane) -> None:
    told: list[int] = []
    book.page_changed.connect(told.append)
    assert book.page() == 1 and book.hint.isHidden()
    book.go_to(place(book, f"Page {name(21)}")[0].start)
    assert told[-1] == book.page() == 22
    assert book.hint.text() == "page 22 of 60"
    assert book.accessibleDescription() == "house.pdf, page 22 of 60."
    for still in (False, True):
        book._theme.still = still
        book.map.setValue(book.map.value() + 3000)
        book.hint._rest.timeout.emit()
        assert book.hint.isHidden() is still, "it fades only where things may move"
    book._theme.still = False
    pages = tuple(dataclasses.replace(page, label="i") for page in book._opened.pages)
    book.show_document(dataclasses.replace(book._opened, pages=pages))
    book.map.setValue(book.map.maximum())
    assert book.hint.text() == "page i (60 of 60)", "the printed number is told too"


def test_words_are_found_over_lines(pane: PagePane) -> None:
    assert select_words(pane, "SEVEN  silver spoons") and "silver" in pane.selected_words()
    assert select_words(pane, "the") and pane.selection().start == 0
    assert not select_words(pane, "elephant") and not select_words(pane, "  ")
    assert pane.selected_words() == "The"


def test_pages_without_text_are_shown_and_nothing_breaks(
    open_pane: Callable[[Opened], PagePane], file: Path, qtbot: QtBot
) -> None:
    pane = open_pane(opened_pdf(file, [Page(drawing=b"0 0 0 rg 100 100 300 300 re f")] * 3))
    assert pane.is_empty() and draw_all(pane, file, qtbot) > 0
    image = grabbed(pane)
    dark = sum(image.pixelColor(x, image.height() - 60) == QColor("black") for x in range(image.width()))
    assert dark > 200
    assert pane.top() == 0 and not select_words(pane, "a") and pane.light([(Span(0, 1), "a")]) == [False]
    pane.go_to(0)
    pane.set_heat([0.5] * HEAT_BINS)
    qtbot.mouseDClick(pane.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    pane.select_all()
    assert pane.selected_words() == ""


def test_a_page_that_cannot_be_drawn_says_so_and_is_not_asked_for_again(pane: PagePane, qtbot: QtBot) -> None:
    heard: list[list[tuple[int, ...]]] = []
    pane.pictures_wanted.connect(heard.append)
    before = grabbed(pane)
    pane.cannot_draw(0)
    assert all(page != 0 for page, *_ in heard[-1])
    assert grabbed(pane) != before


def test_a_pane_that_is_not_seen_wants_nothing_and_holds_what_it_showed(
    book: PagePane, file: Path, qtbot: QtBot
) -> None:
    draw_all(book, file, qtbot)
    drawn = Drawn(book, file)
    held = book._shelf.bytes
    book.hide()
    assert 0 < book._shelf.bytes < held
    book.map.setValue(5000)
    qtbot.wait(120)
    assert drawn.wanted == []
    with qtbot.waitSignal(book.pictures_wanted):
        book.show()


def test_the_keyboard_scrolls(book: PagePane, qtbot: QtBot) -> None:
    bar, room = book.map, book.viewport().height()
    for key, least in (
        (Qt.Key.Key_Down, 10),
        (Qt.Key.Key_PageDown, room * 0.8),
        (Qt.Key.Key_Space, room * 0.8),
    ):
        before = bar.value()
        qtbot.keyClick(book, key)
        assert bar.value() >= before + least
    before = bar.value()
    qtbot.keyClick(book, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert bar.value() < before
    qtbot.keyClick(book, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()
    qtbot.keyClick(book, Qt.Key.Key_Home)
    assert bar.value() == 0


def test_in_the_dark_pages_keep_their_colours_a_touch_dimmed(
    pane: PagePane, file: Path, qtbot: QtBot
) -> None:
    draw_all(pane, file, qtbot)
    pane._theme.choose("dark")
    qtbot.wait(1)
    corner = pane.place_of(Spot(0, 20, 20)).toPoint()
    image = grabbed(pane)
    paper, desk = image.pixelColor(corner), image.pixelColor(2, 300)
    assert 200 < paper.lightness() < 250 and desk == pane._theme.colour("desk")


def test_places_are_looked_up_in_the_document_that_is_shown(theme: Theme, tmp_path: Path) -> None:
    tides = opened_pdf(tmp_path / "tides.pdf", [Page(lines("The tide is high at noon.", 72, 100))])
    ebbs = opened_pdf(tmp_path / "ebbs.pdf", [Page(lines("An ebb is low at night.", 72, 100))])
    at = tides.document.text.index("tide")
    given = [(Span(at, at + 4), "tide"), (Span(at, at + 4), "ebbs")]
    highlights = PageHighlights(theme)
    assert highlights.take(tides.pages, given) == highlights.take(tides.pages, given) == [True, False]
    assert highlights.take(ebbs.pages, given) == [False, False]


def test_words_are_selected_by_keys_from_the_lit_ones_on(pane: PagePane, qtbot: QtBot) -> None:
    lit = place(pane, "seven silver")
    assert pane.light([lit], 0) == [True]
    control = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(pane, Qt.Key.Key_Right, control)
    assert pane.selected_words() == "seven silver spoons"
    qtbot.keyClick(pane, Qt.Key.Key_Left, control)
    qtbot.keyClick(pane, Qt.Key.Key_Left, control)
    assert pane.selected_place()[0] == "seven"
    for _ in range(3):
        qtbot.keyClick(pane, Qt.Key.Key_Left, control)
    assert pane.selected_words() == "table, "
    qtbot.keyClick(pane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert pane.selected_words() == "able, "


def test_a_screen_reader_is_told_the_page_and_the_lit_words(pane: PagePane) -> None:
    assert pane.accessibleDescription() == "house.pdf, page 1 of 2."
    pane.light([place(pane, "seven silver"), place(pane, "the rain")], 0)
    assert pane.accessibleDescription() == "house.pdf, page 1 of 2. Lit up: “seven silver”."
    pane.choose(1)
    assert "the rain" in pane.accessibleDescription()
    pane.clear_highlights()
    assert "Lit up" not in pane.accessibleDescription()


def test_what_was_drawn_is_what_is_shown_between_whole_pixels() -> None:
    ratio = "1.25"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, ratio],
        cwd=ROOT,
        env=os.environ | {"QT_SCALE_FACTOR": ratio, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "the same pixels", done.stderr


def wheel(turn: int, modifiers: Qt.KeyboardModifier) -> QWheelEvent:
    return QWheelEvent(
        QPointF(30, 40), QPointF(30, 40), QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip


def test_most_pages_fill_the_width_within_bounds() -> None:
    pages = [(600.0, 800.0)] * 9 + [(1200.0, 600.0)]
    assert fit_width_zoom(pages, 600 * ACTUAL, 1.0) == pytest.approx(1.0)
    assert fit_width_zoom(pages, 6000, 1.0) == pytest.approx(1.25)
    assert fit_width_zoom(pages, 6000, 1.5) == pytest.approx(1.875)
    assert fit_width_zoom(pages, 1, 1.0) == LEAST
    assert LEAST <= fit_width_zoom([], 500, 1.0) <= MOST


def test_steps_go_up_and_down_again() -> None:
    zoom, seen = LEAST, [LEAST]
    while zoom < MOST:
        zoom = stepped(zoom, up=True)
        seen.append(zoom)
    assert seen == sorted(set(seen)) and 1.0 in seen
    back = [zoom]
    while zoom > LEAST:
        zoom = stepped(zoom, up=False)
        back.append(zoom)
    assert back == seen[::-1]
    assert stepped(0.97, up=True) == 1.0 and stepped(1.03, up=False) == 1.0
    assert stepped(MOST, up=True) == MOST and stepped(LEAST, up=False) == LEAST


def test_ctrl_and_the_wheel_zoom_at_the_pointer(qapp: QApplication) -> None:
    control, none = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
    asked = zoom_of(wheel(120, control))
    assert asked is not None and asked[0] > 1 and asked[1] == QPointF(30, 40)
    back = zoom_of(wheel(-120, control))
    assert back is not None and back[0] * asked[0] == pytest.approx(1)
    fine = zoom_of(wheel(30, control))
    assert fine is not None and 1 < fine[0] < asked[0]
    assert zoom_of(wheel(120, none)) is None
    assert zoom_of(QEvent(QEvent.Type.Enter)) is None


@pytest.mark.parametrize(
    ("kind", "value", "factor"),
    [
        (Qt.NativeGestureType.ZoomNativeGesture, 0.05, 1.05),
        (Qt.NativeGestureType.ZoomNativeGesture, -0.05, 0.95),
        (Qt.NativeGestureType.RotateNativeGesture, 0.05, None),
    ],
)
def test_two_fingers_on_a_trackpad_zoom(
    qapp: QApplication, kind: Qt.NativeGestureType, value: float, factor: float | None
) -> None:
    place = QPointF(50, 60)
    event = QNativeGestureEvent(
        kind, QPointingDevice.primaryPointingDevice(), 2, place, place, place, value, QPointF()
    )
    asked = zoom_of(event)
    assert (asked and asked[0]) == (pytest.approx(factor) if factor else None)
    assert asked is None or asked[1] == place
