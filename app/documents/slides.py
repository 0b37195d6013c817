"""Writes the slides of a presentation one after the other: a heading for each, its words, its notes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.core.layout import BlockKind, Style
from app.documents.block_words import Styles
from app.documents.blocks import LINE_BREAK, Blocks
from app.documents.parts import Parts

_NUMBERED = re.compile(r"Slide \d+( \(hidden\))?")


def slide_heading(blocks: Blocks, number: int, title: Iterable[tuple[str, Styles]], *, hidden: bool) -> None:
    """Begin a slide with the heading "Slide 3: Title" or "Slide 3 (hidden)"; numbers count from 1, hidden ones too."""
    words = [(" " if text == LINE_BREAK else text, styles) for text, styles in title]
    blocks.begin(BlockKind.HEADING, 1)
    blocks.words(f"Slide {number}{' (hidden)' if hidden else ''}")
    if any(text.strip() for text, _ in words):
        blocks.words(": ")
        blocks.runs(words)
    blocks.end()


def parts_of_slides(blocks: Blocks) -> Parts:
    """The slides that were added; no text if they have nothing but their numbers."""
    parts = blocks.parts()
    only_numbers = all(_NUMBERED.fullmatch(block.span.of(parts.text)) for block in parts.blocks)
    return Parts("") if only_numbers else parts


def notes_heading(blocks: Blocks) -> None:
    """Begin the notes of a slide, with a bold line rather than a heading, so that they stand under the slide's."""
    blocks.block(BlockKind.PARAGRAPH, "Notes", styles=frozenset([Style.STRONG]))
