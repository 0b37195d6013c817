"""A long text looked over by a quicker forward pass, so that the exact one reads only the windows that may matter."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.tasks.spans import MAX_TOKENS
from app.tasks.windows import Window

# Fitting the quicker pass to a text, and looking how near it comes, costs what it saves on half as many windows.
LEAST_WINDOWS = 96
# Of the windows that were read exactly before, so many are taken to fit it (with 8 it was not nearer, and took
# 0.3 s more), and so many others to learn how far it is off.
FITTED_TO, CHECKED_ON = 4, 8


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A window of document number `document` on its way to the model, and its group: the neighbours read with it."""

    document: int
    window: Window
    group: int


def best_scores(windows: Sequence[Window], start_logits: np.ndarray, end_logits: np.ndarray) -> np.ndarray:
    """Each window's best score over the spans that it scores, float[b]; no candidate scores more.

    Takes a batch's logits, float[b, L]. Spans of nothing but punctuation count too, which `spans.span_scores` leaves
    out: to look for them costs more than to read a window in vain now and then.
    """
    scored, context = np.zeros((2, *start_logits.shape), dtype=bool)
    start_logits = start_logits.copy()
    for row, window in enumerate(windows):
        stop = window.context_at + len(window.starts)
        if window.lexical is not None:
            start_logits[row, window.context_at : stop] += window.lexical
        scored[row, window.context_at : stop] = window.scored
        context[row, window.context_at : stop] = True
    # The best end within MAX_TOKENS of each start: a running maximum, its reach doubled step by step.
    ends = np.where(context, end_logits, -np.inf)
    reach = 1
    while reach < MAX_TOKENS:
        step = min(reach, MAX_TOKENS - reach)
        ends[:, :-step] = np.maximum(ends[:, :-step], ends[:, step:])
        reach += step
    return np.where(scored, start_logits + ends, -np.inf).max(axis=1)


class Margin:
    """How far a window's exact best score may lie above its screened one, learnt from windows scored both ways.

    The differences are taken for normally distributed, with their mean and standard deviation; while there are few,
    `_BELIEVED` more of standard deviation `_BELIEF` count too. Only one in 700 lies above three deviations, and it
    matters only for a window whose screened score ends up less than a margin below the bound: a few per cent of all.
    """

    _DEVIATIONS, _DEVIATIONS_SHOWN = 3.0, 5.0
    _BELIEF, _BELIEVED = 0.25, 4
    _LEAST = 0.25
    # The tail is longer than a normal distribution's.
    _BEYOND = 1.25

    def __init__(self) -> None:
        self._count = 0
        self._sum = self._squares = self._most = 0.0

    def take(self, exact: np.ndarray, screened: np.ndarray) -> None:
        """Learns from windows' best scores by the exact pass and by the quicker one, float[n] each."""
        apart = np.asarray(exact - screened, dtype=np.float64)
        self._count += len(apart)
        self._sum += float(apart.sum())
        self._squares += float((apart**2).sum())
        self._most = max(self._most, float(apart.max(initial=0.0)))

    @property
    def usual(self) -> float:
        """The margin, in logits, for what only counts among others: one that is missed changes shares a little."""
        return self._of(self._DEVIATIONS)

    @property
    def wide(self) -> float:
        """The margin, in logits, for the answers that are shown: larger than any difference seen."""
        return max(self._of(self._DEVIATIONS_SHOWN), self._BEYOND * self._most)

    def _of(self, deviations: float) -> float:
        count = self._count + self._BELIEVED
        mean = self._sum / count
        variance = (self._squares + self._BELIEVED * self._BELIEF**2) / count - mean**2
        return max(self._LEAST, mean + deviations * math.sqrt(max(0.0, variance)))


class Waiting:
    """The windows that were screened and not read exactly, by their screened scores.

    With `whole_groups` a window is taken out together with those of its group.
    """

    def __init__(self, whole_groups: bool) -> None:
        self._whole_groups = whole_groups
        self._ranked: list[tuple[float, int]] = []
        self._pieces: list[Piece | None] = []
        self._groups: dict[int, list[tuple[float, int]]] = {}

    def __len__(self) -> int:
        return len(self._ranked)

    def add(self, piece: Piece, score: float) -> None:
        """Takes a window in."""
        rank = score, len(self._pieces)
        insort(self._ranked, rank)
        self._pieces.append(piece)
        if self._whole_groups:
            self._groups.setdefault(piece.group, []).append(rank)

    def above(self, score: float) -> int:
        """How many windows have at least this screened score."""
        return len(self._ranked) - bisect_left(self._ranked, (score, -1))

    def pop(self, least: float, most: int) -> tuple[list[Piece], np.ndarray]:
        """Takes out at most `most` of those with at least the screened score `least`, or a group; and their scores.

        Gives the best, best first, or a group in the order of the text; nothing where there is none.
        """
        count = min(most, self.above(least))
        if not count:
            return [], np.zeros(0)
        if self._whole_groups:
            best = self._piece(self._ranked[-1])
            taken = sorted(self._groups.pop(best.group), key=lambda rank: self._piece(rank).window.first)
            for rank in taken:
                del self._ranked[bisect_left(self._ranked, rank)]
        else:
            taken = self._ranked[: -count - 1 : -1]
            del self._ranked[-count:]
        pieces = [self._piece(rank) for rank in taken]
        for _, number in taken:
            self._pieces[number] = None
        return pieces, np.array([score for score, _ in taken])

    def _piece(self, rank: tuple[float, int]) -> Piece:
        piece = self._pieces[rank[1]]
        assert piece is not None
        return piece
