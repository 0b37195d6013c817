"""Suggestions for mistyped words."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A suggestion of the nearest known word: "Did you mean classify?".

    Empty if none is near, and for a file's name or path ("train.csv"), which is not a mistyped word.
    """
    if any(mark in word for mark in "./\\"):
        return ""
    from difflib import get_close_matches

    by_case = {each.casefold(): each for each in known}
    near = get_close_matches(word.casefold(), by_case, 1, 0.7)
    return f"Did you mean {by_case[near[0]]}?" if near else ""
