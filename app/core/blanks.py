"""Blanks typed into a text."""

from __future__ import annotations

import re

from app.core.text import Span

BLANK = "___"

# Separate expressions: with different first characters they are many times faster than a combined one.
_BLANKS = tuple(map(re.compile, (r"__+", r"\[[Mm][Aa][Ss][Kk]\]", r"<[Mm][Aa][Ss][Kk]>")))


def blanks_in(text: str) -> tuple[Span, ...]:
    """The places of the blanks in a text, from left to right: two or more underscores, [MASK] or <mask>."""
    found = (match for blank in _BLANKS for match in blank.finditer(text))
    return tuple(Span(start, end) for start, end in sorted(match.span() for match in found))
