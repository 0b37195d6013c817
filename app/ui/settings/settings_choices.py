"""What can be chosen on the page of settings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from app.core import wording
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.flows.models.installed import installed
from app.flows.workspace import Workspace
from app.settings.settings import Settings

LOOKS = (("system", "As the system"), ("light", "Light"), ("dark", "Dark"))
TEXT_SIZES = (90, 100, 115, 130, 150)
MODELS = (
    (Head.QUESTION_ANSWERING, "Model that answers"),
    (Head.CLASSIFICATION, "Model that classifies"),
    (Head.MASKED_WORDS, "Model that fills in words"),
    (Head.NEXT_SENTENCE, "Model that tells what follows"),
    (Head.TOKEN_CLASSIFICATION, "Model that finds names"),
)
READINGS = (("usual", "Likeliest passages"), ("every", "Every passage"), ("quick", "Quickest"))
HISTORIES = (("keep", "Keep"), ("off", "Do not keep"))
_DEVICES = {"auto": "Automatic: a GPU if there is one", "cpu": "CPU", "cuda": "GPU", "mps": "Apple GPU"}
_PRECISIONS = {"float32": "32 bits", "bfloat16": "16 bits (bfloat16)", "float16": "16 bits (float16)"}


def device_words(settings: Settings) -> str:
    """Where models run, as it was chosen."""
    kind, _, number = settings.device.partition(":")
    device = _DEVICES.get(kind, settings.device)
    if number not in ("", "0"):
        device += f" number {number}"
    precision = _PRECISIONS.get(settings.precision, "")
    return f"{device}, in {precision}" if precision else device


def network_words(settings: Settings) -> str:
    """When the network may be used, as it was chosen."""
    return "Offline" if settings.offline else "Only when asked: for models, and for updates"


def installed_cards(workspace: Workspace, report: Report) -> tuple[tuple[ModelCard, ...], dict[Head, str]]:
    """The cards of all installed models, and for every head the folder of the one that is taken unasked."""
    cards = installed(workspace)
    unasked = {
        head: workspace.shelf.default(head).folder
        for head, _ in MODELS
        if any(head in card.heads for card in cards)
    }
    return cards, unasked


def offer_models(
    choice: QComboBox, cards: tuple[ModelCard, ...], head: Head, chosen: str, unasked: str = ""
) -> None:
    """Offer the installed models that have a head, and show which of them was chosen, also when it is gone.

    Where none was, `unasked` is the folder of the one that is taken.
    """
    choice.clear()
    fitting = [card for card in cards if head in card.heads]
    for card in fitting:
        choice.addItem(f"{card.name}, {wording.size(card.size)}", card.name)
        weights = f"{card.parameters / 1e6:.0f} million weights. {card.description}"
        choice.setItemData(choice.count() - 1, weights.strip(), Qt.ItemDataRole.ToolTipRole)
    wanted = chosen or unasked
    at = next((i for i, card in enumerate(fitting) if wanted in (card.name, card.folder)), -1)
    if chosen and at < 0:
        choice.addItem(f"{chosen} (not installed)", chosen)
        at = choice.count() - 1
    choice.setEnabled(bool(choice.count()))
    if not choice.count():
        choice.addItem("None is installed", "")
    choice.setCurrentIndex(max(0, at))
