"""A text file as its page shows it, where that is not to the letter what was read from the file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.core.layout import Opened


def as_shown(opened: Opened, text: str) -> Opened:
    """The file with the text that stands on the page, which breaks very long lines: that is what is asked about."""
    if text == opened.document.text:
        return opened
    shown = replace(opened, document=replace(opened.document, text=text))
    # A line without blanks is broken by a line end more: behind it, places are others than in the file.
    return shown if len(text) == len(opened.document.text) else replace(shown, headings=(), sha256="")
