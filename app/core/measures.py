"""Measures of models on examples with known answers, and their names and meanings in plain words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.offers import Source


@dataclass(frozen=True, slots=True)
class ExampleSet:
    """A file of examples with known answers; `title` is its name for the user, `line` a sentence about it."""

    path: str
    title: str
    head: Head
    examples: int
    line: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """The figures of one model on one set of examples.

    `model` and `folder` name the model, `data` the set; `digest` is the SHA-256 of the examples' inputs, so that only
    measures on the same examples are compared. `figures` maps a figure's name ("exact", "f1", "accuracy", "calibration
    error" ...) to its value in per cent. `seconds` is the time of reading, without loading. `right` has one digit per
    example in order, 1 if it was answered correctly. `when` is ISO 8601, UTC.
    """

    model: str
    folder: str
    head: Head
    data: str
    digest: str
    examples: int
    figures: dict[str, float]
    seconds: float
    device: str
    right: str
    when: str

    @property
    def speed(self) -> float:
        """Examples a second."""
        return self.examples / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models' measures on the same examples: how many both, only one, or neither got right."""

    first: Measure
    second: Measure
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def chance(self) -> float:
        """The p-value of the difference, 0 to 1.

        The exact two-sided McNemar test (McNemar 1947; Fagerland et al. 2013, exact conditional): under the null
        hypothesis, each example that only one model got right is the first's or the second's with probability one half.
        """
        count = self.only_first + self.only_second
        term = total = 1
        for at in range(min(self.only_first, self.only_second)):
            term = term * (count - at) // (at + 1)
            total += term
        return min(1.0, 2 * total / 2**count)


def latest_of(card: ModelCard, measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Return one model's latest measure on each set of examples, from measures sorted latest first.

    A starter is identified by its name, as its bundled folder changes with each installation.
    """
    found: dict[tuple[str, str], Measure] = {}
    for one in measures:
        if one.folder == card.folder or (card.source == Source.STARTER and one.model == card.name):
            found.setdefault((one.head, one.digest), one)
    return tuple(found.values())


# The heads that can be measured.
MEASURED = (Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.TOKEN_CLASSIFICATION)
_KINDS = {
    Head.QUESTION_ANSWERING: Message("questions"),
    Head.CLASSIFICATION: Message("texts"),
    Head.TOKEN_CLASSIFICATION: Message("sentences"),
}
# The usual level of significance.
_SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure's title, its meaning in a sentence (`words`), its term in the field, and whether lower is better."""

    title: str
    words: str
    term: str
    lower_is_better: bool = False


_FIGURES = {
    "exact": Figure(
        Message("Exact"),
        Message("Questions answered with exactly the known words, or rightly not answered."),
        Message("exact match, EM (SQuAD 2.0)"),
    ),
    "f1": Figure(
        Message("F1"),
        Message(
            "How far the words given are those of the known answer; a question rightly not answered counts in full."
        ),
        Message("F1 over tokens (SQuAD 2.0)"),
    ),
    "forced f1": Figure(
        Message("F1 of the best place"),
        Message("F1 of the best place found, over the questions that have an answer, given or not."),
        Message("F1 with a forced answer"),
    ),
    "no answer right": Figure(
        Message("Rightly unanswered"),
        Message("Of the questions that the text does not answer, those left unanswered."),
        Message("no-answer accuracy"),
    ),
    "accuracy": Figure(Message("Right"), Message("Texts given their known class."), Message("accuracy")),
    "macro f1": Figure(
        Message("F1 of the classes"),
        Message(
            "For each class, how many of its texts were found and how many wrongly put there; the mean over all"
            " classes."
        ),
        Message("macro F1"),
    ),
    "precision": Figure(
        Message("Of those found"), Message("Of the names found, those that are right."), Message("precision")
    ),
    "recall": Figure(
        Message("Of those there"), Message("Of the names there, those that were found."), Message("recall")
    ),
    "calibration error": Figure(
        Message("Calibration error"),
        Message("How far its probabilities lie from how often it is right; less is better."),
        Message("expected calibration error, ECE, ten bins (Guo et al. 2017)"),
        lower_is_better=True,
    ),
}
_NAMES_F1 = Figure(
    Message("F1"),
    Message("How many names were found with their exact place and kind, and how many found wrongly."),
    Message("entity F1 (CoNLL 2003)"),
)


def figure(name: str, head: Head | None = None) -> Figure:
    """Return the title and meaning of a figure; an unknown one is titled by its name."""
    if name == "f1" and head is Head.TOKEN_CLASSIFICATION:
        return _NAMES_F1
    return _FIGURES.get(name, Figure(name[:1].upper() + name[1:], "", ""))


def examples(number: int, head: Head) -> str:
    """Count examples with their noun: "130 questions"."""
    match head:
        case Head.QUESTION_ANSWERING:
            return Message("{n:,} question", "{n:,} questions", n=number)
        case Head.CLASSIFICATION:
            return Message("{n:,} text", "{n:,} texts", n=number)
        case Head.TOKEN_CLASSIFICATION:
            return Message("{n:,} sentence", "{n:,} sentences", n=number)
    return Message("{n:,} example", "{n:,} examples", n=number)


def kind_of_examples(head: Head) -> str:
    """Return the noun for the examples of a head: "questions"."""
    return _KINDS.get(head, Message("examples for this"))


def speed(measure: Measure) -> str:
    """Return a model's speed in words: "31 a second", "0.4 a second"."""
    if measure.speed >= 9.95:
        return Message("{speed:,.0f} a second", speed=measure.speed)
    return Message("{speed:.1f} a second", speed=measure.speed)


def share(value: float) -> str:
    """Return a figure as shown, in per cent with one decimal."""
    return Message("{number:.1f}%", number=value)


def verdict(comparison: Comparison) -> str:
    """Say which of two models did better, and whether that may be chance, in a sentence or two."""
    first, second = comparison.both + comparison.only_first, comparison.both + comparison.only_second
    total = examples(first + comparison.only_second + comparison.neither, comparison.first.head)
    one, other = model_names(comparison)
    if not comparison.only_first and not comparison.only_second:
        return Message("Both got {right:,} of {total} right, the very same ones.", right=first, total=total)
    if comparison.only_first == comparison.only_second:
        return Message(
            "Both got {right:,} of {total} right, not all the same ones.", right=first, total=total
        )
    if first < second:
        one, other, first, second = other, one, second, first
    facts = Message(
        "{one} got {first:,} of {total} right, {other} {second:,}.",
        one=one, first=first, total=total, other=other, second=second,
    )  # fmt: skip
    rarity = _rarity(comparison.chance)
    if comparison.chance < _SIGNIFICANCE:
        return Message(
            "{facts} That is hardly chance: two equally good models would differ so much {rarity}.",
            facts=facts, rarity=rarity,
        )  # fmt: skip
    return Message(
        "{facts} That may be chance: two equally good models would differ so much {rarity}.",
        facts=facts, rarity=rarity,
    )  # fmt: skip


def model_names(comparison: Comparison) -> tuple[str, str]:
    """Return the two models' names, marked as first and second if they are the same."""
    one, other = comparison.first.model, comparison.second.model
    if one != other:
        return one, other
    return Message("{model} (first)", model=one), Message("{model} (second)", model=other)


def _rarity(chance: float) -> str:
    if chance < 0.001:
        return Message("less than once in a thousand such tests")
    if chance < 0.0095:
        return Message("about {times} times in a thousand such tests", times=round(1000 * chance))
    return Message("about {times} times in a hundred such tests", times=max(1, round(100 * chance)))
