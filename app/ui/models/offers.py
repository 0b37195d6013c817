"""Rows and facts of available models, from the catalogue or from their own repositories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.core import wording
from app.core.errors import SpanlightError
from app.core.languages import MANY, languages
from app.core.models import HEAD_WORDS, Head
from app.core.offers import OfferedModel, Passport
from app.core.report import Report
from app.flows.measure.measure import measured
from app.flows.models.catalogue import offered, recommended, stronger_readers, suits
from app.flows.models.installed import installed
from app.flows.workspace import Workspace
from app.ui.kit.facts import Fact
from app.ui.kit.model_list import ModelRow
from app.ui.models.words import (
    card_facts,
    does,
    labels_in_words,
    licence_fact,
    longest,
    number_of,
)

SIZES = (
    ("", "Size"),
    (str(100 * 10**6), "Up to 100 MB"),
    (str(300 * 10**6), "Up to 300 MB"),
    (str(600 * 10**6), "Up to 600 MB"),
    (str(1500 * 10**6), "Up to 1.5 GB"),
)
LICENCES = (("", "Licence"), ("free", "Free for any use"), ("restricted", "With conditions"))
_ANSWERS = {True: "Yes: it says so where the text does not answer", False: "No: it always gives an answer"}


@dataclass(frozen=True, slots=True)
class Offers:
    """The catalogue, its installed models (folders by repository), and how each suits this computer.

    `recommended` is the repository of a stronger reader than the one in use, empty if there is none; it comes first.
    """

    models: tuple[OfferedModel, ...]
    installed: dict[str, str]
    suits: dict[str, str]
    recommended: str = ""

    def find(self, repository: str) -> OfferedModel | None:
        """The catalogue's entry of a repository."""
        wanted = repository.casefold()
        return next((model for model in self.models if model.repository.casefold() == wanted), None)

    def languages(self, also: str = "") -> tuple[tuple[str, str], ...]:
        """The languages to choose from, `also` one that only models of many languages read: English, then by name."""
        codes = {code for model in self.models for code in model.languages} | {also}
        codes -= {MANY, ""}
        named = sorted(((code, languages((code,))) for code in codes), key=lambda one: one[1])
        named.sort(key=lambda one: one[0] != "en")
        return (("", "Language"), *named)

    def row(self, model: OfferedModel) -> ModelRow:
        """A model's row of the list."""
        languages_text = languages(model.languages)
        f1 = f"F1 {model.squad2_f1}" if model.squad2_f1 else ""
        line = " · ".join(words for words in (does(model.heads), f1, languages_text) if words)
        return ModelRow(
            model.repository, model.title, line, wording.size(model.size), self._sign(model.repository)
        )

    def named_row(self, repository: str, passport: Passport | None) -> ModelRow:
        """The row of a repository that the user named, with its passport if it was looked up."""
        organisation, _, name = repository.rpartition("/")
        card = passport.card if passport is not None else None
        line, size = organisation, ""
        if passport is not None and card is None:
            line = "Cannot be used"
        elif passport is not None and card is not None:
            languages_text = languages(passport.languages or card.languages)
            line = " · ".join(words for words in (does(card.heads), languages_text) if words)
            size = wording.size(passport.size)
        return ModelRow(repository, name, line, size, self._sign(repository))

    def _sign(self, repository: str) -> str:
        if repository in self.installed:
            return "Installed"
        return "Recommended" if repository == self.recommended else ""


def offers(workspace: Workspace, report: Report) -> Offers:
    """All offers, read again; raises SpanlightError if the catalogue cannot be read."""
    models = offered(workspace, report)
    measures = measured(workspace, report)
    try:
        better = recommended(stronger_readers(workspace, report).to_have, workspace.settings.reading_speed)
    except SpanlightError:  # there is no reader yet
        better = None
    best = better.repository if better else ""
    return Offers(
        tuple(sorted(models, key=lambda model: model.repository != best)),
        {card.repository: card.folder for card in installed(workspace) if card.repository},
        {model.repository: suits(model, workspace, measures=measures) for model in models},
        best,
    )


def offered_facts(model: OfferedModel, suiting: str, *, installed: bool = False) -> list[Fact]:
    """A model's facts from the catalogue."""
    terms = ", ".join(HEAD_WORDS[head][1] for head in model.heads)
    names = model.heads[:1] == (Head.TOKEN_CLASSIFICATION,)
    classes = labels_in_words(model.labels, names=names)
    read = date.fromisoformat(model.checked) if model.checked else None
    return [
        Fact("Does", does(model.heads), terms),
        Fact("Says “no answer”", _ANSWERS[model.no_answer] if model.no_answer is not None else ""),
        _f1_fact(model),
        Fact("Names" if names else "Classes", classes, ", ".join(model.labels[:200])),
        Fact("Languages", languages(model.languages, 8)),
        Fact(
            "Size",
            f"{wording.size(model.size)}{'' if installed else ' to download'}",
            f"{model.size:,} bytes",
        ),
        Fact("Reads", longest(model.max_length), "A longer text is read in windows that overlap"),
        Fact("Weights", number_of(model.parameters), "Parameters"),
        licence_fact(model.licence),
        Fact("This computer", suiting),
        Fact("Facts from", f"{model.source}\nread on {read.day} {read:%B} {read.year}" if read else ""),
    ]


def passport_facts(
    passport: Passport, suiting: str, model: OfferedModel | None = None, *, installed: bool = False
) -> list[Fact]:
    """A model's facts from its repository; if it can be downloaded, also those on the network and the disk.

    `model` is the catalogue's entry of it.
    """
    card, size = passport.card, passport.size
    facts = [Fact("Size", wording.size(size), f"{size:,} bytes")] if installed else []
    if card is not None and not installed:
        facts += _fetching(passport)
    if card is not None:
        terms = ", ".join(HEAD_WORDS[head][1] for head in card.heads)
        facts.append(Fact("Does", does(card.heads), f"Heads found in its weights: {terms}"))
        if model is not None and model.no_answer is not None:
            facts += [Fact("Says “no answer”", _ANSWERS[model.no_answer]), _f1_fact(model)]
        facts += card_facts(card, licence=passport.licence, languages=passport.languages)
        facts.append(Fact("This computer", suiting))
    else:
        facts.append(licence_fact(passport.licence))
    files = "\n".join(f"{file.name}, {wording.size(file.size)}" for file in passport.files)
    facts.append(Fact("Files", files, "Only these; weights come as safetensors and are checked"))
    facts.append(
        Fact("Commit", passport.commit[:12], f"{passport.commit}: what is downloaded is exactly this")
    )
    return facts


def _f1_fact(model: OfferedModel) -> Fact:
    f1 = f"F1 {model.squad2_f1}" if model.squad2_f1 else ""
    return Fact("SQuAD 2.0", f1, "On its dev set, as the authors report it; nobody measured it here")


def _fetching(passport: Passport) -> list[Fact]:
    size, fetch = passport.size, passport.to_fetch
    cached = f"; {wording.size(size - fetch)} of it in the Hugging Face cache already" if fetch < size else ""
    return [
        Fact("Download", f"{wording.size(fetch)}{cached}" if size else "", f"{fetch:,} bytes"),
        Fact("Takes", _in_time(passport)),
        Fact("Free on the disk", wording.size(passport.free_disk) if passport.free_disk else ""),
    ]


def _in_time(passport: Passport) -> str:
    """The duration of the download at the measured speed, and that speed."""
    if passport.seconds is None or not passport.to_fetch:
        return ""
    speed = wording.size(round(passport.speed))
    return f"About {wording.duration(max(1, round(passport.seconds)))} at {speed} a second"
