"""Pictures of parts of pages: only what is seen is wanted, and no more is held than was allowed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.document.pdf.page_stack import PageStack, Rect
from app.ui.document.pdf.page_tiles import Tile, TileShelf, coarse, tiles, wanted_tiles
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
    rect = stack.rect(page)
    left = data.draw(st.integers(0, rect.width - 1))
    top = data.draw(st.integers(0, rect.height - 1))
    part = Rect(left, top, data.draw(st.integers(1, 3000)), data.draw(st.integers(1, 3000)))
    seen = part.cut(Rect(0, 0, rect.width, rect.height))
    found = tiles(stack, page, part)
    assert len(set(found)) == len(found)
    assert sum(tile.rect.cut(seen).area for tile in found) == seen.area
    for tile in found:
        assert 0 < tile.width <= MOST and 0 < tile.height <= MOST
        assert tile.rect.cut(seen).area and tile.rect.cut(Rect(0, 0, rect.width, rect.height)) == tile.rect
        assert tile.scale == stack.scale


@given(SIZES, st.floats(0.1, 16))
def test_tiles_that_are_asked_for_apart_are_the_same(sizes: list[tuple[float, float]], scale: float) -> None:
    stack = PageStack(sizes, scale, 20)
    rect = stack.rect(0)
    whole = set(tiles(stack, 0, Rect(0, 0, rect.width, rect.height)))
    parts = {
        tile
        for top in range(0, rect.height, 700)
        for left in range(0, rect.width, 700)
        for tile in tiles(stack, 0, Rect(left, top, 700, 700))
    }
    assert parts == whole


def test_only_pages_in_view_and_the_next_screen_are_wanted() -> None:
    stack = PageStack([(600, 800)] * 500, 1.5, 20, 12, 1000)
    top = stack.rect(200).top
    view = Rect(0, top, 1000, 900)
    seen, beside = wanted_tiles(stack, view, downwards=True, budget=96 << 20)
    assert {tile.page for tile in seen} == {200}
    assert {tile.page for tile in beside} == {200, 201}
    _, above = wanted_tiles(stack, view, downwards=False, budget=96 << 20)
    assert {tile.page for tile in above} == {199, 200}
    shown = [tile.rect.cut(Rect(0, 0, 900, 900)).area for tile in seen]
    assert shown == sorted(shown, reverse=True), "the most visible comes first"


def test_what_is_wanted_beside_stays_within_the_budget() -> None:
    stack = PageStack([(600, 800)] * 5, 4.0, 20, 12, 2400)
    view = Rect(0, 0, 2400, 1800)
    seen, _ = wanted_tiles(stack, view, True, 0)
    needed = sum(tile.width * tile.height * 4 for tile in seen)
    _, beside = wanted_tiles(stack, view, True, needed + (4 << 20))
    assert sum(tile.width * tile.height * 4 for tile in beside) <= 4 << 20
    assert wanted_tiles(stack, view, True, needed)[1] == []


def test_a_coarse_picture_does_not_depend_on_the_zoom() -> None:
    one, other = (coarse(PageStack([(595.3, 841.9)], scale), 0) for scale in (1.25, 3.7))
    assert one == other and max(one.width, one.height) <= 500


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
    (only,) = shelf.stand_ins(wanted)
    assert only.image is shelf.image(near)
    assert only.source == (0, 0, 600, 800) and only.target == (0, 0, 1200, 1600)
    shelf.put(half, plain_picture(half.width, half.height))
    below, above = shelf.stand_ins(wanted)
    assert below.image is shelf.image(near) and above.image is shelf.image(half)
    lower = Tile(0, 2.0, 0, 600, 1200, 800)
    below, above = shelf.stand_ins(lower)
    assert below.target == (0, 600, 1200, 1400) and below.source == (0, 300, 600, 700)
    assert above.target[3] == pytest.approx(700 * 2 / 1.9)
    assert shelf.stand_ins(Tile(1, 2.0, 0, 0, 10, 10)) == []
