"""The heat of answers, from parts of a text to parts of a page's height."""

from __future__ import annotations

from collections.abc import Sequence


def edges_of(parts: int, length: int) -> list[int]:
    """The `parts + 1` code points that part a text of `length` into parts as `Reading.heat` counts them."""
    return [length * part // max(1, parts) for part in range(parts + 1)]


def over_height(heat: Sequence[float], edges: Sequence[float], parts: int = 0) -> list[float]:
    """The heat of `parts` equal parts of a page's height: in each the highest that reaches into it.

    `edges` are the shares of the height, 0 to 1, where the parts of the text begin and where the last one ends; without
    `parts` there are as many as a Reading has.
    """
    if not parts:
        from app.core.results import HEAT_BINS

        parts = HEAT_BINS
    spread = [0.0] * parts
    for value, top, bottom in zip(heat, edges[:-1], edges[1:], strict=True):
        if value <= 0.0:
            continue
        first = min(parts - 1, max(0, int(top * parts)))
        # A part that ends exactly at an edge does not reach into the next one.
        last = min(parts - 1, max(first, -int(-bottom * parts // 1) - 1))
        for part in range(first, last + 1):
            spread[part] = max(spread[part], value)
    return spread
