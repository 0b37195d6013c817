"""The layout of pages and their tiles: only what is seen, and within the budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor

from app.core.layout import Picture
from app.ui.document.pdf.page_stack import PageStack, Spot
from app.ui.document.pdf.page_tiles import Tile, TileShelf, area, tiles, wanted_tiles
from tests.helpers.paged import plain_picture

SIZES = st.lists(st.tuples(st.floats(20, 3000), st.floats(20, 3000)), min_size=1, max_size=12)
# What draws pages takes no larger ones.
MOST = 4096


@given(SIZES, st.floats(0.1, 16), st.data())
def test_tiles_cover_what_is_seen_once(
    sizes: list[tuple[float, float]], scale: float, data: st.DataObject
) -> None:
    stack = PageStack(sizes, scale, 20)
    page = data.draw(st.integers(0, len(sizes) - 1))
    whole = QRect(0, 0, stack.rect(page).width(), stack.rect(page).height())
    left = data.draw(st.integers(0, whole.width() - 1))
    top = data.draw(st.integers(0, whole.height() - 1))
    part = QRect(left, top, data.draw(st.integers(1, 3000)), data.draw(st.integers(1, 3000)))
    seen = part.intersected(whole)
    found = tiles(stack, page, part)
    assert len(set(found)) == len(found)
    assert sum(area(tile.rect.intersected(seen)) for tile in found) == area(seen)
    for tile in found:
        assert 0 < tile.width <= MOST and 0 < tile.height <= MOST
        assert tile.rect.intersects(seen) and whole.contains(tile.rect)
        assert tile.scale == stack.scale


@given(SIZES, st.floats(0.1, 16))
def test_tiles_that_are_asked_for_apart_are_the_same(sizes: list[tuple[float, float]], scale: float) -> None:
    stack = PageStack(sizes, scale, 20)
    width, height = stack.rect(0).width(), stack.rect(0).height()
    whole = set(tiles(stack, 0, QRect(0, 0, width, height)))
    parts = {
        tile
        for top in range(0, height, 700)
        for left in range(0, width, 700)
        for tile in tiles(stack, 0, QRect(left, top, 700, 700))
    }
    assert parts == whole


def test_what_is_wanted_beside_stays_within_the_budget() -> None:
    stack = PageStack([(600, 800)] * 5, 4.0, 20, 12, 2400)
    view = QRect(0, 0, 2400, 1800)
    seen, _ = wanted_tiles(stack, view, True, 0)
    needed = sum(tile.width * tile.height * 4 for tile in seen)
    _, beside = wanted_tiles(stack, view, True, needed + (4 << 20))
    assert sum(tile.width * tile.height * 4 for tile in beside) <= 4 << 20
    assert wanted_tiles(stack, view, True, needed)[1] == []


def test_no_more_is_held_than_the_budget_and_what_was_seen_last_stays() -> None:
    shelf = TileShelf(10 * 100 * 100 * 4)
    made = [Tile(page, 1.0, 0, 0, 100, 100) for page in range(30)]
    for tile in made:
        shelf.see([made[0]])
        shelf.put(tile, plain_picture(100, 100))
        assert shelf.bytes <= shelf.budget
    assert shelf.bytes == sum(tile.width * tile.height * 4 for tile in shelf._cached)
    assert made[0] in shelf and made[29] in shelf and made[1] not in shelf
    shelf.put(made[29], plain_picture(100, 100))
    assert len(shelf._cached) == 10 and shelf.bytes == shelf.budget
    shelf.keep([made[29]])
    assert list(shelf._cached) == [made[29]] and shelf.bytes == 40_000


def test_a_picture_of_another_size_is_refused() -> None:
    shelf = TileShelf(1 << 20)
    with pytest.raises(ValueError, match="pixels"):
        shelf.put(Tile(0, 1.0, 0, 0, 10, 10), plain_picture(9, 10))
    assert shelf.bytes == 0


def test_pixels_are_read_as_they_were_written() -> None:
    shelf, tile = TileShelf(1 << 20), Tile(0, 1.0, 0, 0, 2, 1)
    shelf.put(tile, Picture(2, 1, bytes([10, 20, 30, 0, 40, 50, 60, 0])))
    image = shelf.image(tile)
    assert image is not None
    assert [QColor(image.pixel(x, 0)).getRgb()[:3] for x in (0, 1)] == [(30, 20, 10), (60, 50, 40)]


def test_the_nearest_scale_stands_in_and_a_coarser_one_below_where_it_does_not_reach() -> None:
    shelf = TileShelf(1 << 24)
    small, near, half = (
        Tile(0, 0.5, 0, 0, 300, 400),
        Tile(0, 1.0, 0, 0, 600, 800),
        Tile(0, 1.9, 0, 0, 1140, 700),
    )
    wanted = Tile(0, 2.0, 0, 0, 1200, 1600)
    assert shelf.stand_ins(wanted) == []
    for tile in (small, near):
        shelf.put(tile, plain_picture(tile.width, tile.height))
    assert shelf.stand_ins(wanted) == [(shelf.image(near), QRectF(0, 0, 1200, 1600))]
    shelf.put(half, plain_picture(half.width, half.height))
    for missing in (wanted, Tile(0, 2.0, 0, 600, 1200, 800)):
        below, above = shelf.stand_ins(missing)
        assert below[0] is shelf.image(near) and above[0] is shelf.image(half)
        assert above[1].height() == pytest.approx(700 * 2 / 1.9)
    assert shelf.stand_ins(Tile(1, 2.0, 0, 0, 10, 10)) == []


@given(SIZES, st.floats(0.1, 16), st.integers(0, 60), st.integers(0, 60), st.integers(0, 3000), st.data())
def test_a_place_is_found_again_from_its_pixel(
    sizes: list[tuple[float, float]], scale: float, gap: int, aside: int, room: int, data: st.DataObject
) -> None:
    stack = PageStack(sizes, scale, gap, aside, room)
    page = data.draw(st.integers(0, len(sizes) - 1))
    rect = stack.rect(page)
    # Half a pixel inside, so that it is this page's and not the next one's edge.
    x = data.draw(st.floats(0, rect.width() / scale))
    y = data.draw(st.floats(0.5 / scale, max(0.5, rect.height() - 0.5) / scale))
    found = stack.spot(*stack.pixels(Spot(page, x, y)))
    assert found.page == page
    assert found.x == pytest.approx(x, abs=1e-6) and found.y == pytest.approx(y, abs=1e-6)


@given(SIZES, st.floats(0.1, 16), st.integers(0, 60), st.integers(-500, 50_000), st.integers(1, 4000))
def test_the_pages_between_two_heights_are_those_that_are_seen_there(
    sizes: list[tuple[float, float]], scale: float, gap: int, top: int, length: int
) -> None:
    stack = PageStack(sizes, scale, gap)
    rects = [stack.rect(page) for page in range(len(stack))]
    seen = [
        page for page, rect in enumerate(rects) if rect.y() < top + length and rect.y() + rect.height() > top
    ]
    assert list(stack.in_view(QRect(0, top, 1, length))) == seen
