"""A text file as its page shows it, which may differ from the text of the file."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from app.ui.document.text.long_lines import added

if TYPE_CHECKING:
    from app.core.layout import Opened


def as_shown(opened: Opened, text: str) -> Opened:
    """The file with the text shown on the page, which breaks very long lines: questions are about that text."""
    read = opened.document.text
    if text == read:
        return opened
    shown = replace(opened, document=replace(opened.document, text=text))
    if len(text) == len(read):
        return shown
    # A line without blanks is broken by an added line end: after it, positions differ from those in the file.
    breaks = added(read)
    known = len(text) == len(read) + len(breaks)
    shown = replace(shown, document=replace(shown.document, view=None))
    lines = (start + bisect_left(breaks, start) for start in opened.lines) if known else ()
    return replace(shown, headings=(), lines=array("i", lines), sha256="")
