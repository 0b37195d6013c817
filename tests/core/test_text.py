"""Places in a text: what a span is, and how newlines are made one kind."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import EngineLost, SpanlightError
from app.core.text import Span, normalise_newlines

places = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda ends: Span(min(ends), max(ends)))


@pytest.mark.parametrize("ends", [(-1, 2), (3, 2), (-2, -1)])
def test_what_is_no_place_is_no_span(ends: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(*ends)


@given(st.text(max_size=50), places)
def test_a_span_counts_code_points(text: str, span: Span) -> None:
    assert span.of(text) == "".join(list(text)[span.start : span.end])
    assert len(span) == span.end - span.start


@given(places, places)
def test_spans_overlap_where_they_share_a_character(one: Span, other: Span) -> None:
    shared = set(range(one.start, one.end)) & set(range(other.start, other.end))
    assert one.overlaps(other) == other.overlaps(one) == bool(shared)


@given(st.text(alphabet="a\r\n\u2028\x85", max_size=20))
def test_newlines_become_line_feeds_and_nothing_else_changes(text: str) -> None:
    found = normalise_newlines(text)
    assert "\r" not in found
    assert found == normalise_newlines(found)
    assert found.split("\n") == text.replace("\r\n", "\r").replace("\n", "\r").split("\r")


@pytest.mark.parametrize("kind", [SpanlightError, EngineLost])
def test_faults_cross_processes_whole(kind: Any) -> None:
    fault = pickle.loads(pickle.dumps(kind("It is so.", "Do this.")))
    assert (type(fault), fault.message, fault.hint, str(fault)) == (
        kind,
        "It is so.",
        "Do this.",
        "It is so. Do this.",
    )
