"""Augmentation: new, mostly unanswerable questions made from given ones; deterministic for a seed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from math import log

import numpy as np

from app.training.examples import QaExample

_SENTENCE = re.compile(r"[^.!?]+(?:[.!?]+(?![\s]+[A-Z0-9\"'(“])[^.!?]*)*[.!?]*[\"')”]*\s*")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\b\d[\d,.]*\b")
_NAME = re.compile(r"\b[A-Z][\w’'-]+(?: (?:of |the |and )?[A-Z][\w’'-]+)*")
_OPPOSITES = (
    ("first", "last"), ("most", "least"), ("largest", "smallest"), ("highest", "lowest"), ("before", "after"),
    ("more", "less"), ("north", "south"), ("east", "west"), ("northern", "southern"), ("eastern", "western"),
    ("increase", "decrease"), ("increased", "decreased"), ("earliest", "latest"), ("oldest", "youngest"),
    ("old", "new"), ("began", "ended"), ("start", "end"), ("began", "stopped"), ("always", "never"), ("above", "below"),
    ("major", "minor"), ("common", "rare"), ("public", "private"), ("maximum", "minimum"), ("best", "worst"),
)  # fmt: skip
_OTHER = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}


class Augmenter:
    """Turns a share of the answerable questions into others, most of them unanswerable.

    `remove` is the probability of taking the sentences with the answer out of the context, `neighbour` of asking
    another paragraph of the same article instead, `swap` of replacing a name, number or word of the question (by
    another one of the context, or by its opposite). With `neighbours` the method `neighbour` can be called even where
    its probability is 0.
    """

    def __init__(
        self,
        examples: Iterable[QaExample],
        remove: float = 0.0,
        neighbour: float = 0.0,
        swap: float = 0.0,
        neighbours: bool = False,
    ) -> None:
        self._ways = ((remove, self.without_answer), (neighbour, self.neighbour), (swap, self.swapped))
        self._paragraphs: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        counts: Counter[str] = Counter()
        if neighbour or neighbours:
            for example in examples:
                article = self._paragraphs[example.title]
                if example.title and example.context not in article:
                    article[example.context] = _words(example.context)
                    counts.update(article[example.context])
        total = max(1, sum(map(len, self._paragraphs.values())))
        self._rarity = {word: log(total / count) for word, count in counts.items()}

    def vary(self, example: QaExample, rng: np.random.Generator) -> QaExample:
        """Return the example, or with the given probabilities a variation of it."""
        draw = rng.random()
        if not example.answers:
            return example
        for probability, way in self._ways:
            if draw < probability:
                return way(example, rng) or example
            draw -= probability
        return example

    def without_answer(self, example: QaExample, rng: np.random.Generator) -> QaExample | None:
        """Return the question on its context without the sentences that hold a reference answer.

        None where fewer than two sentences are left, and for a context with a view.
        """
        wanted = {text.lower() for text, _ in example.answers}
        spans = [(start, start + len(text)) for text, start in example.answers]
        remaining = []
        for match in _SENTENCE.finditer(example.context):
            sentence = match.group()
            if any(text in sentence.lower() for text in wanted):
                continue
            if not any(match.start() < end and start < match.end() for start, end in spans):
                remaining.append(sentence)
        context = "".join(remaining).strip()
        if example.view or len(remaining) < 2 or any(text in context.lower() for text in wanted):
            return None
        return replace(example, context=context, answers=())

    def neighbour(self, example: QaExample, rng: np.random.Generator) -> QaExample | None:
        """Return the question on another paragraph of its article, None where there is none.

        It is one of the three that share most with the question and hold no reference answer.
        """
        wanted = [text.lower() for text, _ in example.answers]
        question_words = _words(example.question)
        ranked = []
        for context, words in self._paragraphs.get(example.title, {}).items():
            if context != example.context and not any(text in context.lower() for text in wanted):
                ranked.append(
                    (sum(self._rarity.get(word, 0.0) for word in sorted(question_words & words)), context)
                )
        ranked.sort(reverse=True)
        if not ranked:
            return None
        return replace(
            example, context=ranked[int(rng.integers(min(3, len(ranked))))][1], answers=(), view=None
        )

    def swapped(self, example: QaExample, rng: np.random.Generator) -> QaExample | None:
        """Return the question with one name, number or word replaced, None where none can be."""
        question = example.question
        answer_sentence = _sentence_around(example.context, example.answers[0][1])
        choices: list[tuple[int, int, str]] = []
        for pattern in (_NUMBER, _NAME):
            others = set(pattern.findall(example.context))
            others = {m for m in others if m not in answer_sentence and m not in question}
            others = {m for m in others if not any(m in text or text in m for text, _ in example.answers)}
            for match in pattern.finditer(question):
                if match.start() > 0 and others:
                    options = sorted(others)
                    choices.append((*match.span(), options[int(rng.integers(len(options)))]))
        for match in _WORD.finditer(question):
            if match.group() in _OTHER:
                choices.append((*match.span(), _OTHER[match.group()]))
        if not choices:
            return None
        start, end, other = choices[int(rng.integers(len(choices)))]
        return replace(example, question=question[:start] + other + question[end:], answers=())


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _sentence_around(text: str, point: int) -> str:
    for match in _SENTENCE.finditer(text):
        if match.start() <= point < match.end():
            return match.group()
    return text
