"""Searches in turns, run to their end."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Found = TypeVar("Found")


def at_once(steps: Generator[None, None, Found]) -> Found:
    """The result of a search in turns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Found = end.value
            return found
