"""Searches the catalogue of models, recommends stronger readers, and tells how models fit this computer."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.languages import MANY, reads
from app.core.languages import language as language_name
from app.core.measures import Measure, examples, kind_of_examples
from app.core.message import Message, shipped
from app.core.models import Head, ModelCard, family_title
from app.core.offers import OfferedModel
from app.core.plain import from_plain
from app.core.report import Report
from app.core.wording import duration
from app.core.wording import size as bytes_in_words
from app.flows.workspace import Workspace
from app.models.compute.memory import computer

_log = logging.getLogger(__name__)

EASILY, WELL, LARGE, TOO_LARGE = "easily", "well", "large", "too large"
# The largest share of memory for the weights at each level; activations and other programs need memory too.
_SHARES = ((1 / 8, EASILY), (1 / 3, WELL), (2 / 3, LARGE))
_FIT_SENTENCES = {
    EASILY: Message("Fits easily: takes {needed} of this computer's {memory} of memory."),
    WELL: Message("Fits: takes {needed} of this computer's {memory} of memory."),
    LARGE: Message("Large for this computer: takes {needed} of its {memory}."),
    TOO_LARGE: Message("Too large for this computer: takes {needed} of its {memory}."),
}
# Readers with more weights, or that take more seconds per page here, are not recommended.
_MOST_WEIGHTS = 200 * 10**6
_SLOW_PAGE = 20.0
# A page has about 500 words, or 680 tokens; windows of 384 tokens advance by 256, so tokens are read 1.5 times.
_TOKENS_ON_PAGE = 1000
_BYTES = 4  # of a weight in memory, as float32
_SEARCH_WORDS = {
    Head.QUESTION_ANSWERING: "ask answers questions reader",
    Head.CLASSIFICATION: "classify classes sentiment",
    Head.MASKED_WORDS: "fill in blanks masked words",
    Head.NEXT_SENTENCE: "follow on next sentence",
    Head.TOKEN_CLASSIFICATION: "names entities ner tokens",
    Head.EMBEDDINGS: "search libraries embeddings sentence meaning",
}

# Prefixes of licences that allow any use by anyone, and parts of the names of those that do not.
_FREE = ("apache", "mit", "bsd", "cc-by-4", "cc-by-3", "cc-by-sa", "cc0", "afl", "unlicense", "isc", "wtfpl")
_RESTRICTED = ("-nc", "-nd", "openrail", "non-commercial", "research")


def offered(workspace: Workspace, report: Report) -> tuple[OfferedModel, ...]:
    """Read the bundled catalogue, sorted by head and size; raises SpanlightError if its file cannot be read."""
    report.check()
    return read_catalogue(workspace.paths.catalogue_file)


def read_catalogue(path: Path) -> tuple[OfferedModel, ...]:
    """Read a catalogue, sorted by head and size; raises SpanlightError if it is missing or malformed."""
    try:
        models = from_plain(tuple[OfferedModel, ...], json.loads(path.read_bytes())["models"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as fault:
        _log.warning("catalogue not read: %s", fault)
        raise SpanlightError(
            Message("The catalogue {file} cannot be read.", file=path.name),
            Message("Install Spanlight again, or type a model's name."),
        ) from fault
    heads = list(Head)
    ordered = sorted(models, key=lambda each: (heads.index(each.heads[0]), each.size, each.repository))
    return tuple(replace(model, line=shipped(model.line)) for model in ordered)


def search(
    models: Sequence[OfferedModel],
    words: str = "",
    *,
    head: Head | None = None,
    language: str = "",
    largest: int = 0,
    licence: str = "",
) -> tuple[OfferedModel, ...]:
    """Filter models by words and properties, keeping their order.

    Every word has to occur, whatever its case, in a model's name, line, labels, languages, family, licence or purpose.
    `language` is an ISO 639 code or a language's name; models of many languages match each. `largest` is in bytes, 0
    for any. `licence` is "free" for licences that allow any use by anyone, "restricted" for the others.
    """
    wanted = words.casefold().split()
    tongue = language.strip().casefold()
    return tuple(
        model
        for model in models
        if (head is None or head in model.heads)
        and (not tongue or _lists_language(model, tongue))
        and (not largest or model.size <= largest)
        and (not licence or (free_licence(model.licence) is True) == (licence == "free"))
        and _has_words(model, wanted)
    )


def stronger(
    models: Sequence[OfferedModel], reader: ModelCard, *, without: Collection[str] = (), language: str = ""
) -> tuple[OfferedModel, ...]:
    """The readers in `models` with a higher F1 in a reader's languages, highest first, except those `without`.

    F1 is that on SQuAD 2.0 as reported by the models' authors or, for a `reader` without it, as measured. With the
    `language` of the texts, the readers also read that, or only that if the `reader` does not.
    """
    own = squad2_f1(models, reader)
    found = (
        model
        for model in models
        if model.squad2_f1 > own
        and model.repository not in without
        and _reads(model, language, reader)
        and (
            _is_foreign(language, reader)
            or any(_lists_language(model, tongue) for tongue in reader.languages or model.languages)
        )
    )
    return tuple(sorted(found, key=lambda model: -model.squad2_f1))


def squad2_f1(models: Sequence[OfferedModel], reader: ModelCard) -> float:
    """A reader's F1 on SQuAD 2.0 in per cent, the higher of the reported and the measured one; 0 without either."""
    found = [model.squad2_f1 for model in models if model.repository == reader.repository]
    found += [figures.get("f1", 0.0) for data, figures in reader.measured.items() if data.endswith("squad2")]
    return max(found, default=0.0)


@dataclass(frozen=True, slots=True)
class Stronger:
    """Readers that are stronger than the one in use: the best `installed` one, and even stronger ones `to_have`.

    `reader_f1` is the `squad2_f1` of the `reader` in use.
    """

    reader: ModelCard
    reader_f1: float
    installed: ModelCard | None
    to_have: tuple[OfferedModel, ...]


def stronger_readers(workspace: Workspace, report: Report, *, language: str = "") -> Stronger:
    """Find the readers that are `stronger` than the one in use for the `language` of the texts.

    Raises SpanlightError if no reader is in use.
    """
    models = offered(workspace, report)
    reader = workspace.find_model(Head.QUESTION_ANSWERING)
    cards = workspace.shelf.cards()
    readers = [
        card
        for card in cards
        if Head.QUESTION_ANSWERING in card.heads
        and _reads(card, language, reader)
        and (_is_foreign(language, reader) or set(card.languages) >= set(reader.languages))
    ]
    own = squad2_f1(models, reader)
    best = max(readers, key=lambda card: squad2_f1(models, card), default=reader)
    here = {card.repository for card in cards}
    # A reader without figures, such as a taught version, may be just as good.
    installed = best if squad2_f1(models, best) > own > 0 else None
    to_have = stronger(models, installed or reader, without=here, language=language)
    return Stronger(reader, own, installed, to_have)


def recommended(readers: Sequence[OfferedModel], reading_speed: float) -> OfferedModel | None:
    """The first of the readers that fits this computer's memory well and is fast enough.

    None if all are too large or, at the `reading_speed` of the settings, too slow.
    """
    return next(
        (
            each
            for each in readers
            if each.parameters <= _MOST_WEIGHTS
            and page_seconds(each.parameters, reading_speed) <= _SLOW_PAGE
            and memory_fit(each) in (EASILY, WELL)
        ),
        None,
    )


def page_seconds(parameters: int, reading_speed: float) -> float:
    """The estimated seconds that a reader takes for a page, by its parameters; 0 if the speed is unknown."""
    return _TOKENS_ON_PAGE * parameters / reading_speed if reading_speed else 0.0


def summary(model: OfferedModel, reading_speed: float) -> str:
    """A stronger reader in words: its name, F1, size, and its time per page here if that is known."""
    size = bytes_in_words(model.size)
    if not reading_speed:
        return Message(
            "{model}, F1 {f1} on SQuAD 2.0 as its authors report, {size}",
            model=model.title,
            f1=model.squad2_f1,
            size=size,
        )
    return Message(
        "{model}, F1 {f1} on SQuAD 2.0 as its authors report, {size}, roughly {time} a page on this computer",
        model=model.title,
        f1=model.squad2_f1,
        size=size,
        time=page_time(model.parameters, reading_speed),
    )


def page_time(parameters: int, reading_speed: float) -> str:
    """The `page_seconds` in words."""
    seconds = page_seconds(parameters, reading_speed)
    return duration(seconds if seconds < 2 else round(seconds))


def free_licence(licence: str) -> bool | None:
    """Whether a licence allows any use by anyone; None if it is not known."""
    name = licence.strip().casefold()
    if any(part in name for part in _RESTRICTED):
        return False
    return True if name.startswith(_FREE) else None


def memory_fit(model: OfferedModel | ModelCard) -> str:
    """How a model's weights fit this computer's memory: EASILY, WELL, LARGE, TOO_LARGE; "" if unknown."""
    needed, memory = model.parameters * _BYTES, computer()[0]
    if not needed or not memory:
        return ""
    return next((level for share, level in _SHARES if needed <= share * memory), TOO_LARGE)


def suits(
    model: OfferedModel | ModelCard | None, workspace: Workspace, *, measures: Sequence[Measure] = ()
) -> str:
    """A sentence on how a model suits this computer: the memory of its weights, and its speed if known.

    A reader's speed is its `page_seconds`; that of other models is estimated by the number of parameters from the
    latest of `measures` of a model with the same head. The sentence is empty if the memory is not known, and for the
    missing card of a model that is refused.
    """
    if model is None or not (level := memory_fit(model)):
        return ""
    fit = _FIT_SENTENCES[level].filled(
        needed=bytes_in_words(model.parameters * _BYTES), memory=bytes_in_words(computer()[0])
    )
    pace = _speed_words(model, workspace, measures)
    return Message("{fit} {pace}", fit=fit, pace=pace) if pace else fit


def _speed_words(model: OfferedModel | ModelCard, workspace: Workspace, measures: Sequence[Measure]) -> str:
    known = {each.folder: each for each in workspace.shelf.cards() if each.parameters}
    like = [each for each in measures if each.head in model.heads and each.speed and each.folder in known]
    if own := next((each for each in like if each.folder == getattr(model, "folder", None)), None):
        return Message("Measured here: {rate}.", rate=_rate(own))
    if Head.QUESTION_ANSWERING in model.heads and workspace.settings.reading_speed:
        page = page_time(model.parameters, workspace.settings.reading_speed)
        return Message("Roughly {time} a page on this computer.", time=page)
    if not like:
        return ""
    other = known[like[0].folder]
    guess = replace(like[0], seconds=like[0].seconds * model.parameters / other.parameters)
    return Message("Roughly {rate}, going by {model} measured here.", rate=_rate(guess), model=other.title)


def _rate(measure: Measure) -> str:
    """A measured speed in words: "31 questions a second", "2.0 questions a second"."""
    if measure.speed < 9.95:
        kind = kind_of_examples(measure.head)
        return Message("{speed:.1f} {examples} a second", speed=measure.speed, examples=kind)
    return Message("{examples} a second", examples=examples(round(measure.speed), measure.head))


def _reads(model: OfferedModel | ModelCard, language: str, reader: ModelCard) -> bool:
    """Whether a model reads a language; it has to state so if the `reader` in use does not read it. "" is any."""
    is_stated = bool(model.languages) or not _is_foreign(language, reader)
    return not language or (is_stated and reads(model.languages, language))


def _is_foreign(language: str, reader: ModelCard) -> bool:
    return bool(language) and not reads(reader.languages, language)


def _lists_language(model: OfferedModel, tongue: str) -> bool:
    return any(
        tongue == code or tongue == language_name(code).casefold() or code == MANY for code in model.languages
    )


def _has_words(model: OfferedModel, words: Sequence[str]) -> bool:
    text = " ".join(
        (
            model.repository,
            model.title,
            model.line,
            model.family,
            family_title(model.family),
            model.licence,
            *model.labels,
            *model.languages,
            *(language_name(code) for code in model.languages),
            *model.heads,
            *(_SEARCH_WORDS[head] for head in model.heads),
        )
    ).casefold()
    return all(word in text for word in words)
