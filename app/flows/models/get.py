"""Looks up models on the Hub, downloads them, and resumes or gives up downloads."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import ModelCard
from app.core.offers import Origin, Passport, Source, Unfinished
from app.core.plain import from_plain, json_of
from app.core.report import Progress, Report
from app.flows.models.installing import (
    CHECKING,
    add_tokenizer,
    install_staged,
    installed_origins,
    names_taken,
    timestamp,
    try_out,
)
from app.flows.network.network import Online, refuse_offline
from app.flows.workspace import Workspace
from app.models.disk.card import read_card
from app.models.disk.copying import Meter, files_of
from app.models.disk.names import free_name
from app.models.disk.notes import read_origin
from app.models.disk.shelving import Staging
from app.models.download.cache import cached_bytes, forget, forget_partials
from app.models.download.orders import Fetch, Fetched, LookUp
from app.models.download.repositories import COMMIT, is_hostile, is_repository, repository_of, shown

_LARGEST = 2**22
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StartedDownload:
    """A download that was started: the passport that was looked up for it, and the time (ISO 8601, UTC)."""

    passport: Passport
    begun: str


def find_started(folder: Path, repository: str) -> StartedDownload | None:
    """The unfinished download of a repository, whatever the case of its name; None if there is none."""
    name = repository.casefold()
    return next(
        (each for each in started_downloads(folder) if each.passport.repository.casefold() == name), None
    )


def started_downloads(folder: Path) -> tuple[StartedDownload, ...]:
    """All unfinished downloads, oldest first; records that cannot be read are left out."""
    found = [_read_record(path) for path in sorted(folder.glob("*.json"))] if folder.is_dir() else []
    return tuple(sorted((each for each in found if each is not None), key=lambda each: each.begun))


def record_started(folder: Path, begun: StartedDownload) -> None:
    """Record a started download. Raises SpanlightError when the disk refuses."""
    write_atomic(
        _record_file(folder, begun.passport.repository),
        json_of(dataclasses.asdict(begun), indent=1).encode("ascii"),
    )


def forget_started(folder: Path, repository: str) -> None:
    """Delete the record of a started download. Raises OSError when the disk refuses."""
    _record_file(folder, repository).unlink(missing_ok=True)


def _record_file(folder: Path, repository: str) -> Path:
    if not is_repository(repository):
        raise ValueError(f"no repository: {repository!a}")
    return folder / f"{repository.replace('/', '--')}.json"


def _read_record(path: Path) -> StartedDownload | None:
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("larger than any passport")
        begun = from_plain(StartedDownload, json.loads(path.read_bytes()))
        passport = begun.passport
        sound = (
            is_repository(passport.repository)
            and COMMIT.fullmatch(passport.commit)
            and passport.card is not None
        )
        if not sound or any(
            file.size < 0 or is_hostile(file.name) or "/" in file.name for file in passport.files
        ):
            raise ValueError("no passport of a model")
    except (OSError, ValueError, RecursionError) as fault:
        _log.warning("an unfinished download is left out, %s: %s", path.name, fault)
        return None
    return begun


def repository_name(workspace: Workspace, typed: str) -> str:
    """The repository's name in typed text, which may be a page's address; raises SpanlightError if there is none."""
    return repository_of(typed, workspace.network.endpoint)


def look_up(workspace: Workspace, repository: str, report: Report, *, commit: str = "") -> Passport:
    """Look up a repository's passport before a download; `commit` is the revision, empty for the newest.

    The passport of a model that is refused has the reason. Raises SpanlightError where Spanlight is offline, the name
    is invalid, or there is no such repository; Stopped when cancelled.
    """
    refuse_offline(workspace)
    name = repository_of(repository, workspace.network.endpoint)
    if commit and not COMMIT.fullmatch(commit):
        raise SpanlightError(
            Message("{commit} is no commit.", commit=shown(commit)),
            Message("It has 40 hexadecimal digits; leave it out for the newest."),
        )
    order = LookUp(name, commit, workspace.network)
    passport = workspace.downloads.look_up(order, Online(workspace, report))
    if passport.speed:
        _save_speed(workspace, passport.speed)
    # An earlier download's speed is better than none.
    return dataclasses.replace(passport, speed=passport.speed or workspace.settings.download_speed)


def download(workspace: Workspace, passport: Passport, report: Report, *, replace: bool = False) -> ModelCard:
    """Fetch a passport's files into the Hugging Face cache, try the model out, and install it; returns its card.

    A download that was started earlier is resumed. If the model is already installed at this commit, there is a notice,
    and nothing is fetched; `replace` allows replacing a model at another commit. Partial results are Downloading.
    Raises SpanlightError where the model is refused or cannot be fetched, Stopped when cancelled; then nothing is
    installed, and the download stays among the `unfinished` unless its files are not a model.
    """
    same, other = _installed_commits(workspace, passport)
    if same is not None:
        return _already_installed(workspace, same, passport, report)
    refuse_offline(workspace)
    _refuse_unwanted(passport, other, replace)
    older = find_started(workspace.paths.unfinished_downloads, passport.repository)
    begun = _record_start(workspace, passport, older)
    fetched = _fetch(workspace, passport, report)
    if older is not None and older != begun:
        _delete_older(workspace, older.passport)
    same, other = _installed_commits(workspace, passport)
    if same is not None:  # another process was faster
        return _already_installed(workspace, same, passport, report)
    _refuse_unwanted(passport, other, replace)
    before = Path(other.folder).name if other is not None else _broken_model(workspace, passport.repository)
    name = before or _free_name(workspace, passport)
    card = _install(workspace, begun.passport, fetched, name, report, replace=bool(before))
    _forget_finished(workspace, passport.repository)
    return card


def unfinished(workspace: Workspace, report: Report) -> tuple[Unfinished, ...]:
    """The downloads that were started but neither finished nor given up, oldest first; nothing is fetched."""
    found = []
    for begun in started_downloads(workspace.paths.unfinished_downloads):
        report.check()
        repository, commit = begun.passport.repository, begun.passport.commit
        if any(origin.commit == commit for _, origin in _installed_from(workspace, repository)):
            # A process ended between the last two steps of the installation.
            _forget_finished(workspace, repository)
            continue
        done = cached_bytes(begun.passport, workspace.network)
        found.append(Unfinished(begun.passport, min(done, begun.passport.size), begun.begun))
    return tuple(found)


def give_up(workspace: Workspace, repository: str, report: Report) -> None:
    """Delete an unfinished download and its fetched files; those that were in the cache before stay.

    Raises SpanlightError where there is no such download, or the disk refuses.
    """
    name = repository_of(repository, workspace.network.endpoint)
    begun = find_started(workspace.paths.unfinished_downloads, name)
    if begun is None:
        raise SpanlightError(
            Message("There is no unfinished download of {name}.", name=name),
            Message("It may be finished already."),
        )
    report.check()
    _delete_fetched(workspace, begun.passport)


def _installed_commits(workspace: Workspace, passport: Passport) -> tuple[ModelCard | None, ModelCard | None]:
    """The installed models of a passport's repository: the one at its commit, and one at another."""
    found = _installed_from(workspace, passport.repository)
    same = next((card for card, origin in found if origin.commit == passport.commit), None)
    return same, next((card for card, origin in found if origin.commit != passport.commit), None)


def _already_installed(
    workspace: Workspace, card: ModelCard, passport: Passport, report: Report
) -> ModelCard:
    report.notice(
        Message(
            "{repository} is installed already, as {name}.", repository=passport.repository, name=card.name
        )
    )
    _forget_finished(workspace, passport.repository)
    return card


def _refuse_unwanted(passport: Passport, other: ModelCard | None, replace: bool) -> None:
    """Raise SpanlightError if the model is refused, or another version of it is installed and may not be replaced."""
    if passport.card is None:
        raise SpanlightError(
            passport.refused or Message("{name} is refused.", name=passport.repository),
            passport.hint or Message("Choose another model."),
        )
    if other is not None and not replace:
        raise SpanlightError(
            Message(
                "Another version of {repository} is installed, as {name}.",
                repository=passport.repository,
                name=other.name,
            ),
            Message("Remove it first, or have it replaced."),
        )


def _forget_finished(workspace: Workspace, repository: str) -> None:
    """Delete the record of a finished download; if that fails, `unfinished` does it later."""
    with contextlib.suppress(OSError):
        forget_started(workspace.paths.unfinished_downloads, repository)


def _record_start(workspace: Workspace, passport: Passport, older: StartedDownload | None) -> StartedDownload:
    """Record the download, unless it is resumed: only the first passport tells which files were in the cache before."""
    if older is not None and older.passport.commit == passport.commit:
        return older
    begun = StartedDownload(passport, timestamp())
    record_started(workspace.paths.unfinished_downloads, begun)
    return begun


def _fetch(workspace: Workspace, passport: Passport, report: Report) -> Fetched:
    began = time.monotonic()
    order = Fetch(passport, workspace.network)
    fetched: Fetched = workspace.downloads.fetch(order, Online(workspace, report))
    _log.info("%s fetched in %.0f s", passport.repository, time.monotonic() - began)
    if fetched.speed:
        _save_speed(workspace, fetched.speed)
    return fetched


def _install(
    workspace: Workspace, passport: Passport, fetched: Fetched, name: str, report: Report, *, replace: bool
) -> ModelCard:
    """Link the fetched files into a staging folder, try the model out there, and install it."""
    source = Path(fetched.folder)
    report.progress(Progress(0, 0, CHECKING))
    with Staging(workspace.paths.models, name) as stage:
        known = {file.name: file for file in passport.files}
        with _deleting_if_refused(workspace, passport):
            files = [file for file in files_of(source) if file in known]
        meter = Meter(report, CHECKING, sum(known[file].size for file in files))
        placed = tuple(stage.put(source / file, file, meter, link=True) for file in files)
        for file in placed:
            if file.sha256 != dict(fetched.checksums).get(file.name, file.sha256):
                raise SpanlightError(
                    Message(
                        "{file} of {name} was changed in the Hugging Face cache.",
                        file=file.name,
                        name=passport.repository,
                    ),
                    Message("Download it again."),
                )
        with _deleting_if_refused(workspace, passport):
            add_tokenizer(stage.folder)
            read_card(stage.folder)
        # A trial may fail for lack of memory, so the fetched files stay for another attempt.
        card = try_out(workspace, stage.folder, report)
        origin = Origin(
            Source.HUB,
            repository=passport.repository,
            commit=passport.commit,
            endpoint=passport.endpoint,
            cache=fetched.cache,
            licence=passport.licence,
            languages=passport.languages,
        )
        return install_staged(workspace, stage, origin, card, placed, report, replace=replace)


@contextlib.contextmanager
def _deleting_if_refused(workspace: Workspace, passport: Passport) -> Iterator[None]:
    """Delete the fetched files if they are no readable model; those that were in the cache before stay."""
    try:
        yield
    except SpanlightError:
        _delete_fetched(workspace, passport)
        raise


def _delete_fetched(workspace: Workspace, passport: Passport) -> None:
    network = workspace.network
    fetched = [file.name for file in passport.files if not file.cached]
    try:
        forget_partials(passport, network)
        forget(passport.repository, passport.commit, network, fetched)
        forget_started(workspace.paths.unfinished_downloads, passport.repository)
    except OSError as fault:
        raise SpanlightError(
            Message(
                "What was fetched of {name} could not be deleted: {reason}.",
                name=passport.repository,
                reason=fault.strerror,
            ),
            Message("Check the permissions of the Hugging Face cache."),
        ) from fault


def _delete_older(workspace: Workspace, older: Passport) -> None:
    """Delete the files of a download at another commit, except those that both share."""
    files = tuple(file for file in older.files if not file.cached)
    with contextlib.suppress(OSError):  # leftovers only take space
        forget_partials(dataclasses.replace(older, files=files), workspace.network)
        forget(older.repository, older.commit, workspace.network, {file.name for file in files})


def _installed_from(workspace: Workspace, repository: str) -> list[tuple[ModelCard, Origin]]:
    """The installed models from a repository, with their origins."""
    cards = {Path(card.folder): card for card in workspace.shelf.cards()}
    return [
        (cards[folder], origin)
        for folder, origin in installed_origins(workspace).items()
        if origin.source is Source.HUB and origin.repository.casefold() == repository.casefold()
    ]


def _broken_model(workspace: Workspace, repository: str) -> str:
    """The name of a broken model from a repository, such as one whose cached files are gone; empty if there is none."""
    for folder in map(Path, workspace.shelf.refused):
        with contextlib.suppress(SpanlightError):
            origin = read_origin(folder) if folder.parent == workspace.paths.models else None
            if origin is not None and origin.repository.casefold() == repository.casefold():
                return folder.name
    return ""


def _free_name(workspace: Workspace, passport: Passport) -> str:
    """The repository's name without its owner, or with it if that is taken."""
    name = passport.repository.rpartition("/")[2]
    return free_name(name, names_taken(workspace), passport.repository.replace("/", "--"))


def _save_speed(workspace: Workspace, speed: float) -> None:
    """Save the download speed for the next estimate; a failure to save is ignored."""
    workspace.settings.download_speed = float(speed)
    with contextlib.suppress(SpanlightError):
        workspace.save_settings()
