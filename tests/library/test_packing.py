"""Texts, views and layouts are unpacked as they were packed."""

from __future__ import annotations

import zlib
from array import array
from itertools import accumulate

from hypothesis import example, given
from hypothesis import strategies as st

from app.core.layout import Block, BlockKind, Cells, Heading, Kind, Opened, PageText
from app.core.text import Document, Replacement, Span, View
from app.library.packing import (
    deflate,
    inflate,
    pack_layout,
    pack_starts,
    pack_view,
    unpack_layout,
    unpack_starts,
    unpack_view,
)
from app.library.passages import SIZE
from tests.helpers.history_entries import ANY_TEXT

POINTS = st.integers(0, 2**31 - 1)
SPANS = st.tuples(POINTS, POINTS).map(lambda two: Span(min(two), max(two)))
WHOLE = st.text(st.characters(), max_size=300)
VIEWS = st.builds(
    View,
    st.lists(st.builds(Replacement, POINTS, POINTS, ANY_TEXT), max_size=8).map(tuple),
    st.lists(POINTS, max_size=20).map(lambda points: array("i", points)),
    st.lists(st.tuples(POINTS, ANY_TEXT), max_size=5).map(tuple),
)
OPENED = st.builds(
    Opened,
    st.builds(Document, WHOLE, st.just("a.pdf"), st.just("/a.pdf"), VIEWS),
    st.sampled_from(Kind),
    headings=st.lists(st.builds(Heading, SPANS, st.integers(1, 9)), max_size=4).map(tuple),
    blocks=st.lists(
        st.builds(
            Block,
            st.sampled_from(BlockKind),
            SPANS,
            table=st.integers(-1, 5),
            row=st.integers(-1, 5),
            column=st.integers(-1, 5),
        ),
        max_size=6,
    ).map(tuple),
    pages=st.lists(
        st.builds(PageText, st.floats(1, 2000), st.floats(1, 2000), SPANS, label=ANY_TEXT), max_size=4
    ).map(tuple),
    cells=st.builds(
        Cells,
        st.lists(POINTS, max_size=6).map(lambda rows: array("i", rows)),
        st.lists(POINTS, max_size=6).map(lambda columns: array("i", columns)),
        st.lists(ANY_TEXT, max_size=3).map(tuple),
    ),
    lines=st.lists(POINTS, max_size=20).map(lambda points: array("i", points)),
)


@given(WHOLE)
@example("👩‍👩‍👧‍👦 e\u0301 שלום مرحبا \ud800 \udcff \x00 \r\n \u202eabc")
def test_a_text_comes_back(text: str) -> None:
    assert inflate(deflate(text)) == text


@given(VIEWS)
def test_a_view_comes_back(view: View) -> None:
    again = unpack_view(pack_view(view))
    assert again == view
    assert again.bounds == view.bounds
    assert all(isinstance(each, Replacement) for each in again.replacements)


@given(OPENED)
def test_a_layout_comes_back(opened: Opened) -> None:
    again = unpack_layout(opened.document, opened.kind, pack_layout(opened))
    assert again == opened
    assert again.lines == opened.lines
    for point in (0, 7, 2**30):
        assert again.page_label_at(point) == opened.page_label_at(point)
        assert again.line_at(point) == opened.line_at(point)


@given(st.lists(st.integers(1, SIZE), max_size=40))
def test_starts_of_passages_come_back(lengths: list[int]) -> None:
    starts = array("i", accumulate(lengths, initial=0))
    assert unpack_starts(pack_starts(starts)) == starts
    assert unpack_starts(starts.tobytes()) == starts  # as an older Spanlight stored them


def test_data_of_an_older_spanlight_is_read() -> None:
    text = "Three months. " * 1000
    assert inflate(zlib.compress(text.encode(), 1)) == text
    assert len(deflate(text)) < len(zlib.compress(text.encode(), 1))
    layout = zlib.compress(b"[[[0,3,1]],[],[],[0]]")
    found = unpack_layout(Document("One"), Kind.TEXT, layout)
    assert (found.headings, found.cell_at(0)) == ((Heading(Span(0, 3), 1),), "")
