"""A head's result as one side of a comparison: in words, and in rows of numbers."""

from __future__ import annotations

from app.core import wording
from app.core.inspection import Subject
from app.core.models import ModelCard, ProblemType, family_title
from app.core.name_types import plain_type
from app.core.results import Classifications, FilledText, FollowOns, Reading, TaggedTexts
from app.ui.inspect.compared import Side
from app.ui.inspect.words import one_line
from app.ui.kit.class_card import headline as class_headline
from app.ui.kit.score_bars import nice_label

_MOST = 6

Rows = list[tuple[str, float]]


def side_of(result: object, card: ModelCard, subject: Subject) -> Side:
    """One model's result of a subject.

    Raises TypeError for a result of no head.
    """
    probabilities = True
    match result:
        case Reading():
            headline, rows = _reading(result)
        case Classifications():
            probabilities = card.problem is not ProblemType.REGRESSION
            headline, rows = _classification(result)
        case FilledText():
            headline, rows = _filled(result)
        case FollowOns():
            likely = result.items[0].probability
            headline = "It follows." if likely >= 0.5 else "It does not follow."
            rows = [("It follows", likely), ("It does not follow", 1 - likely)]
        case TaggedTexts():
            names = result.items[0].entities
            headline = wording.count(len(names), "name")
            rows = [
                (f"{one_line(name.text, 40)} · {plain_type(name.label)}", name.probability) for name in names
            ]
        case _:
            raise TypeError(f"not a head's result: {type(result).__name__}")
    said = tuple(
        (name, value, wording.percent(value) if probabilities else f"{value:.3g}") for name, value in rows
    )
    weights = wording.count(card.parameters, "weight") if card.parameters else ""
    facts = " · ".join(part for part in (family_title(card.family), weights, result.device) if part)
    seconds = result.seconds
    # Names are in their rows, all other heads' results in the headline.
    outcome = tuple(name for name, _ in rows) if isinstance(result, TaggedTexts) else (headline,)
    if isinstance(result, Reading) and result.shown is None:
        outcome = ("",)  # however sure each is that the text does not say
    return Side(card.name, facts, headline, said, seconds, wording.duration(seconds), outcome, probabilities)


def _reading(result: Reading) -> tuple[str, Rows]:
    headline = wording.without_answer(result.no_answer_probability, whole=result.judged_whole)[0]
    if result.shown is not None:
        headline = f"{one_line(result.shown.text)}{'' if result.best is not None else ' (low confidence)'}"
    rows = [(one_line(answer.text, 60), answer.probability) for answer in result.answers[:_MOST]]
    return headline, [*rows, ("The text does not say", result.no_answer_probability)]


def _classification(result: Classifications) -> tuple[str, Rows]:
    item = result.items[0]
    rows = sorted(((nice_label(one.label), one.probability) for one in item.scores), key=lambda row: -row[1])
    if item.problem == ProblemType.REGRESSION:
        return class_headline(item), rows
    return nice_label(item.winner) if item.winner else "No class stands out", rows


def _filled(result: FilledText) -> tuple[str, Rows]:
    """The likeliest word of each blank; with several blanks each word says which one it is for."""
    headline = ", ".join(blank.guesses[0].word for blank in result.blanks if blank.guesses)
    each = max(2, _MOST // max(1, len(result.blanks)))
    rows = [
        (f"{number}: {guess.word}" if len(result.blanks) > 1 else guess.word, guess.probability)
        for number, blank in enumerate(result.blanks, start=1)
        for guess in blank.guesses[:each]
    ]
    return headline, rows
