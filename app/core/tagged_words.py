"""The words of a tagged text in a few arrays: many objects would be slow to send between processes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, overload

from app.core.text import Span


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word of a text and the tag that the model gave it, as its labels spell it (B-PER, O)."""

    span: Span
    tag: str
    probability: float


class TaggedWords(Sequence[TaggedWord]):
    """Words in text order, each created on access.

    `starts`, `ends` (code points) and `tags` (indices into `labels`) are as long as `probabilities`.
    """

    __slots__ = ("_ends", "_labels", "_probabilities", "_starts", "_tags")

    def __init__(
        self,
        labels: Sequence[str],
        starts: Iterable[int],
        ends: Iterable[int],
        tags: Iterable[int],
        probabilities: Iterable[float],
    ) -> None:
        self._labels = tuple(labels)
        self._starts, self._ends, self._tags = array("i", starts), array("i", ends), array("i", tags)
        self._probabilities = array("d", probabilities)

    def columns(self) -> dict[str, list[Any]]:
        """What to create them from again, in plain lists."""
        return {
            "labels": list(self._labels),
            "starts": self._starts.tolist(),
            "ends": self._ends.tolist(),
            "tags": self._tags.tolist(),
            "probabilities": self._probabilities.tolist(),
        }

    def __len__(self) -> int:
        return len(self._probabilities)

    @overload
    def __getitem__(self, at: int) -> TaggedWord: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[TaggedWord, ...]: ...
    def __getitem__(self, at: int | slice) -> TaggedWord | tuple[TaggedWord, ...]:
        if isinstance(at, slice):
            return tuple(self._at(each) for each in range(*at.indices(len(self))))
        return self._at(at)

    def __iter__(self) -> Iterator[TaggedWord]:
        return map(self._at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as any sequence that can be equal to a list

    def _at(self, at: int) -> TaggedWord:
        return TaggedWord(
            Span(self._starts[at], self._ends[at]), self._labels[self._tags[at]], self._probabilities[at]
        )
