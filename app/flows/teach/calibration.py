"""Adjusts a reader's calibration to the person's verdicts on its answers."""

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
    """The person's verdicts on a reader's answers, of which there is at least one.

    `bins` are the probabilities of the words shown, and how often these were right. `followed` is whether the reader's
    calibration is adjusted to the verdicts once there are `FEWEST_VERDICTS`.
    """

    number: int
    bins: Bins
    followed: bool = True

    @property
    def enough(self) -> bool:
        """Whether there are enough verdicts to adjust the calibration to them."""
        return self.number >= FEWEST_VERDICTS

    @property
    def in_words(self) -> str:
        """How the verdicts affect the reader: "Adjusted to your 64 verdicts"."""
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
    """Adjust readers' calibrations after corrections were added, replaced or deleted.

    With fewer than `FEWEST_VERDICTS` verdicts a reader has its own calibration. If that cannot be stored, there is a
    notice.
    """
    try:
        for model, weights in {(each.model, each.weights) for each in changed if each.weights}:
            cards = readers_named(workspace, model)
            card = next((card for card in cards if _fingerprint(card) == weights), None)
            if card is not None:
                _adjust(workspace, card, weights)
    except SpanlightError as fault:
        report.notice(
            Message(
                "The reader's probabilities were not adjusted to your verdict: {fault}", fault=fault.message
            )
        )


def readers_named(workspace: Workspace, name: str) -> list[ModelCard]:
    """The readers with this name, the one in use first. Raises SpanlightError if no reader is installed."""
    cards = (workspace.find_model(Head.QUESTION_ANSWERING), *workspace.shelf.cards())
    found = {card.folder: card for card in cards if card.name == name}
    return [card for card in found.values() if Head.QUESTION_ANSWERING in card.heads]


def own_verdicts(workspace: Workspace, card: ModelCard, report: Report) -> OwnVerdicts | None:
    """The person's verdicts on a reader's answers, None if there are none. Raises SpanlightError on a disk error."""
    if not workspace.paths.corrections_file.exists():
        return None  # looking it up would create the file
    judged = {weights for model, weights in workspace.corrections.readers() if model == card.name}
    weights = _fingerprint(card) if judged else ""  # a fingerprint takes long
    if weights not in judged:
        return None
    found = workspace.corrections.judgements(weights)
    bins = bins_of((each.stated, each.right) for each in found if each.stated is not None)
    return OwnVerdicts(len(found), bins, not workspace.adjustments.is_off(weights))


def set_followed(workspace: Workspace, card: ModelCard, on: bool, report: Report) -> None:
    """Switch the adjustment of a reader's calibration to the person's verdicts on or off; the verdicts stay.

    Raises SpanlightError where that cannot be stored.
    """
    weights = _fingerprint(card)
    workspace.adjustments.turn(weights, off=not on)
    _adjust(workspace, card, weights)


def _adjust(workspace: Workspace, card: ModelCard, weights: str) -> None:
    from app.training.verdicts import fit_adjustment  # numpy is not loaded at the start

    with workspace.adjustments.exclusive():  # a fit on fewer verdicts must not replace one on more
        found = workspace.corrections.judgements(weights)
        follows = len(found) >= FEWEST_VERDICTS and not workspace.adjustments.is_off(weights)
        adjustment = fit_adjustment(found, card.calibration) if follows else None
        workspace.adjustments.put(weights, adjustment, time.time())


def _fingerprint(card: ModelCard) -> str:
    return fingerprint(Path(card.folder))
