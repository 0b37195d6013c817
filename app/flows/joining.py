"""Paragraphs combined into long documents, to measure a reader where the answer is one place among many; sampling."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")


def join_paragraphs(paragraphs: Sequence[str], own: int, others: int, seed: str) -> str:
    """Paragraph `own` among `others` other paragraphs, in one text with blank lines between.

    The choice and order of the others and the position of `own` are random, reproducible by the seed; where there are
    fewer others, all of them are taken.
    """
    rng = random.Random(seed)
    places = [index for index in range(len(paragraphs)) if index != own]
    chosen = rng.sample(places, min(others, len(places)))
    chosen.insert(rng.randint(0, len(chosen)), own)
    return "\n\n".join(paragraphs[index] for index in chosen)


def sample(items: Sequence[ItemT], limit: int, seed: int) -> Sequence[ItemT]:
    """At most `limit` items, drawn at random by the seed and kept in their order; 0 takes all."""
    if not limit or len(items) <= limit:
        return items
    chosen = random.Random(seed).sample(range(len(items)), limit)
    return [items[index] for index in sorted(chosen)]
