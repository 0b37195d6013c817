"""Rows and facts of available models, from the catalogue or from their own repositories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from app.core import days, wording
from app.core.errors import SpanlightError
from app.core.languages import MANY, languages
from app.core.message import Message
from app.core.models import HEAD_WORDS, Head
from app.core.offers import OfferedModel, Passport
from app.core.report import Report
from app.flows.measure.measure import measured
from app.flows.models.catalogue import (
    Stronger,
    offered,
    page_time,
    recommended,
    stronger_readers,
    suits,
    summary,
)
from app.flows.models.installed import installed
from app.flows.workspace import Workspace
from app.ui.kit.facts import Fact
from app.ui.kit.model_list import ModelRow
from app.ui.kit.translation import localised, tr
from app.ui.models.words import (
    card_facts,
    labels_in_words,
    licence_fact,
    longest_input,
    parameters_in_words,
    tasks_in_words,
)

SIZES = (
    ("", Message("Size")),
    (str(100 * 10**6), Message("Up to 100 MB")),
    (str(300 * 10**6), Message("Up to 300 MB")),
    (str(600 * 10**6), Message("Up to 600 MB")),
    (str(1500 * 10**6), Message("Up to 1.5 GB")),
)
LICENCES = (
    ("", Message("Licence")),
    ("free", Message("Free for any use")),
    ("restricted", Message("With conditions")),
)
_ANSWERS = {
    True: Message("Yes: it says so where the text does not answer"),
    False: Message("No: it always gives an answer"),
}


@dataclass(frozen=True, slots=True)
class Offers:
    """The models on offer.

    `models` is the catalogue, stronger readers than the one in use first, of these the `recommended` one; `installed`
    maps a repository to its folder, `suitability` to how the model suits this computer, in words. `reading_speed` is
    that of the settings.
    """

    models: tuple[OfferedModel, ...]
    installed: dict[str, str]
    suitability: dict[str, str]
    stronger: Stronger | None = None
    recommended: OfferedModel | None = None
    reading_speed: float = 0.0

    def is_stronger(self, model: OfferedModel) -> bool:
        """Whether a model that can be had is a stronger reader than the one in use, whose F1 has to be known."""
        found = self.stronger
        return found is not None and found.reader_f1 > 0 and model in found.to_have

    def comparison(self, listed: Sequence[OfferedModel]) -> str:
        """The reader in use against stronger ones, and which of them to take; empty if none of them is listed."""
        found = self.stronger
        if found is None or not any(map(self.is_stronger, listed)):
            return ""
        own = tr(
            "Readers that are stronger than yours, {model}, are marked in the list.", model=found.reader.title
        )
        if found.installed is not None:
            better = tr("A stronger reader is installed: {model}.", model=found.installed.title)
        elif self.recommended is not None:
            better = tr("Recommended: {model}.", model=summary(self.recommended, self.reading_speed))
        else:
            better = tr("All are large or slow for this computer.")
        return f"{own} {better}"

    def find(self, repository: str) -> OfferedModel | None:
        """The catalogue's entry for a repository, in any case of letters; None if it has none."""
        wanted = repository.casefold()
        return next((model for model in self.models if model.repository.casefold() == wanted), None)

    def languages(self, also: str = "") -> tuple[tuple[str, str], ...]:
        """The languages to choose from, as (code, name): English, then the others by name.

        `also` is a further language to offer, which perhaps only multilingual models read.
        """
        codes = {code for model in self.models for code in model.languages} | {also}
        codes -= {MANY, ""}
        named = ((code, localised(languages((code,)))) for code in codes)
        return (("", tr("Language")), *sorted(named, key=lambda one: (one[0] != "en", one[1])))

    def row(self, model: OfferedModel) -> ModelRow:
        """The row of a model of the catalogue."""
        words, sign = [tasks_in_words(model.heads), _f1(model)], ""
        if self.is_stronger(model):
            sign = tr("Stronger")
            if self.reading_speed:  # in place of the task, which the F1 tells: there is no room for both
                time = page_time(model.parameters, self.reading_speed)
                words = [_f1(model), tr("{time} a page", time=time)]
        if model == self.recommended:
            sign = tr("Recommended")
        parts = (*words, localised(languages(model.languages)))
        line, size = " · ".join(part for part in parts if part), localised(wording.size(model.size))
        return ModelRow(model.repository, model.title, line, size, self._installed(model.repository) or sign)

    def repository_row(self, repository: str, passport: Passport | None) -> ModelRow:
        """The row of a repository outside the catalogue, with its passport if it was looked up."""
        organisation, _, name = repository.rpartition("/")
        card = passport.card if passport is not None else None
        line, size = organisation, ""
        if passport is not None and card is None:
            line = tr("Cannot be used")
        elif passport is not None and card is not None:
            parts = (tasks_in_words(card.heads), localised(languages(passport.languages or card.languages)))
            line = " · ".join(part for part in parts if part)
            size = localised(wording.size(passport.size))
        return ModelRow(repository, name, line, size, self._installed(repository))

    def _installed(self, repository: str) -> str:
        return tr("Installed") if repository in self.installed else ""


def offers(workspace: Workspace, report: Report) -> Offers:
    """Read the models on offer; raises SpanlightError if the catalogue cannot be read."""
    models = offered(workspace, report)
    measures = measured(workspace, report)
    speed = workspace.settings.reading_speed
    try:
        found = stronger_readers(workspace, report)
    except SpanlightError:  # there is no reader yet
        found = None
    to_have = found.to_have if found is not None else ()
    best = recommended(to_have, speed)
    return Offers(
        tuple(sorted(models, key=lambda model: (model != best, model not in to_have))),
        {card.repository: card.folder for card in installed(workspace) if card.repository},
        {model.repository: suits(model, workspace, measures=measures) for model in models},
        found,
        best,
        speed,
    )


def offered_facts(model: OfferedModel, suitability: str, *, installed: bool = False) -> list[Fact]:
    """A model's facts from the catalogue."""
    terms = ", ".join(localised(HEAD_WORDS[head][1]) for head in model.heads)
    names = model.heads[:1] == (Head.TOKEN_CLASSIFICATION,)
    classes = labels_in_words(model.labels, names=names)
    checked = date.fromisoformat(model.checked) if model.checked else None
    read = tr("read on {date}", date=days.plain_date(checked)) if checked else ""
    size = wording.size(model.size)
    return [
        Fact(tr("Does"), tasks_in_words(model.heads), terms),
        Fact(
            tr("Says “no answer”"),
            localised(_ANSWERS[model.no_answer]) if model.no_answer is not None else "",
        ),
        _f1_fact(model),
        Fact(tr("Names") if names else tr("Classes"), classes, ", ".join(model.labels[:200])),
        Fact(tr("Languages"), localised(languages(model.languages, 8))),
        Fact(
            tr("Size"),
            localised(size) if installed else tr("{size} to download", size=size),
            _bytes(model.size),
        ),
        Fact(
            tr("Reads"), longest_input(model.max_length), tr("A longer text is read in windows that overlap")
        ),
        Fact(tr("Weights"), parameters_in_words(model.parameters), tr("Parameters")),
        licence_fact(model.licence),
        Fact(tr("This computer"), localised(suitability)),
        Fact(tr("Facts from"), f"{model.source}\n{read}" if read else ""),
    ]


def passport_facts(
    passport: Passport, suitability: str, model: OfferedModel | None = None, *, installed: bool = False
) -> list[Fact]:
    """A model's facts from its repository; before it is installed, also those about the download.

    `model` is its entry in the catalogue.
    """
    card, size = passport.card, passport.size
    facts = [Fact(tr("Size"), localised(wording.size(size)), _bytes(size))] if installed else []
    if card is not None and not installed:
        facts += _download_facts(passport)
    if card is not None:
        terms = ", ".join(localised(HEAD_WORDS[head][1]) for head in card.heads)
        facts.append(
            Fact(
                tr("Does"), tasks_in_words(card.heads), tr("Heads found in its weights: {heads}", heads=terms)
            )
        )
        if model is not None and model.no_answer is not None:
            facts += [Fact(tr("Says “no answer”"), localised(_ANSWERS[model.no_answer])), _f1_fact(model)]
        facts += card_facts(card, licence=passport.licence, languages=passport.languages)
        facts.append(Fact(tr("This computer"), localised(suitability)))
    else:
        facts.append(licence_fact(passport.licence))
    files = "\n".join(f"{file.name}, {localised(wording.size(file.size))}" for file in passport.files)
    facts.append(Fact(tr("Files"), files, tr("Only these; weights come as safetensors and are checked")))
    facts.append(
        Fact(
            tr("Commit"),
            passport.commit[:12],
            tr("{commit}: what is downloaded is exactly this", commit=passport.commit),
        )
    )
    return facts


def _f1(model: OfferedModel) -> str:
    return tr("F1 {value}", value=model.squad2_f1) if model.squad2_f1 else ""


def _bytes(number: int) -> str:
    return tr("{n:,} byte", "{n:,} bytes", n=number)


def _f1_fact(model: OfferedModel) -> Fact:
    return Fact(
        "SQuAD 2.0", _f1(model), tr("On its dev set, as the authors report it; nobody measured it here")
    )


def _download_facts(passport: Passport) -> list[Fact]:
    size, fetch = passport.size, passport.to_fetch
    words = localised(wording.size(fetch)) if size else ""
    if fetch < size:
        words = tr(
            "{size}; {cached} of it in the Hugging Face cache already",
            size=words, cached=wording.size(size - fetch),
        )  # fmt: skip
    return [
        Fact(tr("Download"), words, _bytes(fetch)),
        Fact(tr("Takes"), _download_time(passport)),
        Fact(
            tr("Free on the disk"), localised(wording.size(passport.free_disk)) if passport.free_disk else ""
        ),
    ]


def _download_time(passport: Passport) -> str:
    """The duration of the download at the measured speed, and that speed."""
    if passport.seconds is None or not passport.to_fetch:
        return ""
    time, speed = wording.duration(max(1, round(passport.seconds))), wording.size(round(passport.speed))
    return tr("About {time} at {speed} a second", time=time, speed=speed)
