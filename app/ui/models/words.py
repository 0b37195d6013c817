"""Texts of the Models page about models: heads, figures, labels, times."""

from __future__ import annotations

from datetime import UTC, datetime

from app.core import days, wording
from app.core.about import command
from app.core.languages import languages as in_words
from app.core.legible import legible
from app.core.licences import licence_in_words
from app.core.measure_words import speed
from app.core.measures import Measure
from app.core.models import Head, ModelCard, QaCalibration, family_title
from app.core.name_types import plain_type
from app.core.offers import Origin, Source
from app.ui.kit.facts import Fact

# A head's page by its name on the rail; its task in a word.
PAGES: dict[Head, str] = {
    Head.QUESTION_ANSWERING: "Ask",
    Head.CLASSIFICATION: "Classify",
    Head.MASKED_WORDS: "Fill in",
    Head.NEXT_SENTENCE: "Next sentence",
    Head.TOKEN_CLASSIFICATION: "Names",
    Head.EMBEDDINGS: "Libraries",
}
DOES: dict[Head, str] = {
    Head.QUESTION_ANSWERING: "Answers questions",
    Head.CLASSIFICATION: "Classifies",
    Head.MASKED_WORDS: "Fills in words",
    Head.NEXT_SENTENCE: "Tells what follows",
    Head.TOKEN_CLASSIFICATION: "Finds names",
    Head.EMBEDDINGS: "Finds passages by meaning",
}
TASKS = (("", "Task"), *((head.value, page) for head, page in PAGES.items()))
_MOST_LABELS = 12
_MOST_MEASURES = 4
# The most important figures, with their words; stored and measured ones have the same names.
_FIGURES = {
    "f1": "F1", "exact": "exact", "accuracy": "right", "masked top1": "hidden word right",
    "masked top5": "among its first five", "next sentence accuracy": "what follows right", "precision": "precision",
    "recall": "recall", "calibration error": "calibration error",
}  # fmt: skip
_MOST_FIGURES = 3


def does(heads: tuple[Head, ...]) -> str:
    """A model's tasks, in a few words: "Answers questions", "Fills in words, tells what follows"."""
    words = [DOES[head] for head in heads]
    return ", ".join([*words[:1], *(word[0].lower() + word[1:] for word in words[1:])])


def labels_in_words(labels: tuple[str, ...], *, names: bool = False) -> str:
    """The classes, or with `names` the kinds of names: "People (PER), places (LOC)"; a long list is cut."""
    plain = list(dict.fromkeys(map(legible, labels)))
    if names:
        kinds = dict.fromkeys(_bare(label) for label in labels if label.upper() != "O")
        plain = [
            kind if plain_type(kind) == kind else f"{plain_type(kind)} ({legible(kind)})" for kind in kinds
        ]
        plain = [*plain[:1], *(kind[:1].lower() + kind[1:] if "(" in kind else kind for kind in plain[1:])]
    if len(plain) > _MOST_LABELS:
        return f"{', '.join(plain[:_MOST_LABELS])} and {len(plain) - _MOST_LABELS} more"
    return ", ".join(plain)


def _bare(label: str) -> str:
    return label[2:] if label[:2] in ("B-", "I-", "E-", "S-", "L-", "U-") and len(label) > 2 else label


def when(moment: str, now: datetime | None = None, *, within: bool = False) -> str:
    """A moment (ISO 8601) in words: "Today, 14:05", "today, 14:05" within a sentence; empty for none."""
    if not moment:
        return ""
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone()
    day = days.day(at.date(), (now or datetime.now().astimezone()).date())
    if within and day in ("Today", "Yesterday"):
        day = day.lower()
    return f"{day}, {at:%H:%M}"


def longest(tokens: int) -> str:
    """The longest input in tokens, and approximately in English words."""
    return f"{tokens:,} tokens at a time, about {round(tokens * 0.75, -1):,.0f} words" if tokens else ""


def number_of(parameters: int) -> str:
    """A number of weights: "22.6 million", "334 million", "47,362"."""
    millions = parameters / 1e6
    if millions < 1:
        return f"{parameters:,}"
    return f"{millions:.1f} million" if millions < 100 else f"{millions:,.0f} million"


def card_facts(card: ModelCard, *, licence: str = "", languages: tuple[str, ...] = ()) -> list[Fact]:
    """The facts of any model, installed or not."""
    kinds = Head.TOKEN_CLASSIFICATION in card.heads and Head.CLASSIFICATION not in card.heads
    weights = f"{number_of(card.parameters)}, {card.dtype}" if card.parameters else ""
    return [
        Fact(
            "Names" if kinds else "Classes",
            labels_in_words(card.labels, names=kinds),
            ", ".join(card.labels[:200]),
        ),
        Fact("Languages", in_words(languages or card.languages, 6) or "not stated"),
        Fact("Reads", longest(card.max_length), "A longer text is read in windows that overlap"),
        Fact("Weights", weights, f"{family_title(card.family)}; parameters, and how each is stored"),
        licence_fact(licence or card.licence),
    ]


def licence_fact(stated: str) -> Fact:
    """A model's licence."""
    return Fact("Licence", licence_in_words(stated) or "not stated", "As its authors state it")


def measured_here(measures: tuple[Measure, ...]) -> str:
    """A model's measures on this computer, a line for each set of examples."""
    lines = [
        f"{one.data} ({wording.count(one.examples, 'example')}): {words}, {speed(one)}"
        for one in measures
        if (words := _figures(one.figures, 1.0))
    ]
    return "\n".join(lines[:_MOST_MEASURES])


def makers_figures(card: ModelCard) -> str:
    """The figures in a model's own card, a line for each data set; not verified here."""
    lines = []
    for data, figures in card.measured.items():
        # Figures of question answering are in per cent, all others are shares of 1.
        words = _figures(figures, 1.0 if "exact" in figures else 100.0)
        number = figures.get("questions") or figures.get("texts") or 0
        if words:
            lines.append(f"{data} ({wording.count(round(number), 'example')}): {words}")
    return "\n".join(lines[:_MOST_MEASURES])


def fitted(card: ModelCard) -> Fact:
    """Whether a model's probabilities were calibrated; empty for one whose heads need no calibration."""
    plain = (Head.QUESTION_ANSWERING in card.heads and card.calibration == QaCalibration()) or (
        Head.CLASSIFICATION in card.heads and card.class_temperature == 1.0
    )
    words = "As the model gives them, never fitted to examples: it may be too sure" if plain else ""
    return Fact("Probabilities", words, f"{command()} evaluate ... --model {card.name} --fit fits them")


def _figures(figures: dict[str, float], times: float) -> str:
    figures_found = [
        f"{words} {figures[name] * times:.0f}%" for name, words in _FIGURES.items() if name in figures
    ]
    return ", ".join(figures_found[:_MOST_FIGURES])


def subtitle(card: ModelCard, *, starter: bool) -> str:
    """The line below a model's name: its architecture, and its origin."""
    source = "comes with Spanlight" if starter else card.repository
    return " · ".join(words for words in (family_title(card.family), source) if words)


def came_from(card: ModelCard | None, origin: Origin | None) -> tuple[str, str]:
    """A model's origin, and further detail for the tool tip."""
    source = origin.source if origin is not None else card.source if card is not None else Source.UNKNOWN
    if source == Source.STARTER:
        return "", ""
    if origin is None:
        return "Its folder was put here by hand", card.folder if card is not None else ""
    moment = when(origin.added, within=True)
    if source == Source.HUB:
        linked = "its files are in the Hugging Face cache" if origin.linked and card is not None else ""
        below = "; ".join(words for words in (f"added {moment}" if moment else "", linked) if words)
        line = f"\n{below[0].upper()}{below[1:]}" if below else ""
        return f"{origin.repository}, commit {origin.commit[:8]}{line}", origin.commit
    if source == Source.TAUGHT:
        return f"Taught on this computer {moment}".strip(), ""
    added = f"\nAdded {moment}" if moment else ""
    kind = "The zip" if source == Source.ARCHIVE else "The folder"
    left = "; its files were left there" if origin.linked else ""
    return f"{kind} {origin.path}{left}{added}" if origin.path else "", ""
