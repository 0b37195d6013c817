"""Paragraphs joined to long documents, to measure how a reader does when the answer is one place among many."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")


def join_paragraphs(paragraphs: Sequence[str], own: int, others: int, seed: str) -> str:
    """Paragraph `own` among so many others, in one text with blank lines between.

    Which others, their order, and where the own one stands are chosen by chance from the seed, always in the same
    way; where there are fewer others than asked for, all of them are taken.
    """
    dice = random.Random(seed)
    places = [index for index in range(len(paragraphs)) if index != own]
    chosen = dice.sample(places, min(others, len(places)))
    chosen.insert(dice.randint(0, len(chosen)), own)
    return "\n\n".join(paragraphs[index] for index in chosen)


def sample(items: Sequence[ItemT], limit: int, seed: int) -> Sequence[ItemT]:
    """At most `limit` items, chosen by chance from the seed, in their order; 0 takes all."""
    if not limit or len(items) <= limit:
        return items
    chosen = random.Random(seed).sample(range(len(items)), limit)
    return [items[index] for index in sorted(chosen)]
