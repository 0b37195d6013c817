"""Words for what the page Models shows of a model: tasks, labels, sizes, figures, origin, times."""

from __future__ import annotations

from datetime import UTC, datetime

from app.core import days
from app.core.about import command
from app.core.languages import languages as in_words
from app.core.legible import legible
from app.core.licences import licence_in_words
from app.core.measures import Measure, speed
from app.core.message import Message
from app.core.models import Head, ModelCard, QaCalibration, family_title
from app.core.name_types import plain_type, types_of_tags
from app.core.offers import Origin, Source
from app.ui.kit.facts import Fact
from app.ui.kit.translation import format_number, localised, tr

# The page of each head, as named on the rail; the name also stands for the head's task.
PAGES: dict[Head, str] = {
    Head.QUESTION_ANSWERING: Message("Ask"),
    Head.CLASSIFICATION: Message("Classify"),
    Head.MASKED_WORDS: Message("Fill in"),
    Head.NEXT_SENTENCE: Message("Next sentence"),
    Head.TOKEN_CLASSIFICATION: Message("Names"),
    Head.EMBEDDINGS: Message("Libraries"),
}
# Each head's task, as the first of a list and after another one.
_TASK_WORDS: dict[Head, tuple[str, str]] = {
    Head.QUESTION_ANSWERING: (Message("Answers questions"), Message("answers questions")),
    Head.CLASSIFICATION: (Message("Classifies"), Message("classifies")),
    Head.MASKED_WORDS: (Message("Fills in words"), Message("fills in words")),
    Head.NEXT_SENTENCE: (Message("Tells what follows"), Message("tells what follows")),
    Head.TOKEN_CLASSIFICATION: (Message("Finds names"), Message("finds names")),
    Head.EMBEDDINGS: (Message("Finds passages by meaning"), Message("finds passages by meaning")),
}
TASKS = (("", Message("Task")), *((head.value, page) for head, page in PAGES.items()))
_MOST_LABELS = 12
_MOST_MEASURES = 4
# The figures that are shown, by their names in cards and measures, the most important first.
_FIGURES = {
    "f1": Message("F1"), "exact": Message("exact"), "right": Message("right"), "accuracy": Message("right"),
    "masked top1": Message("hidden word right"), "masked top5": Message("among its first five"),
    "next sentence accuracy": Message("what follows right"), "precision": Message("precision"),
    "recall": Message("recall"), "calibration error": Message("calibration error"),
}  # fmt: skip
_MOST_FIGURES = 3


def tasks_in_words(heads: tuple[Head, ...]) -> str:
    """A model's tasks, in a few words: "Answers questions", "Fills in words, tells what follows"."""
    return ", ".join(localised(_TASK_WORDS[head][at > 0]) for at, head in enumerate(heads))


def labels_in_words(labels: tuple[str, ...], *, names: bool = False) -> str:
    """The classes, or with `names` the types of names: "People (PER), Places (LOC)"; a long list is cut."""
    plain = list(dict.fromkeys(map(legible, labels)))
    if names:
        plain = [
            kind if plain_type(kind) == kind else f"{localised(plain_type(kind))} ({legible(kind)})"
            for kind in types_of_tags(labels)
        ]
    words = ", ".join(plain[:_MOST_LABELS])
    more = len(plain) - _MOST_LABELS
    return tr("{labels} and {more} more", labels=words, more=more) if more > 0 else words


def when(moment: str, now: datetime | None = None, *, within: bool = False) -> str:
    """A moment (ISO 8601) in words: "Today, 14:05", or "today, 14:05" within a sentence; empty for an empty one."""
    if not moment:
        return ""
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone()
    day = days.day(at.date(), (now or datetime.now().astimezone()).date(), within=within)
    return tr("{date}, {time}", date=day, time=f"{at:%H:%M}")


def longest_input(tokens: int) -> str:
    """The longest input, in tokens and roughly in English words; empty if it is unknown (0)."""
    if not tokens:
        return ""
    words = round(tokens * 0.75, -1)
    return tr("{tokens:,} tokens at a time, about {words:,.0f} words", tokens=tokens, words=words)


def parameters_in_words(parameters: int) -> str:
    """A number of parameters in words: "22.6 million", "334 million", "47,362"."""
    millions = parameters / 1e6
    if millions < 1:
        return format_number(parameters, ",")
    if millions < 100:
        return tr("{number:.1f} million", number=millions)
    return tr("{number:,.0f} million", number=millions)


def card_facts(card: ModelCard, *, licence: str = "", languages: tuple[str, ...] = ()) -> list[Fact]:
    """The facts of any model, installed or not."""
    kinds = Head.TOKEN_CLASSIFICATION in card.heads and Head.CLASSIFICATION not in card.heads
    weights = f"{parameters_in_words(card.parameters)}, {card.dtype}" if card.parameters else ""
    return [
        Fact(
            tr("Names") if kinds else tr("Classes"),
            labels_in_words(card.labels, names=kinds),
            ", ".join(card.labels[:200]),
        ),
        Fact(tr("Languages"), localised(in_words(languages or card.languages, 6)) or tr("not stated")),
        Fact(
            tr("Reads"), longest_input(card.max_length), tr("A longer text is read in windows that overlap")
        ),
        Fact(
            tr("Weights"),
            weights,
            tr("{family}; parameters, and how each is stored", family=family_title(card.family)),
        ),
        licence_fact(licence or card.licence),
    ]


def licence_fact(stated: str) -> Fact:
    """A model's licence."""
    return Fact(
        tr("Licence"), localised(licence_in_words(stated)) or tr("not stated"), tr("As its authors state it")
    )


def measured_here(measures: tuple[Measure, ...]) -> str:
    """The measures of a model taken on this computer, a line for each example set."""
    lines = [
        tr(
            "{data} ({examples}): {figures}, {speed}",
            data=one.data,
            examples=_examples(one.examples),
            figures=words,
            speed=speed(one),
        )
        for one in measures
        if (words := _figures(one.figures, 1.0))
    ]
    return "\n".join(lines[:_MOST_MEASURES])


def _examples(number: int) -> str:
    return Message("{n:,} example", "{n:,} examples", n=number)


def makers_figures(card: ModelCard) -> str:
    """The figures in a model's own card, which nobody verified here, a line for each data set."""
    lines = []
    for data, figures in card.measured.items():
        # Figures of question answering are in per cent, all others are shares of 1.
        words = _figures(figures, 1.0 if "questions" in figures else 100.0)
        number = figures.get("questions") or figures.get("texts") or 0
        if words:
            lines.append(
                tr(
                    "{data} ({examples}): {figures}",
                    data=data,
                    examples=_examples(round(number)),
                    figures=words,
                )
            )
    return "\n".join(lines[:_MOST_MEASURES])


def calibration_fact(card: ModelCard) -> Fact:
    """A note that a model's probabilities were never calibrated; its value is empty where they were or need not be."""
    uncalibrated = (Head.QUESTION_ANSWERING in card.heads and card.calibration == QaCalibration()) or (
        Head.CLASSIFICATION in card.heads and card.class_temperature == 1.0
    )
    words = (
        tr("As the model gives them, never fitted to examples: it may be too sure") if uncalibrated else ""
    )
    return Fact(
        tr("Probabilities"),
        words,
        tr("{command} fits them", command=f"{command()} evaluate ... --model {card.name} --fit"),
    )


def _figures(figures: dict[str, float], scale: float) -> str:
    """The most important of these figures, each times `scale` a percentage."""
    shown = [
        tr("{figure} {number:.0f}%", figure=words, number=figures[name] * scale)
        for name, words in _FIGURES.items()
        if name in figures
    ]
    return ", ".join(shown[:_MOST_FIGURES])


def subtitle(card: ModelCard) -> str:
    """The line below a model's name: its architecture, and its origin."""
    source = tr("comes with Spanlight") if card.source == Source.STARTER else card.repository
    return " · ".join(localised(words) for words in (family_title(card.family), source) if words)


def origin_in_words(card: ModelCard | None, origin: Origin | None) -> tuple[str, str]:
    """A model's origin, and further detail for its tool tip; empty for a starter model."""
    source = origin.source if origin is not None else card.source if card is not None else Source.UNKNOWN
    if source == Source.STARTER:
        return "", ""
    if origin is None:
        return tr("Its folder was put here by hand"), card.folder if card is not None else ""
    moment = when(origin.added, within=True)
    added = tr("Added {moment}", moment=moment) if moment else ""
    if source == Source.HUB:
        if origin.linked and card is not None:
            added = tr("Its files are in the Hugging Face cache")
            if moment:
                added = tr("Added {moment}; its files are in the Hugging Face cache", moment=moment)
        line = tr("{repository}, commit {commit}", repository=origin.repository, commit=origin.commit[:8])
        return f"{line}\n{added}".rstrip(), origin.commit
    if source == Source.TAUGHT:
        taught = tr("Taught on this computer {moment}", moment=moment)
        return taught if moment else tr("Taught on this computer"), ""
    if not origin.path:
        return "", ""
    if source == Source.ARCHIVE:
        line = tr("The zip {path}", path=origin.path)
    elif origin.linked:
        line = tr("The folder {path}; its files were left there", path=origin.path)
    else:
        line = tr("The folder {path}", path=origin.path)
    return f"{line}\n{added}".rstrip(), ""
