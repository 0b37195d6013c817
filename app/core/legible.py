"""Makes untrusted text safe to show: labels, names, descriptions, words of documents.

Whoever writes a model's config or names a file may put anything in it: characters that control a terminal, reverse the
direction of what follows or are invisible, and any length. Computation and export keep the text unchanged.
"""

from __future__ import annotations

import re

_BREAKS = "\x85\u2028\u2029"
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f"
# Direction marks, overrides and isolates; then characters without width.
_DIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_WIDTHLESS = "\u00ad\u180e\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
# Joiners are needed in Persian, in the scripts of India and in emoji; among Latin letters they only hide.
_JOINERS = "(?<![\u0590-\U0010ffff])[\u200c\u200d]"
_INVISIBLE = re.compile(f"[{_DIRECTIONAL}{_WIDTHLESS}]|{_JOINERS}")
_TO_SPACE = re.compile(f"[{_CONTROLS}{_BREAKS}]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_ELLIPSIS = "…"


def legible(text: str, most: int = 200) -> str:
    """Return the text cleaned, on one line of at most `most` characters, with an ellipsis where it was cut."""
    line = " ".join(_cleaned(text[: 4 * most]).replace("\u200b", "").split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1].rstrip() + _ELLIPSIS


def legible_lines(text: str, most: int = 100_000) -> str:
    """Return the text cleaned, with its line breaks, spaces and zero-width spaces, of at most `most` characters."""
    if len(text) > most:
        return _cleaned(text[: most - 1]) + _ELLIPSIS
    return text if text.isprintable() else _cleaned(text)


def legible_line(text: str) -> str:
    """Return `legible_lines` of at most 2,000 characters on one line: line breaks and tabs become spaces."""
    return legible_lines(text, 2_000).replace("\n", " ").replace("\t", " ")


def _cleaned(text: str) -> str:
    return _LONE_SURROGATES.sub("\ufffd", _TO_SPACE.sub(" ", _INVISIBLE.sub("", text.replace("\r\n", "\n"))))
