"""Imports models from folders and zip files on this computer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import ModelCard
from app.core.offers import Origin, Source
from app.core.report import Progress, Report
from app.flows.models.installing import (
    CHECKING,
    add_tokenizer,
    install_staged,
    installed_origins,
    names_taken,
    try_out,
)
from app.flows.workspace import Workspace
from app.models.disk.archive import holds_model, is_zip, open_archive
from app.models.disk.card import has_mean_pooling, read_card
from app.models.disk.config import CONFIG
from app.models.disk.copying import Meter, check_space, files_of
from app.models.disk.names import check_name, free_name, model_name, safe_name
from app.models.disk.notes import MEAN, NOTES, read_notes, write_notes
from app.models.disk.shelving import Placed, Staging
from app.models.disk.tokenizer import TOKENIZER
from app.models.disk.weights import INDEX, PICKLES

COPYING, LINKING, UNPACKING = Message("Copying"), Message("Reading"), Message("Unpacking")
Stat = tuple[int, int, int]


def import_model(
    workspace: Workspace,
    path: Path | str,
    report: Report,
    *,
    link: bool = False,
    name: str = "",
    replace: bool = False,
) -> ModelCard:
    """Check the model in a folder or a zip, copy it, try it out, and install it; returns its card.

    `link` leaves the files of a folder where they are. `name` is the model's new name, by default that of the folder or
    the zip; `replace` allows replacing the model of that name. Raises SpanlightError where the model or the disk
    refuses, Stopped when cancelled; then nothing is installed.
    """
    path = Path(path).expanduser()
    wanted = check_name(name) if name.strip() else ""
    report.progress(Progress(0, 0, CHECKING))
    report.check()
    if path.is_dir():
        return _from_folder(workspace, path, report, link=link, wanted=wanted, replace=replace)
    if not path.exists():
        raise SpanlightError(
            Message("There is nothing at {path}.", path=str(path)), Message("Check the path.")
        )
    if not is_zip(path):
        raise SpanlightError(
            Message("“{file}” is no model.", file=path.name),
            Message("Import a model's folder, with config.json in it, or a zip of it."),
        )
    if link:
        raise SpanlightError(
            Message("“{file}” is a zip, whose files cannot stay in it.", file=path.name),
            Message("Import it without linking, or unpack it first."),
        )
    return _from_zip(workspace, path, report, wanted=wanted, replace=replace)


def looks_like_model(path: Path | str) -> bool:
    """Whether a folder or a zip seems to be a model, judging by names of files only."""
    path = Path(path)
    try:
        if path.is_dir():
            return (path / CONFIG).is_file() and any(
                file.suffix in (".safetensors", *PICKLES) or file.name == INDEX for file in path.iterdir()
            )
        return path.is_file() and holds_model(path)
    except OSError:
        return False


def _from_folder(
    workspace: Workspace, path: Path, report: Report, *, link: bool, wanted: str, replace: bool
) -> ModelCard:
    source = path.resolve()
    _refuse_own_folders(workspace, source)
    called = model_name(source)
    if (source / TOKENIZER).exists():
        read_card(source)  # without one, the tokenizer is made first
    names = files_of(source)
    _refuse_links_out(source, names, called)
    before = {file: _stat(source / file) for file in names}
    total = sum(size for size, *_ in before.values())
    if not link:
        check_space(workspace.paths.models, total)
    target = _choose_name(workspace, wanted, called, replace)
    with Staging(workspace.paths.models, target) as stage:
        meter = Meter(report, LINKING if link else COPYING, total)
        # Notes are copied, so that changing them leaves the source model as it is.
        placed = tuple(stage.put(source / file, file, meter, link=link and file != NOTES) for file in names)
        if not (wanted or replace):
            _refuse_duplicate(workspace, placed)
        if has_mean_pooling(source):  # it is stated in a subfolder, which is not copied
            write_notes(stage.folder, dataclasses.replace(read_notes(stage.folder), pooling=MEAN))
        add_tokenizer(stage.folder)
        card = try_out(workspace, stage.folder, report)
        if any(file.linked and _stat(source / file.name) != before[file.name] for file in placed):
            raise SpanlightError(
                Message("{name} was changed while it was being checked, and was not added.", name=called),
                Message("Import it again when nothing writes to it any more."),
            )
        origin = Origin(Source.FOLDER, path=str(path.absolute()))
        return install_staged(workspace, stage, origin, card, placed, report, replace=replace)


def _from_zip(workspace: Workspace, path: Path, report: Report, *, wanted: str, replace: bool) -> ModelCard:
    with open_archive(path) as archive:
        total = archive.size
        check_space(workspace.paths.models, total)
        target = _choose_name(workspace, wanted, archive.folder or path.stem, replace)
        with Staging(workspace.paths.models, target) as stage:
            unpacked = archive.unpack(stage.folder, Meter(report, UNPACKING, total))
            placed = tuple(Placed(file, size, sha256, linked=False) for file, size, sha256 in unpacked)
            if not (wanted or replace):
                _refuse_duplicate(workspace, placed)
            add_tokenizer(stage.folder)
            card = try_out(workspace, stage.folder, report)
            origin = Origin(Source.ARCHIVE, path=str(path.absolute()))
            return install_staged(workspace, stage, origin, card, placed, report, replace=replace)


def _choose_name(workspace: Workspace, wanted: str, own: str, replace: bool) -> str:
    """Choose the model's name; the one that the user wants must be free or replaceable."""
    if not wanted and replace:
        return safe_name(own)
    taken = names_taken(workspace)
    if not wanted:
        return free_name(own, taken)
    if not replace and free_name(wanted, taken) != wanted:
        raise SpanlightError(
            Message("A model called {name} is there already.", name=wanted),
            Message("Give this one another name, or remove that."),
        )
    return wanted


def _refuse_own_folders(workspace: Workspace, source: Path) -> None:
    for own in (workspace.paths.models, workspace.paths.starter_models):
        own = own.resolve()
        if source == own:
            raise SpanlightError(
                Message("That is the folder where Spanlight keeps its models."),
                Message("They are installed already; choose another folder."),
            )
        if source.is_relative_to(own):
            raise SpanlightError(
                Message("{name} is installed already.", name=model_name(source)),
                Message("Choose another folder."),
            )


def _refuse_links_out(source: Path, names: tuple[str, ...], name: str) -> None:
    """Refuse links out of the folder, except those of a Hugging Face cache to its blobs."""
    allowed = [source]
    if source.parent.name == "snapshots":
        allowed.append(source.parent.parent / "blobs")
    for file in names:
        try:
            real = (source / file).resolve(strict=True)
        except OSError as fault:
            raise SpanlightError(
                Message(
                    "{file} of {name} cannot be read: {reason}.", file=file, name=name, reason=fault.strerror
                ),
                Message("Check the file."),
            ) from fault
        if not any(real.is_relative_to(folder) for folder in allowed):
            raise SpanlightError(
                Message("{file} of {name} is a link that leads out of its folder.", file=file, name=name),
                Message("Put the file itself there, or import the folder that holds it."),
            )


def _refuse_duplicate(workspace: Workspace, placed: tuple[Placed, ...]) -> None:
    """Refuse a model whose files are all installed already."""
    ours = _identifying((file.name, file.sha256) for file in placed)
    for folder, origin in installed_origins(workspace).items():
        if _identifying(origin.checksums) == ours:
            raise SpanlightError(
                Message("This model is installed already, as {name}.", name=folder.name),
                Message("It can be used under that name; remove it first to bring it in anew."),
            )


def _identifying(checksums: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """The checksums of the weights, the config and the tokenizer, which identify a model."""
    return frozenset(
        pair
        for pair in checksums
        if pair[0] in (CONFIG, INDEX, TOKENIZER) or pair[0].endswith(".safetensors")
    )


def _stat(file: Path) -> Stat:
    """A file's size, modification time and inode, one of which differs after a change."""
    try:
        status = file.stat()
    except OSError as fault:
        raise SpanlightError(
            Message("{file} cannot be read: {reason}.", file=file.name, reason=fault.strerror),
            Message("Check the file."),
        ) from fault
    return status.st_size, status.st_mtime_ns, status.st_ino
