"""Where pages stand: a place of a page is found again from its pixel, at any scale."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.document.pdf.page_stack import PageStack, Spot

SIZES = st.lists(st.tuples(st.floats(20, 2000), st.floats(20, 2000)), min_size=1, max_size=40)
SCALES = st.floats(0.1, 16)


@given(SIZES, SCALES, st.integers(0, 60), st.integers(0, 60), st.integers(0, 3000), st.data())
def test_a_place_is_found_again_from_its_pixel(
    sizes: list[tuple[float, float]], scale: float, gap: int, aside: int, room: int, data: st.DataObject
) -> None:
    stack = PageStack(sizes, scale, gap, aside, room)
    page = data.draw(st.integers(0, len(sizes) - 1))
    rect = stack.rect(page)
    # Half a pixel inside, so that it is this page's and not the next one's edge.
    x = data.draw(st.floats(0, rect.width / scale))
    y = data.draw(st.floats(0.5 / scale, max(0.5, rect.height - 0.5) / scale))
    found = stack.spot(*stack.pixels(Spot(page, x, y)))
    assert found.page == page
    assert found.x == pytest.approx(x, abs=1e-6) and found.y == pytest.approx(y, abs=1e-6)


@given(SIZES, SCALES, st.integers(0, 60), st.integers(0, 60), st.integers(0, 3000))
def test_pages_stand_below_each_other_in_the_middle(
    sizes: list[tuple[float, float]], scale: float, gap: int, aside: int, room: int
) -> None:
    stack = PageStack(sizes, scale, gap, aside, room)
    rects = [stack.rect(page) for page in range(len(stack))]
    assert rects[0].top == gap and stack.height == rects[-1].bottom + gap
    assert all(below.top == above.bottom + gap for above, below in pairwise(rects))
    for rect, (width, height) in zip(rects, sizes, strict=True):
        assert rect.left >= aside and rect.right <= stack.width - aside
        assert abs(rect.left - (stack.width - rect.right)) <= 1
        assert abs(rect.width - width * scale) <= 1 and abs(rect.height - height * scale) <= 1


@given(SIZES, SCALES, st.integers(0, 60), st.integers(-500, 50_000), st.integers(1, 4000))
def test_the_pages_between_two_heights_are_those_that_are_seen_there(
    sizes: list[tuple[float, float]], scale: float, gap: int, top: int, length: int
) -> None:
    stack = PageStack(sizes, scale, gap)
    rects = [stack.rect(page) for page in range(len(stack))]
    seen = [page for page, rect in enumerate(rects) if rect.top < top + length and rect.bottom > top]
    assert list(stack.between(top, top + length)) == seen


@given(SIZES, SCALES, st.integers(0, 60), st.floats(-500, 50_000))
def test_the_page_at_a_height_is_the_nearest(
    sizes: list[tuple[float, float]], scale: float, gap: int, y: float
) -> None:
    stack = PageStack(sizes, scale, gap)

    def distance(page: int) -> float:
        rect = stack.rect(page)
        return max(rect.top - y, y - rect.bottom, 0.0)

    assert distance(stack.page_at(y)) == min(map(distance, range(len(stack))))


def test_shares_go_from_the_top_to_the_bottom() -> None:
    stack = PageStack([(600, 800)] * 10, 1.0, 20)
    shares = [stack.share(page, y) for page in range(10) for y in (0, 400, 800)]
    assert shares == sorted(shares) and 0 < shares[0] < 0.01 and 0.99 < shares[-1] < 1
    assert stack.share(5, 0) == pytest.approx((20 + 5 * 820) / 8220)


def test_nothing_stands_where_there_are_no_pages() -> None:
    stack = PageStack([], 1.0, 20, 10, 500)
    assert list(stack.between(0, 1000)) == [] and stack.height == 0 and stack.page_at(30) == 0
