"""Adds the plain text of a mail to blocks: its lines as they were typed, and what it quotes as quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from app.core.layout import BlockKind
from app.core.text import normalise_newlines
from app.documents.blocks import Blocks

_MARKS = re.compile(r"(?:>[ ]?)+")
_SIGNATURE = "-- "
_DEEPEST = 20
# What programs write above the mail that is answered, where they do not mark its lines.
_ORIGINAL = re.compile(
    r"\s*-{3,} ?(?:Original Message|Original Appointment|Ursprüngliche Nachricht|Mensaje original) ?-{3,}\s*",
    re.IGNORECASE,
)
# Columns that are set apart by blanks, in at least two lines.
_COLUMNS = re.compile(r"\S {3,}\S")


def add_plain(text: str, blocks: Blocks, *, flowed: bool = False, joined: bool = False) -> None:
    """Add a mail's plain text: paragraphs, and quotes as deep as their lines are marked with “>”.

    Everything below “-----Original Message-----” is a quote. With `flowed` a blank at a line's end joins it to the next
    one, with `joined` without that blank (RFC 3676, `format=flowed` and `delsp=yes`).
    """
    for (_, depth), lines in groupby(_lines(text, flowed), key=lambda each: each[:2]):
        words = [line for _, _, line in lines]
        if not depth and sum(_COLUMNS.search(line) is not None for line in words) > 1:
            blocks.begin(BlockKind.CODE)
            blocks.words("\n".join(words))
        elif any(map(str.strip, words)):
            blocks.begin(BlockKind.QUOTE if depth else BlockKind.PARAGRAPH, depth)
            for line in words:
                runs_on = flowed and line.endswith(" ") and line != _SIGNATURE
                blocks.words(line[:-1] if runs_on and joined else line)
                if not runs_on:
                    blocks.line_break()
        blocks.end()


def _lines(text: str, flowed: bool) -> Iterator[tuple[int, int, str]]:
    """The lines with words: the number of their paragraph, how deep they are quoted, and the line without marks."""
    paragraph = below = 0
    for line in normalise_newlines(text).split("\n"):
        marks = _MARKS.match(line)
        depth = marks[0].count(">") if marks else 0
        inner = line[marks.end() :] if marks else line
        if flowed and not marks and inner.startswith(" "):  # RFC 3676, section 4.4
            inner = inner[1:]
        if _ORIGINAL.fullmatch(inner):
            below = 1
            paragraph += 1
        if not inner.strip():
            paragraph += 1
            continue
        yield paragraph, min(depth + below, _DEEPEST), inner
