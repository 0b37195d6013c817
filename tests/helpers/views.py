"""What must be true of every view, and a text as a model reads it."""

from __future__ import annotations

from itertools import pairwise

from app.core.text import View


def check_view(text: str, view: View) -> None:
    """Fail where a view does not fit its text."""
    end = 0
    for said in view.replacements:
        assert end <= said.start <= said.end <= len(text)
        # Only blanks and separators are read as something else.
        assert not any(map(str.isalnum, text[said.start : said.end])), said
        end = said.end
    for points in (view.bounds, [point for point, _ in view.headings]):
        assert all(0 <= point <= len(text) for point in points)
        assert all(one < other for one, other in pairwise(points))
    assert all("\n" not in words and len(words) < 1000 for _, words in view.headings)


def as_read(text: str, view: View) -> str:
    """The text with what is said in it."""
    pieces, at = [], 0
    for said in view.replacements:
        pieces += [text[at : said.start], said.words]
        at = said.end
    return "".join([*pieces, text[at:]])
