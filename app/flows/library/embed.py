"""Give the passages of libraries vectors, by which they are found by meaning."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.files import reason_of
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Progress, Quiet, Report
from app.core.requests import ModelChoice, TextsToEmbed
from app.core.rows import LONE_SURROGATE
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint
from app.models.disk.locks import Lock

if TYPE_CHECKING:
    from app.core.library import Library
    from app.library.vectors import Array

# Passages of one request: at first, and at most. What a stop or a kill undoes takes about a second.
_FIRST_BATCH, _MOST_BATCH = 8, 512


def embed(workspace: Workspace, report: Report) -> int:
    """Give vectors to the passages of all libraries that have none; returns how many were given.

    Each request's are stored before the next: after a stop or a kill it goes on from there. Once all have vectors of
    the model in use, those of other models are deleted. Where no model for it is installed, or another process does
    the same, nothing is done. Reports progress in passages; raises SpanlightError where the model does not work or the
    disk refuses, Stopped when cancelled.
    """
    card = _encoder(workspace)
    if card is None or not workspace.library.libraries():
        return 0
    with exclusive(workspace.paths.library, "embed.lock") as is_alone:
        return _embed(workspace, card, report) if is_alone else 0


def _embed(workspace: Workspace, card: ModelCard, report: Report) -> int:
    index, vectors = workspace.library, vectors_name(card)
    done, size, began = 0, _FIRST_BATCH, time.perf_counter()
    while some := index.without_vectors(vectors, size):
        report.check()
        if not done:
            have, total = index.with_vectors(vectors)
            report.progress(Progress(0, total - have, Message("passages")))
        asked = time.perf_counter()
        values = vectors_of(workspace, card, [words for _, words in some], Quiet(report))
        index.put_vectors(vectors, [passage for passage, _ in some], values)
        now = time.perf_counter()
        done += len(some)
        have, total = index.with_vectors(vectors)
        left = total - have
        report.progress(Progress(done, done + left, Message("passages"), left * (now - began) / done))
        # The first one may have loaded the model.
        size = max(_FIRST_BATCH, min(_MOST_BATCH, 2 * size, round(len(some) / (now - asked))))
    index.drop_other_vectors(vectors)
    return done


def vectors_in_use(workspace: Workspace) -> str:
    """The name of the vectors that passages are given now, empty where no model for it is installed."""
    card = _encoder(workspace)
    return vectors_name(card) if card is not None else ""


def vectors_name(card: ModelCard) -> str:
    """The name of the vectors that a model gives: of what it computes with, and their width."""
    return f"{fingerprint(Path(card.folder))}-{card.width}"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question's unit vector, float32[width], and what it is compared with: the passages' `vectors` of that name.

    `share` is that of a library's passages which have one.
    """

    vector: Array
    vectors: str
    share: float


def meaning_of(workspace: Workspace, question: str, library: Library, report: Report) -> Meaning | None:
    """A question's meaning by the model in use, or by another installed one as long as that has more vectors.

    None where there are none. Raises SpanlightError where the model does not work, Stopped when cancelled.
    """
    index = workspace.library
    in_use = _encoder(workspace)
    cards = [card for card in workspace.shelf.cards() if Head.EMBEDDINGS in card.heads and card != in_use]
    best: tuple[float, ModelCard] | None = None
    for card in [in_use, *cards] if in_use is not None else []:
        have, total = index.with_vectors(vectors_name(card), library)
        share = have / total if total else 0.0
        if share > (best[0] if best else 0.0):
            best = share, card
    if best is None:
        return None
    share, card = best
    return Meaning(vectors_of(workspace, card, [question], Quiet(report))[0], vectors_name(card), share)


def vectors_of(workspace: Workspace, card: ModelCard, texts: Sequence[str], report: Report) -> Array:
    """The unit vectors that a model gives texts, float32[texts, width]; a lone surrogate counts as U+FFFD.

    Raises SpanlightError where the model does not work, Stopped when cancelled.
    """
    choice = ModelChoice(card.folder, workspace.settings.device, workspace.settings.precision)
    clean = tuple(LONE_SURROGATE.sub("\ufffd", text) for text in texts)
    values: Array = workspace.engine.run(TextsToEmbed(clean), choice, report)
    return values


def _encoder(workspace: Workspace) -> ModelCard | None:
    try:
        return workspace.find_model(Head.EMBEDDINGS)
    except SpanlightError:
        return None


@contextmanager
def exclusive(folder: Path, name: str) -> Iterator[bool]:
    """Hold the lock of this name in the index's folder; whether no other process holds it."""
    lock = Lock(folder / name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = lock.take()
    except OSError as fault:
        raise SpanlightError(
            Message(
                "The library in {folder} could not be used: {reason}.",
                folder=str(folder),
                reason=reason_of(fault),
            ),
            Message("Check the folder's permissions."),
        ) from fault
    try:
        yield taken
    finally:
        lock.release()
