"""Blanks that a person typed into a text."""

from __future__ import annotations

import re

from app.core.text import Span

BLANK = "___"

_BLANK = re.compile(r"_{2,}|\[MASK\]|<mask>", re.IGNORECASE)


def blanks_in(text: str) -> tuple[Span, ...]:
    """The places of the blanks in a text, from left to right: two or more underscores, [MASK] or <mask>."""
    return tuple(Span(found.start(), found.end()) for found in _BLANK.finditer(text))
