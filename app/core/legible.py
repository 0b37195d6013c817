"""Texts of others as they are shown: labels, names, descriptions, words of documents.

Whoever writes a model's config or names a file chooses what stands in it: characters that steer a terminal, turn the
direction of what follows or are not seen at all, and any length. What is computed or exported keeps them.
"""

from __future__ import annotations

import re

_BREAKS = "\x85\u2028\u2029"
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f"
# Direction marks, overrides and isolates; then what has no width.
_TURNING = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_WIDTHLESS = "\u00ad\u180e\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
# Joiners are needed in Persian, in the scripts of India and in emoji; among Latin letters they only hide.
_JOINERS = "(?<![\u0590-\U0010ffff])[\u200c\u200d]"
_UNSEEN = re.compile(f"[{_TURNING}{_WIDTHLESS}]|{_JOINERS}")
_BLANK = re.compile(f"[{_CONTROLS}{_BREAKS}]")
_ALONE = re.compile("[\ud800-\udfff]")
_CUT = "…"


def legible(text: str, most: int = 200) -> str:
    """The text on one line of at most `most` characters, ending with an ellipsis where it was cut."""
    line = " ".join(_seen(text[: 4 * most]).replace("\u200b", "").split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1].rstrip() + _CUT


def legible_lines(text: str, most: int = 100_000) -> str:
    """The same with its lines, blanks, and the breaks of no width that long words were given."""
    if len(text) > most:
        return _seen(text[: most - 1]) + _CUT
    return text if text.isprintable() else _seen(text)


def legible_line(text: str, most: int = 2_000) -> str:
    """The same on one line: in place of a line end or a tab is a blank."""
    return legible_lines(text, most).replace("\n", " ").replace("\t", " ")


def _seen(text: str) -> str:
    return _ALONE.sub("\ufffd", _BLANK.sub(" ", _UNSEEN.sub("", text.replace("\r\n", "\n"))))
