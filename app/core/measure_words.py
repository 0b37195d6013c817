"""Names and meanings of measures, in plain words with the field's terms."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.measures import Comparison, Measure
from app.core.models import Head
from app.core.wording import count

# The noun for a head's examples, singular and plural.
NOUNS = {
    Head.QUESTION_ANSWERING: ("question", "questions"),
    Head.CLASSIFICATION: ("text", "texts"),
    Head.TOKEN_CLASSIFICATION: ("sentence", "sentences"),
}
# The usual level of significance.
_HARDLY = 0.05


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure's title, its meaning in a sentence, its term in the field, and whether less is better."""

    title: str
    words: str
    term: str
    less: bool = False


_FIGURES = {
    "exact": Figure(
        "Exact",
        "Questions answered with exactly the known words, or rightly not answered.",
        "exact match, EM (SQuAD 2.0)",
    ),
    "f1": Figure(
        "F1",
        "How far the words given are those of the known answer; a question rightly not answered counts in full.",
        "F1 over tokens (SQuAD 2.0)",
    ),
    "forced f1": Figure(
        "F1 of the best place",
        "F1 of the best place found, over the questions that have an answer, given or not.",
        "F1 with a forced answer",
    ),
    "no answer right": Figure(
        "Rightly unanswered",
        "Of the questions that the text does not answer, those left unanswered.",
        "no-answer accuracy",
    ),
    "accuracy": Figure("Right", "Texts given their known class.", "accuracy"),
    "macro f1": Figure(
        "F1 of the classes",
        "For each class, how many of its texts were found and how many wrongly put there; the mean over all classes.",
        "macro F1",
    ),
    "precision": Figure("Of those found", "Of the names found, those that are right.", "precision"),
    "recall": Figure("Of those there", "Of the names there, those that were found.", "recall"),
    "calibration error": Figure(
        "Calibration error",
        "How far its probabilities lie from how often it is right; less is better.",
        "expected calibration error, ECE, ten bins (Guo et al. 2017)",
        less=True,
    ),
}
_NAMES_F1 = Figure(
    "F1",
    "How many names were found with their exact place and kind, and how many found wrongly.",
    "entity F1 (CoNLL 2003)",
)


def figure(name: str, head: Head | None = None) -> Figure:
    """The name and meaning of a figure; an unknown one has its own name."""
    if name == "f1" and head is Head.TOKEN_CLASSIFICATION:
        return _NAMES_F1
    return _FIGURES.get(name, Figure(name[:1].upper() + name[1:], "", ""))


def examples(number: int, head: Head) -> str:
    """A number of examples with their noun: "130 questions"."""
    return count(number, *NOUNS.get(head, ("example", "examples")))


def speed(measure: Measure) -> str:
    """A model's speed: "31 a second", "0.4 a second"."""
    return f"{measure.speed:,.0f} a second" if measure.speed >= 9.95 else f"{measure.speed:.1f} a second"


def share(value: float) -> str:
    """A figure as shown, in per cent with one decimal."""
    return f"{value:.1f}%"


def verdict(found: Comparison) -> str:
    """Which of two models did better, and whether that may be chance, in a sentence or two."""
    first, second = found.both + found.only_first, found.both + found.only_second
    total = first + found.only_second + found.neither
    several = NOUNS.get(found.first.head, ("example", "examples"))[1]
    one, other = named(found)
    if found.only_first == found.only_second:
        facts = f"Both got {first:,} of {total:,} {several} right"
        return f"{facts}, the very same ones." if not found.only_first else f"{facts}, not all the same ones."
    if first < second:
        one, other, first, second = other, one, second, first
    facts = f"{one} got {first:,} of {total:,} {several} right, {other} {second:,}."
    if found.chance < _HARDLY:
        return f"{facts} That is hardly chance: two equally good models would differ so much {_rarity(found.chance)}."
    return (
        f"{facts} That may be chance: two equally good models would differ so much {_rarity(found.chance)}."
    )


def named(found: Comparison) -> tuple[str, str]:
    """The two models' names, marked as first and second if they are the same."""
    one, other = found.first.model, found.second.model
    return (one, other) if one != other else (f"{one} (first)", f"{other} (second)")


def _rarity(chance: float) -> str:
    if chance < 0.001:
        return "less than once in a thousand such tests"
    if chance < 0.0095:
        return f"about {round(1000 * chance)} times in a thousand such tests"
    return f"about {max(1, round(100 * chance))} times in a hundred such tests"
