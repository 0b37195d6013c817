"""What the page Look inside does with a visit: finds its models, puts it in words, saves it for the next start."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, replace

from app.core.inside import InputWindow
from app.core.inspection import Visit
from app.core.legible import legible
from app.core.message import restored, stored
from app.core.models import Head, ModelCard
from app.core.plain import from_plain, json_of
from app.core.report import Report
from app.flows.heads.inspect import Offer, offers
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts
from app.ui.kit.translation import localised, tr

DRAFT = "inspect"
MAX_VISIT_CHARACTERS = 20_000  # a longer visit is not saved
MAX_TITLE_CHARACTERS = 90  # characters of a text that serves as a title

_log = logging.getLogger(__name__)


def initial_content(workspace: Workspace, drafts: Drafts, report: Report) -> tuple[str, tuple[Offer, ...]]:
    """Read the visit that was saved last, as JSON, and the samples to offer."""
    return drafts.load(DRAFT), offers(workspace, report)


def find_models(workspace: Workspace, visit: Visit, report: Report) -> tuple[ModelCard, ...]:
    """The installed models with the visit's head, first the one that the visit names, or else the one in use.

    Raises SpanlightError if there is none, or if the named one is not installed.
    """
    head = visit.subject.head
    chosen = workspace.find_model(head, visit.model)
    others = (card for card in workspace.shelf.cards() if head in card.heads and card.folder != chosen.folder)
    return chosen, *others


def window_words(window: InputWindow) -> str:
    """A note that only one window of a longer text is inspected; empty if the text is a single window."""
    if window.windows < 2:
        return ""
    return tr(
        "This is window {number} of {count} of the text; the others are not in these numbers.",
        number=window.number + 1,
        count=window.windows,
    )


def title_of(visit: Visit) -> str:
    """The visit's title, or else its question or its text, on one line."""
    subject = visit.subject
    asked = subject.pair if subject.head is Head.QUESTION_ANSWERING else ""
    return legible(localised(visit.title) or asked or subject.text, MAX_TITLE_CHARACTERS)


def visit_to_json(visit: Visit | None) -> str:
    """The visit as JSON; empty for None, and for one too large to save."""
    if visit is None:
        return ""
    subject = replace(visit.subject, view=None)  # it is built again when the subject is inspected
    plain = asdict(replace(visit, subject=subject, title=stored(visit.title)))
    text = json_of(plain, ensure_ascii=True)
    return text if len(text) <= MAX_VISIT_CHARACTERS else ""


def visit_from_json(text: str) -> Visit | None:
    """The saved visit; None if there is none or it cannot be read."""
    if not text:
        return None
    try:
        visit = from_plain(Visit, json.loads(text))
    except (ValueError, RecursionError) as fault:
        _log.warning("what was looked into last time is not shown: %r", fault)
        return None
    return replace(visit, title=restored(visit.title))
