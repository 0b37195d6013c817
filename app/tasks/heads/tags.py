"""Converts words' tags into names: the tagging schemes (BIO and others) of a model's labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

# B begin, I and M inside, E and L last, S and U single: BIO, IOB, BIOES, BIOLU (BILOU), BMES.
_MARKED = re.compile(r"([BIMELSU])[-_](.+)", re.IGNORECASE)
_OUTSIDE = re.compile(r"o|out|outside|none|null|x|pad|_|[\[<]\w+[\]>]|", re.IGNORECASE)
# A name may run over the end of a line, never over that of a paragraph or of a table cell.
_BOUND = re.compile(r"\t|\n[^\S\n]*\n")


class Mark(Enum):
    """The position of a tag's word in a name."""

    OUTSIDE = ""
    BEGIN = "B"
    INSIDE = "I"
    LAST = "E"
    SINGLE = "S"


_MARKS = {
    "B": Mark.BEGIN, "I": Mark.INSIDE, "M": Mark.INSIDE, "E": Mark.LAST, "L": Mark.LAST,
    "S": Mark.SINGLE, "U": Mark.SINGLE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TagScheme:
    """The mark and type of each label of a model, in the labels' order, and the types in the order they first occur."""

    tags: tuple[tuple[Mark, str], ...]
    types: tuple[str, ...]

    @classmethod
    def of(cls, labels: Sequence[str]) -> TagScheme:
        """The scheme that labels are written in.

        Where most labels carry a mark (B-PER, I_LOC, S-ORG) marks are read; else every label is a type (IO). "O" and
        similar labels mean that a word is outside names.
        """
        inside = [label for label in labels if not _OUTSIDE.fullmatch(label)]
        marked = 2 * sum(_MARKED.fullmatch(label) is not None for label in inside) > len(inside)
        tags = tuple(_tag(label, marked) for label in labels)
        return cls(tags, tuple(dict.fromkeys(kind for _, kind in tags if kind)))

    def tag(self, kind: str, *, first: bool, last: bool) -> int | None:
        """The label of a name's first, last or other word, or of one outside names (`kind` empty); None without one."""
        if not kind:
            wanted = [Mark.OUTSIDE]
        elif first:
            wanted = [*[Mark.SINGLE] * last, Mark.BEGIN, Mark.INSIDE, *[Mark.LAST] * last]
        else:
            wanted = [*[Mark.LAST] * last, Mark.INSIDE, Mark.BEGIN]
        return next((self.tags.index((mark, kind)) for mark in wanted if (mark, kind) in self.tags), None)

    def names(
        self, tags: np.ndarray, text: str, starts: np.ndarray, ends: np.ndarray
    ) -> list[tuple[int, int, str]]:
        """Each name's first word, the one after its last, and type, from all words' tags (int[n]) and places.

        A name begins at B, and at an I or E that does not continue a name of its type (Tjong Kim Sang and De Meulder
        2003); none runs over the end of a paragraph or of a table cell.
        """
        outside = np.array([mark is Mark.OUTSIDE for mark, _ in self.tags])
        found: list[tuple[int, int, str]] = []
        goes_on = False
        for at in np.flatnonzero(~outside[tags]).tolist():
            mark, kind = self.tags[tags[at]]
            if (
                goes_on
                and mark in (Mark.INSIDE, Mark.LAST)
                and found[-1][1:] == (at, kind)
                and not _BOUND.search(text, ends[at - 1], starts[at])
            ):
                found[-1] = (found[-1][0], at + 1, kind)
            else:
                found.append((at, at + 1, kind))
            goes_on = mark in (Mark.BEGIN, Mark.INSIDE)
        return found


def _tag(label: str, marked: bool) -> tuple[Mark, str]:
    if _OUTSIDE.fullmatch(label):
        return Mark.OUTSIDE, ""
    found = _MARKED.fullmatch(label) if marked else None
    return (_MARKS[found[1].upper()], found[2]) if found else (Mark.INSIDE, label)
