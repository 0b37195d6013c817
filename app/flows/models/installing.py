"""The common steps of every installation of a model: it is checked, tried out, and put into place."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from app.core.atomic import write_atomic
from app.core.errors import EngineLost, SpanlightError
from app.core.message import Message
from app.core.models import ModelCard
from app.core.offers import Origin
from app.core.report import Progress, Relay, Report
from app.engine.client import Engine
from app.flows.workspace import Workspace
from app.models.disk.card import read_card
from app.models.disk.config import CONFIG
from app.models.disk.notes import NOTES, read_origin
from app.models.disk.shelving import Placed, Staging
from app.models.disk.tokenizer import TOKENIZER
from app.models.disk.vocabulary_files import can_make, make_tokenizer
from app.models.disk.weights import read_json

CHECKING, TRYING = Message("Checking"), Message("Trying it out")


def try_out(workspace: Workspace, folder: Path, report: Report) -> ModelCard:
    """Check that a folder holds a complete model and that every head works, and return its card.

    The model is loaded and run once in a confined process of its own. Raises SpanlightError where it is refused.
    """
    report.progress(Progress(0, 0, CHECKING))
    report.check()
    card = read_card(folder)
    report.progress(Progress(0, 0, TRYING))
    engine = Engine(log=workspace.paths.logs / "trial.log", only=folder)
    try:
        return engine.try_model(str(folder), _TrialReport(report))
    except EngineLost as lost:
        raise SpanlightError(
            Message("{name} makes the model process break off, and was not added.", name=card.name),
            Message("Close other programs and try again; if it happens again, do not use this model."),
        ) from lost
    finally:
        engine.close()


def add_tokenizer(folder: Path) -> None:
    """Write tokenizer.json into a folder that only has vocabulary files, as older checkpoints do.

    Does nothing if it cannot be made from them. Raises SpanlightError where they are malformed or the disk refuses.
    """
    if (folder / TOKENIZER).exists() or not (folder / CONFIG).is_file():
        return
    family = read_json(folder / CONFIG).get("model_type")
    if isinstance(family, str) and can_make({path.name for path in folder.iterdir()}, family):
        write_atomic(folder / TOKENIZER, make_tokenizer(folder, family), private=False)


def install_staged(
    workspace: Workspace,
    stage: Staging,
    origin: Origin,
    card: ModelCard,
    placed: Sequence[Placed],
    report: Report,
    *,
    replace: bool,
) -> ModelCard:
    """Mark the model in a staging folder as complete, and put it into place; returns its card there.

    `origin` is completed with facts from the `card` and the `placed` files. Notes are left out of the sizes and
    checksums, since Spanlight changes them. Raises SpanlightError where the disk refuses or the name is taken, Stopped
    when cancelled; then the model is not installed.
    """
    report.check()
    files = [file for file in placed if file.name != NOTES]
    origin = dataclasses.replace(
        origin,
        added=timestamp(),
        linked=any(file.linked for file in placed),
        licence=origin.licence or card.licence,
        languages=origin.languages or card.languages,
        sizes=tuple((file.name, file.size) for file in files),
        checksums=tuple((file.name, file.sha256) for file in files),
    )
    place = stage.install(origin, replace=replace)
    found = next((each for each in workspace.shelf.cards() if Path(each.folder) == place), None)
    if found is None:
        raise workspace.shelf.refused.get(str(place)) or SpanlightError(
            Message("{name} is not there any more.", name=place.name), Message("Import or download it again.")
        )
    return found


def names_taken(workspace: Workspace) -> frozenset[str]:
    """The names of all models, and of everything else in their folder."""
    names = {card.name for card in workspace.shelf.cards()}
    names |= {Path(folder).name for folder in workspace.shelf.refused}
    if workspace.paths.models.is_dir():
        names |= {path.name for path in workspace.paths.models.iterdir()}
    return frozenset(names)


def installed_origins(workspace: Workspace) -> dict[Path, Origin]:
    """The folders of installed models with their origins; those without a readable one are left out."""
    found: dict[Path, Origin] = {}
    for card in workspace.shelf.cards():
        try:
            origin = read_origin(card.folder)
        except SpanlightError:
            continue
        if origin is not None:
            found[Path(card.folder)] = origin
    return found


def timestamp() -> str:
    """The current time in the format of origins (ISO 8601, UTC)."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class _TrialReport(Relay):
    """The Report of a trial, which shows all steps of loading as one."""

    def progress(self, progress: Progress) -> None:
        super().progress(Progress(0, 0, TRYING))

    def partial(self, result: object) -> None:
        """Drop partial results."""

    def notice(self, sentence: str) -> None:
        """Drop notices about the trial's device."""
