"""The texts of a data set in memory: their labels, the classifier's guesses, and which text to label next."""

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

# One text in ten is shown without its guess, to measure whether guesses lead the person.
_HIDDEN = 10
# Shown as the label of a text to which no label applies.
NONE = Message("none of them")


class TextRow:
    """A text with its current label and guess, which it looks up; it is made once for each text of a data set."""

    __slots__ = ("_texts", "row", "text")

    def __init__(self, texts: LabelledTexts, row: int, text: str) -> None:
        self._texts, self.row, self.text = texts, row, text

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels that the person gave; None before any were given."""
        given = self._texts.given.get(self.row)
        return given.labels if given is not None else None

    @property
    def given(self) -> str:
        """The labels that the person gave, in words; empty before any were given."""
        labels = self.labels
        return "" if labels is None else "; ".join(labels) or localised(NONE)

    @property
    def guess(self) -> str:
        """The likeliest label; empty without a guess."""
        return self._texts.guess_of(self.row)

    @property
    def probability(self) -> float:
        """The probability of the likeliest label; 0 without a guess."""
        return self._texts.best_guess(self.row)[1]

    @property
    def label(self) -> str:
        """The label in force: the person's, or else the guess."""
        return self.given or self.guess


class LabelledTexts:
    """The texts of one data set; giving a label takes constant time, however many texts there are.

    `given_counts` has how many texts the person gave each label; `all_rows` are the texts as rows of a table.
    """

    def __init__(self) -> None:
        self.dataset: Dataset | None = None
        self.texts: list[str] = []
        self.given: dict[int, GivenLabels] = {}
        self.guesses: Guesses | None = None
        self.all_rows: tuple[TextRow, ...] = ()
        self.given_counts: Counter[str] = Counter()
        self._shown_counts: Counter[str] | None = None
        # For each text the index of its likeliest label, and the label's probability.
        self._best: list[int] = []
        self._shares: list[float] = []
        self._skipped: set[int] = set()
        self._hidden: dict[int, bool] = {}

    def take_texts(self, dataset: Dataset | None, texts: list[str], given: dict[int, GivenLabels]) -> None:
        """Take the texts and labels of a data set; of the current one, as they are stored now."""
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
        """Set the labels of a text; None removes them."""
        self._count(row, -1)
        if given is None:
            self.given.pop(row, None)
        else:
            self.given[row] = given
        self._count(row, 1)

    def _count(self, row: int, by: int) -> None:
        """Change the counts of a text's labels by a number."""
        if row in self.given:
            for label in self.given[row].labels:
                self.given_counts[label] += by
        if self._shown_counts is not None and (label := self.all_rows[row].label):
            self._shown_counts[label] += by

    def take_guesses(self, guesses: Guesses) -> None:
        """Take new guesses for all texts."""
        self.guesses, self._shown_counts = guesses, None
        self._best = guesses.probabilities.argmax(1).tolist()
        self._shares = guesses.probabilities.max(1).tolist()

    def forget_guesses(self) -> None:
        """Forget the guesses, which are of other texts or labels."""
        self.guesses, self._shown_counts = None, None
        self._best, self._shares = [], []

    def shown_counts(self) -> Counter[str]:
        """How many texts have each label in force."""
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
        """Leave a text out of `next_row` until all others are labelled or skipped."""
        self._skipped.add(row)

    def next_row(self, after: int = -1, *, in_order: bool = False) -> int:
        """Return the next text to label: the most useful one, or the next in order; -1 if all have labels."""
        useful = self.guesses.next_rows if self.guesses is not None and not in_order else ()
        around = (range(after + 1, len(self.texts)), range(min(after, len(self.texts))))
        for _ in range(2):
            for row in chain(useful, *around):
                if row not in self._skipped and row != after and self._is_unlabelled(row):
                    return row
            self._skipped.clear()
        return after if 0 <= after < len(self.texts) and self._is_unlabelled(after) else -1

    def _is_unlabelled(self, row: int) -> bool:
        return row not in self.given and bool(self.texts[row].strip())

    def guess_of(self, row: int) -> str:
        """The likeliest label of a text; empty without a guess."""
        return self.best_guess(row)[0]

    def best_guess(self, row: int) -> tuple[str, float]:
        """The likeliest label of a text and its probability; empty and 0 without a guess."""
        share = self._shares[row] if row < len(self._shares) else 0.0
        if not share or self.dataset is None:
            return "", 0.0
        return self.dataset.labels[self._best[row]].name, share

    def shows_guess(self, row: int) -> bool:
        """Whether a text is labelled with its guess in view: decided at random, once for each text."""
        return not self._hidden.setdefault(row, random.randrange(_HIDDEN) == 0)

    def probabilities(self, row: int) -> list[float]:
        """The probability of each label for a text; empty without a guess."""
        if self.guesses is None or not self.guess_of(row):
            return []
        return self.guesses.probabilities[row].tolist()

    def missing(self) -> dict[str, int]:
        """How many more examples each label needs before a classifier is taught."""
        from app.flows.teach.teach import lacking

        return lacking(self.dataset, self.given_counts) if self.dataset is not None else {}
