"""A workspace to install models in, and trials that need no process of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.models import ModelCard
from app.core.report import Report
from app.engine.trial import try_model
from app.flows.workspace import Workspace, open_workspace
from app.settings.paths import Paths

STARTER = "starter-judge"


class TrialHere:
    """Stands for the Engine of a trial: the same trial, in this process; `folders` are those tried."""

    folders: list[str] = []

    def __init__(self, log: Path | None = None, only: Path | None = None) -> None:
        self.closed = False

    def try_model(self, folder: str, report: Report) -> ModelCard:
        self.folders.append(folder)
        return try_model(folder, report)

    def close(self) -> None:
        self.closed = True


@contextmanager
def a_workspace(home: Path, starter: Path | None = None) -> Iterator[Workspace]:
    """A workspace below `home` whose one starter model, if any, is a copy of the folder `starter`."""
    resources = home / "resources"
    (resources / "models").mkdir(parents=True)
    if starter is not None:
        shutil.copytree(starter, resources / "models" / STARTER)
    workspace = open_workspace(Paths(home / "config", home / "data", home / "logs", resources))
    try:
        yield workspace
    finally:
        workspace.close()


def hidden(workspace: Workspace) -> list[str]:
    """What lies hidden among the models: nothing, once all is done."""
    models = workspace.paths.models
    return sorted(path.name for path in models.iterdir() if path.name[0] == ".") if models.is_dir() else []


def names(workspace: Workspace) -> list[str]:
    """The names of the models that count."""
    return [card.name for card in workspace.shelf.cards()]


def in_cache(folder: Path, cache: Path) -> Path:
    """The folder's files as the Hugging Face cache holds them, as org/tiny-reader; the snapshot."""
    storage = cache / "models--org--tiny-reader"
    snapshot = storage / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (storage / "blobs").mkdir()
    for number, path in enumerate(sorted(folder.iterdir())):
        shutil.copy(path, storage / "blobs" / f"{number:040d}")
        (snapshot / path.name).symlink_to(f"../../blobs/{number:040d}")
    return snapshot
