"""Removes a model, after showing what would be removed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.network import Network
from app.core.offers import Origin, Removal, Source
from app.core.report import Report
from app.flows.models.devices import unload
from app.flows.teach.run import discard_run, run_from_base
from app.flows.workspace import Workspace
from app.models.disk.names import model_name, typed_path
from app.models.disk.notes import read_origin
from app.models.disk.shelving import remove_folder
from app.models.download.cache import cache_size, forget, snapshot_of, storage_of
from app.models.download.repositories import COMMIT, is_repository


def removal_of(workspace: Workspace, name: str, report: Report) -> Removal:
    """What removing an installed model would delete; `name` is its name, folder or repository.

    Broken models that the shelf refuses are found too; their card has no heads. Raises SpanlightError if there is no
    such model.
    """
    card = _find(workspace, name.strip())
    run = run_from_base(workspace.paths.teaching, Path(card.folder))
    return Removal(
        card,
        freed=_freed_bytes(Path(card.folder))
        + (_freed_bytes(workspace.paths.teaching) if run is not None else 0),
        cached=_cached_bytes(workspace, Path(card.folder)),
        chosen_for=tuple(head for head in Head if _is_chosen(workspace.settings.models.get(head, ""), card)),
        questions=workspace.history.count_of_model(card.name),
        last_used=workspace.uses.last(card.folder),
        unfinished=run.corrections if run is not None else 0,
    )


def remove(workspace: Workspace, removal: Removal, report: Report, *, from_cache: bool) -> None:
    """Remove a model with its records, and an unfinished run that teaches it.

    `from_cache` also deletes its files in the Hugging Face cache. Questions that it answered stay in the history.
    Raises SpanlightError for a bundled model, for one in another folder, and where the disk refuses; Busy while it is
    being taught; Stopped when cancelled before anything was removed.
    """
    card = removal.card
    folder = Path(card.folder)
    _refuse_other_folders(workspace, card)
    report.check()
    origin = _hub_origin(folder)
    if run_from_base(workspace.paths.teaching, folder) is not None:
        discard_run(workspace.paths.teaching)
    _remove_folder(workspace, folder, report)
    workspace.uses.forget(card.folder)
    workspace.measures.forget_model(card.folder)
    chosen = dict(workspace.settings.models)
    workspace.settings.models = {head: name for head, name in chosen.items() if not _is_chosen(name, card)}
    if workspace.settings.models != chosen:
        workspace.save_settings()
    if from_cache and origin is not None and not _used_elsewhere(workspace, folder, origin):
        try:
            forget(origin.repository, origin.commit, _network(workspace, origin), dict(origin.sizes))
        except OSError as fault:
            raise SpanlightError(
                Message(
                    "{name} is removed, but its files stay in the Hugging Face cache: {reason}.",
                    name=card.name,
                    reason=fault.strerror,
                ),
                Message("Check the cache's permissions."),
            ) from fault


def _find(workspace: Workspace, wanted: str) -> ModelCard:
    cards = [*workspace.shelf.cards()]
    cards += [ModelCard(model_name(Path(folder)), folder, "", ()) for folder in workspace.shelf.refused]
    # Models that can be removed come before bundled ones of the same name.
    cards.sort(key=lambda card: Path(card.folder).parent != workspace.paths.models)
    path, folded = str(typed_path(wanted).absolute()), wanted.casefold()
    ways: tuple[Callable[[ModelCard], bool], ...] = (
        lambda card: card.folder in (wanted, path),
        lambda card: card.name == wanted,
        lambda card: card.name.casefold() == folded,
        lambda card: card.repository.casefold() == folded,
    )
    for way in ways:
        found = next(filter(way, cards), None) if wanted else None
        if found is not None:
            return found
    ours = [card.name for card in cards if Path(card.folder).parent == workspace.paths.models]
    hint = Message("No model was added yet.")
    if ours:
        hint = Message("These can be removed: {names}.", names=", ".join(ours))
    raise SpanlightError(Message("There is no model {wanted!a}.", wanted=wanted[:80]), hint)


def _refuse_other_folders(workspace: Workspace, card: ModelCard) -> None:
    folder = Path(card.folder)
    if folder.parent == workspace.paths.starter_models:
        raise SpanlightError(
            Message("{name} comes along with Spanlight and cannot be removed.", name=card.name),
            Message("Choose another model to work with."),
        )
    if folder.parent != workspace.paths.models or folder.name.startswith("."):
        raise SpanlightError(
            Message(
                "{name} lies in {folder}, where Spanlight removes nothing.",
                name=card.name,
                folder=str(folder.parent),
            ),
            Message("Delete that folder yourself."),
        )


def _remove_folder(workspace: Workspace, folder: Path, report: Report) -> None:
    try:
        remove_folder(folder, workspace.paths.models)
    except SpanlightError as fault:
        if not isinstance(fault.__cause__, PermissionError) or not workspace.engine.alive:
            raise
        # Windows cannot delete files that the model process has mapped.
        unload(workspace, report)
        remove_folder(folder, workspace.paths.models)


def _is_chosen(chosen: str, card: ModelCard) -> bool:
    """Whether a name in the settings refers to this model."""
    return bool(chosen) and (
        chosen == card.folder or chosen.casefold() in (card.name.casefold(), card.repository.casefold())
    )


def _freed_bytes(folder: Path) -> int:
    """The bytes that removing a folder frees; links and files with other hard links free none."""
    freed = 0
    if folder.is_symlink():
        return 0
    for at, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = (Path(at) / name).lstat()
                freed += status.st_size if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 else 0
    return freed


def _cached_bytes(workspace: Workspace, folder: Path) -> int:
    """The bytes that deleting a model's files in the Hugging Face cache would free once its folder is gone."""
    origin = _hub_origin(folder)
    if origin is None or _used_elsewhere(workspace, folder, origin):
        return 0
    network = _network(workspace, origin)
    with contextlib.suppress(OSError):
        size = cache_size(origin.repository, origin.commit, network, dict(origin.sizes))
        snapshot = snapshot_of(Path(network.cache), origin.repository, origin.commit)
        return size + sum(_shared_bytes(folder / name, snapshot / name) for name, _ in origin.sizes)
    return 0


def _shared_bytes(own: Path, cached: Path) -> int:
    """The bytes of a file whose only hard links are these two, otherwise 0."""
    with contextlib.suppress(OSError):
        status = own.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 2 and own.samefile(cached):
            return status.st_size
    return 0


def _hub_origin(folder: Path) -> Origin | None:
    """The origin of a model from the Hub whose files are in the Hugging Face cache, None for any other."""
    with contextlib.suppress(SpanlightError):
        origin = None if folder.is_symlink() else read_origin(folder)
        if origin is not None and origin.source is Source.HUB and origin.cache:
            paths = "".join((origin.cache, *dict(origin.sizes)))
            sound = is_repository(origin.repository) and COMMIT.fullmatch(origin.commit) and "\0" not in paths
            return origin if sound else None
    return None


def _network(workspace: Workspace, origin: Origin) -> Network:
    """The network settings, with the cache that the model was fetched into."""
    return replace(workspace.network, cache=origin.cache)


def _used_elsewhere(workspace: Workspace, folder: Path, origin: Origin) -> bool:
    """Whether another model links to cached files of the same repository; True also if that cannot be read."""
    storage = Path(os.path.realpath(storage_of(Path(origin.cache), origin.repository)))
    models = workspace.paths.models
    try:
        others = [path for path in models.iterdir() if path != folder and not path.name.startswith(".")]
        return any(
            Path(os.path.realpath(file)).is_relative_to(storage)
            for other in others
            if other.is_dir()
            for file in other.iterdir()
            if file.is_symlink()
        )
    except OSError:
        return True
