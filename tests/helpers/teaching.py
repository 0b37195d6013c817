"""What teaching is tested with: a small encoder, texts of two topics, and the model process's work done right here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from app.core.models import Head
from app.core.report import Report
from app.core.requests import ModelChoice
from app.engine.client import Engine
from app.engine.orders import Run
from app.engine.process import Host
from app.flows.workspace import Workspace
from app.models.disk.installed import Shelf
from app.settings.paths import Paths, default_paths
from app.settings.settings import Settings
from tests.helpers.small_models import small_checkpoint

CATS = [
    f"the cat sat on the mat {word}"
    for word in ("alice", "bob", "in", "on", "and", "to", "of", "is", "was", "a")
]
TEAS = [
    f"tea and bread {word} king" for word in ("alice", "bob", "in", "on", "and", "to", "of", "is", "was", "a")
]
TEXTS = [text for pair in zip(CATS, TEAS, strict=True) for text in pair]
LABELS = ["cats" if at % 2 == 0 else "teas" for at in range(len(TEXTS))]


class HereEngine:
    """Runs requests in this process, with real models."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self._host = Host()

    def run(self, request: Any, choice: ModelChoice | None, report: Report) -> Any:
        self.requests.append(request)
        return self._host(Run(request, choice), report)

    def close(self) -> None:
        pass


def teaching_workspace(home: Path) -> Workspace:
    """A workspace with a small encoder installed, and whose models can be replaced."""
    usual = default_paths({"SPANLIGHT_HOME": str(home)})
    small_checkpoint(usual.models / "encoder", head=Head.EMBEDDINGS, dtype="float16")
    paths = Paths(usual.config, usual.data, usual.logs, usual.resources)
    return Workspace(Settings(), paths, Shelf([paths.models]), cast("Engine", HereEngine()))


def table_file(folder: Path, name: str = "topics.csv", *, labelled: bool = True) -> Path:
    """A CSV file of the texts with their labels, or without."""
    path = folder / name
    rows = [
        f"{at},{text},{label if labelled else ''}"
        for at, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    path.write_text("\n".join(["id,message,topic", *rows]) + "\n", encoding="utf-8")
    return path
