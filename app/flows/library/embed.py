"""Computes vectors of the passages of libraries, which let them be found by meaning."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.locks import exclusive
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Progress, Quiet, Report
from app.core.requests import ModelChoice, TextsToEmbed
from app.core.rows import without_surrogates
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint

if TYPE_CHECKING:
    from app.core.library import Library
    from app.library.vectors import Array

# Passages in the first request, and at most in one. A request takes about a second, which is what a kill loses.
_FIRST_BATCH, _MOST_BATCH = 8, 512


def embed(workspace: Workspace, report: Report) -> int:
    """Compute the missing vectors of the passages of all libraries; returns how many there were.

    The vectors of each request are stored before the next, so a run that was stopped or killed can be continued. Once
    all passages have vectors of the model in use, those of other models are deleted. Does nothing if no model for it is
    installed, or while another process does this. Progress counts passages. Raises SpanlightError where the model does
    not work or the disk refuses, Stopped when cancelled.
    """
    card = _encoder(workspace)
    if card is None or not workspace.library.libraries():
        return 0
    with exclusive(workspace.paths.library / "embed.lock") as is_alone:
        return _embed(workspace, card, report) if is_alone else 0


def _embed(workspace: Workspace, card: ModelCard, report: Report) -> int:
    index, vectors = workspace.library, vectors_name(card)
    done, size, began = 0, _FIRST_BATCH, time.perf_counter()
    while some := index.without_vectors(vectors, size):
        report.check()
        if not done:
            have, total = index.count_vectors(vectors)
            report.progress(Progress(0, total - have, Message("passages")))
        asked = time.perf_counter()
        values = vectors_of(workspace, card, [words for _, words in some], Quiet(report))
        index.put_vectors(vectors, [passage for passage, _ in some], values)
        now = time.perf_counter()
        done += len(some)
        have, total = index.count_vectors(vectors)
        left = total - have
        report.progress(Progress(done, done + left, Message("passages"), left * (now - began) / done))
        # The first request may have taken long to load the model.
        size = max(_FIRST_BATCH, min(_MOST_BATCH, 2 * size, round(len(some) / (now - asked))))
    index.drop_other_vectors(vectors)
    return done


def vectors_in_use(workspace: Workspace) -> str:
    """The name of the vectors of the model in use, empty if no model for vectors is installed."""
    card = _encoder(workspace)
    return vectors_name(card) if card is not None else ""


def vectors_name(card: ModelCard) -> str:
    """The name of a model's vectors: the model's fingerprint and their width."""
    return f"{fingerprint(Path(card.folder))}-{card.width}"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question's unit vector, float32[width], and the name of the passages' `vectors` that it is compared with.

    `share` is the share of a library's passages that have such a vector.
    """

    vector: Array
    vectors: str
    share: float


def meaning_of(workspace: Workspace, question: str, library: Library, report: Report) -> Meaning | None:
    """Compute a question's meaning with the model in use, or with another one as long as that has more vectors.

    None if there are no vectors. Raises SpanlightError where the model does not work, Stopped when cancelled.
    """
    index = workspace.library
    in_use = _encoder(workspace)
    cards = [card for card in workspace.shelf.cards() if Head.EMBEDDINGS in card.heads and card != in_use]
    best: tuple[float, ModelCard] | None = None
    for card in [in_use, *cards] if in_use is not None else []:
        have, total = index.count_vectors(vectors_name(card), library)
        share = have / total if total else 0.0
        if share > (best[0] if best else 0.0):
            best = share, card
    if best is None:
        return None
    share, card = best
    return Meaning(vectors_of(workspace, card, [question], Quiet(report))[0], vectors_name(card), share)


def vectors_of(workspace: Workspace, card: ModelCard, texts: Sequence[str], report: Report) -> Array:
    """Compute a model's unit vectors of texts, float32[texts, width]; lone surrogates are read as U+FFFD.

    Raises SpanlightError where the model does not work, Stopped when cancelled.
    """
    choice = ModelChoice(card.folder, workspace.settings.device, workspace.settings.precision)
    clean = tuple(map(without_surrogates, texts))
    values: Array = workspace.engine.run(TextsToEmbed(clean), choice, report)
    return values


def _encoder(workspace: Workspace) -> ModelCard | None:
    try:
        return workspace.find_model(Head.EMBEDDINGS)
    except SpanlightError:
        return None
