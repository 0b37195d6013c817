from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.blanks import BLANK, blanks_in


@pytest.mark.parametrize(
    ("text", "blanks"),
    [
        ("a ___ b", ["___"]),
        ("__, [mask] and <MASK>!", ["__", "[mask]", "<MASK>"]),
        ("snake_case [MAS] < mask >", []),
        ("_____[MASK]", ["_____", "[MASK]"]),
        ("", []),
    ],
)
def test_what_counts_as_a_blank(text: str, blanks: list[str]) -> None:
    assert [blank.of(text) for blank in blanks_in(text)] == blanks


@given(st.lists(st.text(alphabet="ab .\n👩", max_size=6), min_size=1, max_size=8))
def test_blanks_stand_where_they_were_put(parts: list[str]) -> None:
    text = BLANK.join(parts)
    found = blanks_in(text)
    # Blanks without anything between them are one.
    assert len(found) == sum(bool(part) for part in parts[1:-1]) + (len(parts) > 1)
    assert "".join(blank.of(text) for blank in found) == "_" * text.count("_")
    assert all(a.end <= b.start for a, b in pairwise(found))
