"""Augmentation: makes new, mostly unanswerable questions from given ones; deterministic for a seed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from math import log

import numpy as np

from app.training.examples import QaExample, table_text

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
_NUMBER_NAMES = ("#", "No.", "ID", "Item", "Ref", "Nr", "Section", "Requirement")
# Sections of a standard ("2.8.6") twice, as people look these up most.
_NUMBER_STYLES = (
    "{n}",
    "{a}.{n}",
    "{a}.{b}.{n}",
    "{a}.{b}.{n}",
    "{letter}{n}",
    "{letter}-{n}",
    "{letter}{a}.{n}",
)
_LOOKUPS = (
    "What is the {header} of {number}?", "{header} of {number}", "{number} {header}", "{header} for {number}?",
    "which {header} does {name} {number} have", "Which {header} is given for {number}?", "{name} {number}: {header}?",
)  # fmt: skip
_LONGEST_CELL = 60
# The share of the questions by a row's number that ask for a number of no row.
_NO_SUCH_ROW = 0.2
_OTHER = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}


class Augmenter:
    """Turns a share of the answerable questions into others, most of them unanswerable.

    `remove` is the probability of taking the sentences with the answer out of the context, `neighbour` of
    asking another paragraph of the same article instead, `swap` of naming something else in the question (another
    name or number of the context, or an opposite), `numbered` of numbering a table's rows and asking for a cell by its
    row's number. With `neighbours` the method `neighbour` can be called even where its probability is 0.
    """

    def __init__(
        self,
        examples: Iterable[QaExample],
        remove: float = 0.0,
        neighbour: float = 0.0,
        swap: float = 0.0,
        numbered: float = 0.0,
        neighbours: bool = False,
    ) -> None:
        self._ways = ((remove, self.without_answer), (neighbour, self.neighbour), (swap, self.swapped))
        self._numbered = numbered
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
        """The example, or with the given probabilities a variation of it."""
        if example.is_table and self._numbered and rng.random() < self._numbered:
            return self.by_number(example, rng) or example
        draw = rng.random()
        if not example.answers:
            return example
        for probability, way in self._ways:
            if draw < probability:
                return way(example, rng) or example
            draw -= probability
        return example

    def without_answer(self, example: QaExample, rng: np.random.Generator) -> QaExample | None:
        """The question on its context without the sentences that hold a reference.

        None where little is left, and for a context with a view.
        """
        wanted = {text.lower() for text, _ in example.answers}
        places = [(start, start + len(text)) for text, start in example.answers]
        remaining = []
        for match in _SENTENCE.finditer(example.context):
            sentence = match.group()
            if any(text in sentence.lower() for text in wanted):
                continue
            if not any(match.start() < end and start < match.end() for start, end in places):
                remaining.append(sentence)
        context = "".join(remaining).strip()
        if example.view or len(remaining) < 2 or any(text in context.lower() for text in wanted):
            return None
        return replace(example, context=context, answers=())

    def neighbour(self, example: QaExample, rng: np.random.Generator) -> QaExample | None:
        """The question on one of its article's three most similar paragraphs without a reference; None without one."""
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
        """The question with a name, number or word in it exchanged; None where there is none."""
        question = example.question
        home = _sentence_around(example.context, example.answers[0][1])
        choices: list[tuple[int, int, str]] = []
        for pattern in (_NUMBER, _NAME):
            others = {m for m in pattern.findall(example.context) if m not in home and m not in question}
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

    def by_number(self, example: QaExample, rng: np.random.Generator) -> QaExample | None:
        """A lookup by row number in the example's table, to which a first column of numbers is added.

        The number may be missing from the table, which makes the question unanswerable. None where the table has
        several rows of headers, or only one other row.
        """
        header_rows = example.header_rows or 0
        rows = [line.split("\t") for line in example.context.split("\n")[:-1]]
        body = rows[header_rows:]
        if header_rows != 1 or len(body) < 2 or len({len(row) for row in rows}) > 1:
            return None
        a, b, first = (int(n) for n in rng.integers(1, (15, 12, 4)))
        letter = "ABCDEFGHKMPRSTVX"[int(rng.integers(16))]
        style = _NUMBER_STYLES[int(rng.integers(len(_NUMBER_STYLES)))]
        numbers = [style.format(a=a, b=b, n=first + at, letter=letter) for at in range(len(body) + 2)]
        name = _NUMBER_NAMES[int(rng.integers(len(_NUMBER_NAMES)))]
        chosen = int(rng.integers(len(body)))
        fits = [
            column
            for column, cell in enumerate(body[chosen])
            if cell.strip() and len(cell) <= _LONGEST_CELL and rows[0][column].strip()
        ]
        if not fits:
            return None
        column = fits[int(rng.integers(len(fits)))]
        is_there = rng.random() >= _NO_SUCH_ROW
        number = numbers[chosen] if is_there else numbers[len(body) + int(rng.integers(2))]
        question = _LOOKUPS[int(rng.integers(len(_LOOKUPS)))].format(
            header=rows[0][column].strip(), number=number, name=name if name[-1].isalpha() else "number"
        )
        context, cells, view = table_text(
            [[name, *rows[0]], *([its, *row] for its, row in zip(numbers, body, strict=False))], 1
        )
        place = cells[1 + chosen][1 + column]
        answers = ((place.of(context), place.start),) if place and is_there else ()
        return replace(example, context=context, question=question, answers=answers, view=view)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _sentence_around(text: str, place: int) -> str:
    for match in _SENTENCE.finditer(text):
        if match.start() <= place < match.end():
            return match.group()
    return text
