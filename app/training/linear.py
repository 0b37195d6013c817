"""Linear classifiers over texts' unit vectors, and what is done with their probabilities: numpy only.

`vectors` are float32[texts, width], `targets` float32[texts, labels] with 1 where a label applies. With `multi` labels
do not exclude each other: each has a sigmoid, otherwise they share a softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.tasks.scores import sigmoid, softmax

Array = np.ndarray[Any, np.dtype[np.float32]]

# Unit vectors are scaled to this length, which sets how much the penalty on the weights counts: by `bench teach`.
_LENGTH = 3.0
# A label's name and description count as this many texts of it.
WORDS_COUNT = 4
_FOLDS, _SEED = 4, 13
# At most this many texts are compared to find the most useful ones, and learnt from for a first guess.
_CANDIDATES = 3000


@dataclass(frozen=True, slots=True)
class LinearHead:
    """Weights float32[width, labels] and biases float32[labels] of a classifier over unit vectors."""

    weights: Array
    bias: Array
    multi: bool = False

    def probabilities(self, vectors: Array) -> Array:
        """Each text's probabilities of the labels, float32[texts, labels]."""
        return _probabilities(vectors @ self.weights + self.bias, self.multi)


def fit(vectors: Array, targets: Array, *, multi: bool = False, steps: int = 300) -> LinearHead:
    """Fit a logistic regression with an L2 penalty of half the weights' squares, by accelerated gradient descent.

    Nesterov 1983; the step size is the inverse of the gradient's Lipschitz constant.
    """
    inputs = np.c_[vectors * _LENGTH, np.ones(len(vectors), dtype=np.float32)]
    penalised = np.ones((inputs.shape[1], 1), dtype=np.float32)
    penalised[-1] = 0.0
    weights: Array = np.zeros((inputs.shape[1], targets.shape[1]), dtype=np.float32)
    lookahead = weights
    curvature = float(np.linalg.eigvalsh(inputs.T @ inputs)[-1]) / (4 if multi else 2) + 1.0
    for step in range(steps):
        errors = _probabilities(inputs @ lookahead, multi) - targets
        gradient = inputs.T @ errors + penalised * lookahead
        before, weights = weights, (lookahead - gradient / curvature).astype(np.float32)
        lookahead = weights + step / (step + 3) * (weights - before)
    return LinearHead(_LENGTH * weights[:-1], weights[-1], multi)


@dataclass(frozen=True, slots=True)
class Pool:
    """The unit vectors of all texts of a data set and of its labels' words, each with their mean subtracted.

    What all texts have in common tells no labels apart; without it the labels' words alone are right far more often.
    """

    texts: Array
    words: Array

    @staticmethod
    def of(texts: Array, words: Array) -> Pool:
        """The pool of vectors as a model gave them."""
        return Pool(_centred(texts), _centred(words))

    def head(self, rows: Sequence[int], targets: Array, *, multi: bool = False) -> LinearHead:
        """Fit a classifier on the labelled texts in `rows`, a sample where they are many, and on the labels' words."""
        count, targets = self.words.shape[0], targets.reshape(-1, self.words.shape[0])
        if len(rows) > _CANDIDATES:
            some = np.random.default_rng(len(rows)).choice(len(rows), _CANDIDATES, replace=False)
            rows, targets = [rows[at] for at in some], targets[some]
        vectors = np.concatenate([self.texts[list(rows)], np.repeat(self.words, WORDS_COUNT, 0)])
        named = np.repeat(np.eye(count, dtype=np.float32), WORDS_COUNT, 0)
        return fit(vectors, np.concatenate([targets, named]), multi=multi)

    def most_useful(
        self, probabilities: Array, labelled: Sequence[int], open_rows: Sequence[int], count: int
    ) -> list[int]:
        """Up to `count` of the open rows, the most useful to label first.

        Active learning by uncertainty and diversity: the product of how unsure a text's label is and how unlike the
        labelled texts it is, those chosen before it among them.
        """
        rng = np.random.default_rng(len(labelled))
        left = np.asarray(list(open_rows), dtype=np.int64)
        if len(left) > _CANDIDATES:  # enough to choose from
            left = rng.choice(left, _CANDIDATES, replace=False)
        if not len(left):
            return []
        some = np.asarray(list(labelled), dtype=np.int64)
        some = rng.choice(some, _CANDIDATES, replace=False) if len(some) > _CANDIDATES else some
        texts, unsure = self.texts[left], uncertainty(probabilities[left])
        nearest = (
            (texts @ self.texts[some].T).max(1) if len(some) else np.full(len(left), -1.0, dtype=np.float32)
        )
        chosen: list[int] = []
        for _ in range(min(count, len(left))):
            at = int(np.argmax((unsure + 0.05) * (1.05 - nearest)))
            chosen.append(int(left[at]))
            nearest = np.maximum(nearest, texts @ texts[at])
            unsure[at] = -1.0
        return chosen


def uncertainty(probabilities: Array) -> Array:
    """How unsure each text's label is, 0 to 1: 1 minus its margin over the next likeliest, or over its own absence."""
    if probabilities.shape[1] < 2:
        return np.asarray(1 - np.abs(2 * probabilities[:, 0] - 1), dtype=np.float32)
    best = np.sort(probabilities, axis=1)
    return np.asarray(1 - (best[:, -1] - best[:, -2]), dtype=np.float32)


def folds(targets: Array, seed: int = _SEED, *, texts: Sequence[str] = ()) -> list[list[int]]:
    """The rows in up to four folds, stratified by label, for cross-validation.

    Rows of equal `texts` fall into the same fold: a text learnt by heart would flatter the figures.
    """
    rng = np.random.default_rng(seed)
    same: dict[object, list[int]] = {}
    for row in rng.permutation(len(targets)).tolist():
        same.setdefault(texts[row] if texts else row, []).append(row)
    parts: list[list[int]] = [[] for _ in range(_FOLDS)]
    for rows in sorted(same.values(), key=lambda rows: targets[rows[0]].tolist()):
        min(parts, key=len).extend(rows)
    return [sorted(part) for part in parts if part]


def learning_curve(
    vectors: Array, targets: Array, *, multi: bool = False, texts: Sequence[str] = ()
) -> list[tuple[int, float]]:
    """Numbers of examples, each with the error rate on held-out texts after training on that many.

    By cross-validation, with a quarter, half and all of the texts outside a fold; for `texts` see `folds`.
    """
    rng = np.random.default_rng(_SEED)
    parts = folds(targets, texts=texts)
    wrong: dict[float, list[float]] = {share: [] for share in (0.25, 0.5, 1.0)}
    for part in parts:
        rest = rng.permutation(sorted(set(range(len(targets))) - set(part)))
        for share, found in wrong.items():
            some = rest[: max(1, round(share * len(rest)))]
            head = fit(vectors[some], targets[some], multi=multi, steps=100)
            found.append(_error_rate(head.probabilities(vectors[part]), targets[part], multi))
    most = len(targets) * (len(parts) - 1) / max(1, len(parts))
    return [(round(share * most), float(np.mean(found))) for share, found in wrong.items()]


def gain(curve: Sequence[tuple[int, float]], more: int) -> float:
    """By how much the share of right labels would grow with `more` examples, by a power law fitted to a curve."""
    counts = np.log([max(1, count) for count, _ in curve])
    errors = np.log([max(1e-3, error) for _, error in curve])
    if len(set(counts.tolist())) < 2:
        return 0.0
    slope, start = np.polyfit(counts, errors, 1)
    last = curve[-1][0]
    now, then = (float(np.exp(start + min(0.0, slope) * np.log(count))) for count in (last, last + more))
    return max(0.0, now - then)


def pack(values: Array | Sequence[Sequence[float]]) -> bytes:
    """The numbers of each text as float16 bytes, to be stored."""
    return np.asarray(values, dtype=np.float16).tobytes()


def unpack(stored: bytes, width: int) -> Array:
    """The numbers that `pack` stored, float32[texts, width]."""
    return np.frombuffer(stored, dtype=np.float16).reshape(-1, width).astype(np.float32)


def joined(batches: Sequence[Array]) -> Array:
    """The numbers of the texts of all batches in one array."""
    return np.concatenate(list(batches))


def at_temperature(probabilities: Array | Sequence[Sequence[float]], temperature: float) -> Array:
    """Softmax probabilities as they would be with their logits divided by a temperature."""
    powers = np.maximum(probabilities, 1e-7) ** (1 / temperature)
    return np.asarray(powers / powers.sum(1, keepdims=True), dtype=np.float32)


def targets_of(labels: Sequence[Sequence[int]], count: int) -> Array:
    """The targets of texts, each given by the indices of the labels that apply to it."""
    found = np.zeros((len(labels), count), dtype=np.float32)
    for row, each in enumerate(labels):
        found[row, list(each)] = 1.0
    return found


def _error_rate(probabilities: Array, targets: Array, multi: bool) -> float:
    if multi:
        return float(((probabilities >= 0.5) != (targets >= 0.5)).mean())
    return float((probabilities.argmax(1) != targets.argmax(1)).mean())


def _probabilities(logits: Array, multi: bool) -> Array:
    return np.asarray(sigmoid(logits) if multi else softmax(logits), dtype=np.float32)


def _centred(vectors: Array) -> Array:
    """The vectors with their mean subtracted, as unit vectors; a single one as it is."""
    moved = vectors - vectors.mean(0) if len(vectors) > 1 else vectors
    return np.asarray(
        moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9), dtype=np.float32
    )
