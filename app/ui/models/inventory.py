"""What is known of the installed models: cards, broken folders, uses, origins, measures and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.core.inspection import Visit
from app.core.measures import Measure, latest_of
from app.core.models import HEAD_WORDS, SHOWN_HEADS, Head, ModelCard
from app.core.offers import Origin, Source
from app.core.report import Report
from app.core.wording import size
from app.flows.heads.inspect import offers
from app.flows.measure.measure import measured
from app.flows.models.installed import in_use, installed, origin_of
from app.flows.teach.calibration import OwnVerdicts, own_verdicts
from app.flows.workspace import Workspace
from app.ui.kit.facts import Fact
from app.ui.kit.model_list import ModelRow
from app.ui.kit.translation import localised, tr
from app.ui.models.words import (
    PAGES,
    calibration_fact,
    card_facts,
    makers_figures,
    measured_here,
    origin_in_words,
    tasks_in_words,
    when,
)


@dataclass(frozen=True, slots=True)
class BrokenModel:
    """A folder whose model cannot be used: the error's sentence and hint, and the folder's origin."""

    folder: str
    sentence: str
    hint: str
    origin: Origin | None

    @property
    def name(self) -> str:
        """The folder's name."""
        return Path(self.folder).name


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a model, by one of its heads: the task in plain words, the technical term, and the page that uses it.

    `used` tells whether the model is in use for it, `chosen` whether the user chose the model, and `only_model` whether
    no other installed model has the head.
    """

    head: Head
    plain: str
    term: str
    page: str
    used: bool
    chosen: bool
    only_model: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """The installed models, and what the section shows of them.

    `used` maps a head to the folder of the model in use for it, `chosen` to the name in the settings; `origins`,
    `last_uses` (ISO 8601), `measures` and `verdicts` are keyed by folder.
    """

    cards: tuple[ModelCard, ...]
    broken: tuple[BrokenModel, ...]
    used: dict[Head, str]
    chosen: dict[Head, str]
    origins: dict[str, Origin | None]
    last_uses: dict[str, str]
    measures: dict[str, tuple[Measure, ...]]
    verdicts: dict[str, OwnVerdicts | None]

    def find(self, folder: str) -> ModelCard | BrokenModel | None:
        """The model in a folder; None if there is none."""
        models: tuple[ModelCard | BrokenModel, ...] = (*self.cards, *self.broken)
        return next((each for each in models if each.folder == folder), None)

    def rows(self, words: str, head: str) -> list[ModelRow]:
        """The rows of the models that match the words and have the head (a Head's value, "" for any)."""
        wanted = words.casefold().split()
        rows = []
        for card in self.cards:
            text = " ".join(
                (
                    card.title,
                    card.name,
                    card.repository,
                    localised(card.description),
                    tasks_in_words(card.heads),
                    *card.labels,
                )
            ).casefold()
            if (not head or head in card.heads) and all(word in text for word in wanted):
                rows.append(self._row(card))
        for one in self.broken:
            if not head and all(word in one.name.casefold() for word in wanted):
                rows.append(ModelRow(one.folder, one.name, tr("Cannot be used"), faulty=True))
        return rows

    def _row(self, card: ModelCard) -> ModelRow:
        pages = [localised(PAGES[head]) for head in card.heads if self.used.get(head) == card.folder]
        return ModelRow(
            card.folder, card.title, tasks_in_words(card.heads), localised(size(card.size)), ", ".join(pages)
        )

    def uses_of(self, card: ModelCard) -> list[Use]:
        """A Use for each of a model's heads."""
        found = []
        for head in card.heads:
            plain, term = HEAD_WORDS[head]
            able = [other for other in self.cards if head in other.heads]
            chosen = self.chosen.get(head, "") in (card.name, card.folder, card.repository or card.name)
            used = self.used.get(head) == card.folder
            found.append(Use(head, plain, term, PAGES[head], used, chosen, len(able) == 1))
        return found

    def facts_of(self, card: ModelCard) -> list[Fact]:
        """A model's facts, in display order."""
        origin = self.origins.get(card.folder)
        source, tip = origin_in_words(card, origin)
        last = self.last_uses.get(card.folder, "")
        figures, whose = tr("Makers' figures"), tr("They came with the model, and were not checked here")
        if origin is not None and origin.source is Source.TAUGHT:
            figures, whose = tr("When taught"), tr("Measured on this computer when it had been taught")
        return [
            Fact(tr("Name in commands"), card.name if card.title != card.name else "", card.folder),
            Fact(tr("Size"), localised(size(card.size)), tr("{n:,} byte", "{n:,} bytes", n=card.size)),
            *card_facts(card),
            calibration_fact(card),
            Fact(
                tr("Measured here"),
                measured_here(self.measures.get(card.folder, ()))
                or (tr("Not yet") if _has_shown_head(card) else ""),
            ),
            Fact(figures, makers_figures(card), whose),
            Fact(tr("Came from"), source, tip),
            Fact(tr("Last used"), when(last) or tr("Never"), last),
        ]


def _has_shown_head(card: ModelCard) -> bool:
    return any(head in SHOWN_HEADS for head in card.heads)


def read_inventory(workspace: Workspace, report: Report) -> Inventory:
    """Read the installed models; those that only serve Spanlight's own search come last."""
    cards = tuple(sorted(installed(workspace), key=lambda card: not _has_shown_head(card)))
    broken = tuple(
        BrokenModel(folder, fault.message, fault.hint, origin_of(folder))
        for folder, fault in workspace.shelf.refused.items()
    )
    all_measures = measured(workspace, report)
    return Inventory(
        cards,
        broken,
        in_use(workspace),
        {head: name for head in Head if (name := workspace.settings.models.get(head))},
        {card.folder: origin_of(card.folder) for card in cards},
        {card.folder: workspace.uses.last(card.folder) for card in cards},
        {card.folder: latest_of(card, all_measures) for card in cards},
        {card.folder: own_verdicts(workspace, card, report) for card in cards},
    )


def sample_visit(workspace: Workspace, card: ModelCard, report: Report) -> Visit | None:
    """A sample to inspect with this model; None if no sample fits its heads."""
    for offer in offers(workspace, report):
        if offer.visit.subject.head in card.heads:
            return Visit(offer.visit.subject, card.folder, offer.visit.title)
    return None
