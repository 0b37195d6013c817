"""How sure a reader says it is, adjusted to the person's verdicts on its answers."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.core.corrections import FEWEST_VERDICTS, Correction
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.reliability import Bins, bins_of
from app.core.report import Report
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint


@dataclass(frozen=True, slots=True)
class OwnVerdicts:
    """The person's verdicts on the answers of one reader, at least one.

    `bins` has the probabilities that words were shown with, and how often these were the right ones. `followed`: the
    reader's calibration is to be adjusted to the verdicts, from `FEWEST_VERDICTS` on.
    """

    number: int
    bins: Bins
    followed: bool = True

    @property
    def enough(self) -> bool:
        """Whether the calibration can be adjusted to them."""
        return self.number >= FEWEST_VERDICTS

    @property
    def in_words(self) -> str:
        """What they do: "Adjusted to your 64 verdicts"."""
        if not self.enough:
            return Message(
                "Its probabilities are adjusted from {fewest} verdicts on: {number} so far",
                fewest=FEWEST_VERDICTS,
                number=self.number,
            )
        if self.followed:
            return Message("Adjusted to your {number:,} verdicts", number=self.number)
        return Message("Not adjusted to your {number:,} verdicts", number=self.number)


def follow_verdicts(workspace: Workspace, changed: Iterable[Correction], report: Report) -> None:
    """Adjust the calibrations of readers to their verdicts, of which these were added, replaced or deleted.

    With fewer than `FEWEST_VERDICTS` it is the shipped one again. Where that cannot be stored, there is a notice.
    """
    try:
        for model, weights in {(each.model, each.weights) for each in changed if each.weights}:
            cards = readers_named(workspace, model)
            card = next((card for card in cards if _weights(card) == weights), None)
            if card is not None:
                _follow(workspace, card, weights)
    except SpanlightError as fault:
        report.notice(
            Message(
                "The reader's probabilities were not adjusted to your verdict: {fault}", fault=fault.message
            )
        )


def readers_named(workspace: Workspace, name: str) -> list[ModelCard]:
    """The readers of a name, the one in use first. Raises SpanlightError where there is no reader."""
    cards = (workspace.find_model(Head.QUESTION_ANSWERING), *workspace.shelf.cards())
    found = {card.folder: card for card in cards if card.name == name}
    return [card for card in found.values() if Head.QUESTION_ANSWERING in card.heads]


def own_verdicts(workspace: Workspace, card: ModelCard, report: Report) -> OwnVerdicts | None:
    """The person's verdicts on a reader's answers, None where there are none. Raises SpanlightError on a disk error."""
    if not workspace.paths.corrections_file.exists():
        return None  # nor is the file made by looking
    judged = {weights for model, weights in workspace.corrections.readers() if model == card.name}
    weights = _weights(card) if judged else ""  # a fingerprint takes long
    if weights not in judged:
        return None
    found = workspace.corrections.judgements(weights)
    bins = bins_of((each.stated, each.right) for each in found if each.stated is not None)
    return OwnVerdicts(len(found), bins, not workspace.adjustments.is_off(weights))


def set_followed(workspace: Workspace, card: ModelCard, on: bool, report: Report) -> None:
    """Have a reader's calibration follow the person's verdicts, or be the shipped one; the verdicts stay.

    Raises SpanlightError where that cannot be stored.
    """
    weights = _weights(card)
    workspace.adjustments.turn(weights, off=not on)
    _follow(workspace, card, weights)


def _follow(workspace: Workspace, card: ModelCard, weights: str) -> None:
    from app.training.verdicts import fit_adjustment  # numpy is not loaded at the start

    with workspace.adjustments.alone():  # a fit on fewer verdicts is never put over one on more
        found = workspace.corrections.judgements(weights)
        follows = len(found) >= FEWEST_VERDICTS and not workspace.adjustments.is_off(weights)
        adjustment = fit_adjustment(found, card.calibration) if follows else None
        workspace.adjustments.put(weights, adjustment, time.time())


def _weights(card: ModelCard) -> str:
    return fingerprint(Path(card.folder))
