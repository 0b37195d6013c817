"""Metrics of predictions against references: EM and F1 of answers, accuracy and macro F1 of classes, F1 of names."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = frozenset(string.punctuation)


def normalise_answer(text: str) -> str:
    """Lower case without punctuation, articles and surplus blanks (SQuAD, Rajpurkar et al. 2016)."""
    bare = "".join(c for c in text.lower() if c not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(prediction: str, references: Sequence[str]) -> float:
    """1.0 where the normalised prediction equals a reference, or is empty where there is none; else 0.0."""
    wanted = {normalise_answer(r) for r in references} or {""}
    return float(normalise_answer(prediction) in wanted)


def f1(prediction: str, references: Sequence[str]) -> float:
    """The best token F1 over the references, 0 to 1; where either side has no token: 1.0 if both have none."""
    found = normalise_answer(prediction).split()
    return max(words_f1(found, normalise_answer(reference).split()) for reference in references or ("",))


def words_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    """The F1 of two bags of words, 0 to 1; where either has none: 1.0 if both have none."""
    if not found or not wanted:
        return float(found == wanted)
    shared = (Counter(found) & Counter(wanted)).total()
    return 2 * shared / (len(found) + len(wanted))


def best_threshold(
    margins: Sequence[float], forced: Sequence[float], unanswerable: Sequence[bool]
) -> tuple[float, float]:
    """The margin from which answering gives the best mean score (inf: never), and that mean.

    `margins` are best span less null score, or the chances of an answer; `forced` is each question's score when it
    is answered; an unanswerable question scores 1 where it is not (SQuAD 2.0, Rajpurkar et al. 2018).
    """
    order = sorted(range(len(margins)), key=lambda i: -margins[i])
    total = float(sum(unanswerable))
    best, threshold = total, float("inf")
    for place, i in enumerate(order):
        total += -1.0 if unanswerable[i] else forced[i]
        last = place + 1 == len(order) or margins[order[place + 1]] < margins[i]
        if last and total > best:
            best, threshold = total, margins[i]
    return threshold, best / max(1, len(margins))


def accuracy(predicted: Sequence[str], actual: Sequence[str]) -> float:
    """Share of equal labels, 0 for none."""
    return sum(p == a for p, a in zip(predicted, actual, strict=True)) / max(1, len(actual))


def macro_f1(predicted: Sequence[str], actual: Sequence[str], labels: Sequence[str]) -> float:
    """Unweighted mean over `labels` of each class's F1; a class neither predicted nor present counts 0."""
    matrix = confusion(predicted, actual, labels)
    scores = []
    for i in range(len(labels)):
        both = sum(matrix[i]) + sum(row[i] for row in matrix)
        scores.append(2 * matrix[i][i] / both if both else 0.0)
    return sum(scores) / max(1, len(labels))


def confusion(predicted: Sequence[str], actual: Sequence[str], labels: Sequence[str]) -> list[list[int]]:
    """The confusion matrix: counts with a row for each actual and a column for each predicted label."""
    pairs = Counter(zip(actual, predicted, strict=True))
    return [[pairs[a, p] for p in labels] for a in labels]


@dataclass(frozen=True, slots=True)
class NameFigures:
    """Counts of true and found names, and precision, recall and F1, 0 to 1.

    Precision is 0 where none was found, recall where there is none, as in CoNLL's scorer.
    """

    names: int
    found: int
    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, names: int, found: int, right: int) -> NameFigures:
        """The figures of counts: true names, found ones, and found ones that are right."""
        f1 = 2 * right / max(1, found + names)
        return cls(names, found, right / max(1, found), right / max(1, names), f1)


def name_figures(
    predicted: Iterable[Iterable[tuple[Hashable, str]]], actual: Iterable[Iterable[tuple[Hashable, str]]]
) -> tuple[NameFigures, dict[str, NameFigures]]:
    """The figures of the names `(place, kind)` of texts, over all and by kind.

    A name is right where its place and its kind are (as CoNLL's scorer counts, Tjong Kim Sang and De Meulder 2003).
    """
    names: Counter[str] = Counter()
    found: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for guesses, truths in zip(predicted, actual, strict=True):
        guessed, true = set(guesses), set(truths)
        names.update(kind for _, kind in true)
        found.update(kind for _, kind in guessed)
        right.update(kind for _, kind in guessed & true)
    by_kind = {kind: NameFigures.of(names[kind], found[kind], right[kind]) for kind in sorted(names | found)}
    return NameFigures.of(names.total(), found.total(), right.total()), by_kind
