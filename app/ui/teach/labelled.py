"""A table's texts in memory: the labels that were given to each, the guesses, and which to label next."""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain, compress
from typing import TYPE_CHECKING

from app.core.labels import Dataset, GivenLabels
from app.core.message import Message
from app.ui.kit.translation import localised

if TYPE_CHECKING:
    from app.flows.teach.teach import Guesses

# Every tenth text is shown without a guess, to see whether guesses lead the person.
_HIDDEN = 10
# What was given to a text to which no label applies.
NONE = Message("none of them")


class TextRow:
    """A text with what is given and guessed now: all of a table are made once, however often their labels change."""

    __slots__ = ("_of", "row", "text")

    def __init__(self, of: LabelledTexts, row: int, text: str) -> None:
        self._of, self.row, self.text = of, row, text

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels that were given; None where none were yet."""
        given = self._of.given.get(self.row)
        return given.labels if given is not None else None

    @property
    def given(self) -> str:
        """What the person gave, in words; empty where nothing was given."""
        labels = self.labels
        return "" if labels is None else "; ".join(labels) or localised(NONE)

    @property
    def guess(self) -> str:
        """The likeliest label, empty where there is no guess yet."""
        return self._of.guess_of(self.row)

    @property
    def probability(self) -> float:
        return self._of.best_guess(self.row)[1]

    @property
    def label(self) -> str:
        """The label that counts: the person's, or else the guess."""
        return self.given or self.guess


class LabelledTexts:
    """The texts of one data set; a label among a hundred thousand costs no walk through all of them.

    `given_counts` counts the texts with each label, `all_rows` are the texts as rows of a table.
    """

    def __init__(self) -> None:
        self.dataset: Dataset | None = None
        self.texts: list[str] = []
        self.given: dict[int, GivenLabels] = {}
        self.guesses: Guesses | None = None
        self.all_rows: tuple[TextRow, ...] = ()
        self.given_counts: Counter[str] = Counter()
        self._shown_counts: Counter[str] | None = None
        # Of each text the index of the likeliest label, and its probability.
        self._best: list[int] = []
        self._shares: list[float] = []
        self._skipped: set[int] = set()
        self._hidden: dict[int, bool] = {}

    def take_texts(self, dataset: Dataset | None, texts: list[str], given: dict[int, GivenLabels]) -> None:
        """Take the texts of a data set with their labels, or the same ones as they are stored now."""
        if dataset is None or self.dataset is None or dataset.number != self.dataset.number:
            self._skipped, self._hidden = set(), {}
            self.forget_guesses()
            self.all_rows = tuple(TextRow(self, row, text) for row, text in enumerate(texts))
        elif dataset.labels != self.dataset.labels:
            self.forget_guesses()
        self.dataset, self.texts, self.given = dataset, texts, given
        self.given_counts = Counter(label for each in given.values() for label in each.labels)
        self._shown_counts = None

    def set_given(self, row: int, given: GivenLabels | None) -> None:
        """Set what is given to a text; None where nothing is."""
        self._count(row, -1)
        if given is None:
            self.given.pop(row, None)
        else:
            self.given[row] = given
        self._count(row, 1)

    def _count(self, row: int, by: int) -> None:
        if row in self.given:
            for label in self.given[row].labels:
                self.given_counts[label] += by
        if self._shown_counts is not None and (label := self.all_rows[row].label):
            self._shown_counts[label] += by

    def take_guesses(self, guesses: Guesses) -> None:
        """Take other guesses of all texts."""
        self.guesses, self._shown_counts = guesses, None
        self._best = guesses.probabilities.argmax(1).tolist()
        self._shares = guesses.probabilities.max(1).tolist()

    def forget_guesses(self) -> None:
        self.guesses, self._shown_counts = None, None
        self._best, self._shares = [], []

    def shown_counts(self) -> Counter[str]:
        """How many texts have each label, by the person or else by the guess."""
        if self._shown_counts is None and self.dataset is not None:
            guessed = Counter(compress(self._best, self._shares))
            counts = Counter({self.dataset.labels[at].name: number for at, number in guessed.items()})
            for row in self.given:
                counts[self.guess_of(row)] -= 1
                counts[self.all_rows[row].label] += 1
            del counts[""]
            self._shown_counts = counts
        return +(self._shown_counts or Counter())

    def skip(self, row: int) -> None:
        self._skipped.add(row)

    def next_row(self, after: int = -1, *, in_order: bool = False) -> int:
        """The next text to label: the most useful one, or the next in order; -1 where all have a label."""
        useful = self.guesses.next_rows if self.guesses is not None and not in_order else ()
        around = (range(after + 1, len(self.texts)), range(min(after, len(self.texts))))
        for _ in range(2):
            for row in chain(useful, *around):
                if row not in self._skipped and row != after and self._is_open(row):
                    return row
            self._skipped.clear()
        return after if 0 <= after < len(self.texts) and self._is_open(after) else -1

    def _is_open(self, row: int) -> bool:
        return row not in self.given and bool(self.texts[row].strip())

    def guess_of(self, row: int) -> str:
        """The label that is guessed for a text, empty where there is no guess yet."""
        return self.best_guess(row)[0]

    def best_guess(self, row: int) -> tuple[str, float]:
        """The likeliest label of a text and its probability; no label where there is no guess yet."""
        share = self._shares[row] if row < len(self._shares) else 0.0
        if not share or self.dataset is None:
            return "", 0.0
        return self.dataset.labels[self._best[row]].name, share

    def shows_guess(self, row: int) -> bool:
        """Whether the guess is shown while a text is labelled."""
        return not self._hidden.setdefault(row, random.randrange(_HIDDEN) == 0)

    def probabilities(self, row: int) -> list[float]:
        """The probabilities of the labels of a text; none where there is no guess yet."""
        return (
            self.guesses.probabilities[row].tolist()
            if self.guesses is not None and self.guess_of(row)
            else []
        )

    def missing(self) -> dict[str, int]:
        """How many examples each label lacks before a classifier is taught."""
        from app.flows.teach.teach import lacking

        return lacking(self.dataset, self.given_counts) if self.dataset is not None else {}
