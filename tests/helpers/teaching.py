"""What teaching is tested with: a small encoder, texts of two topics, a small reader with corrections of its answers,
and the model process's work done right here.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from app.core.corrections import Correction, Verdict
from app.core.layout import Kind
from app.core.models import Head
from app.core.report import Report
from app.core.requests import ModelChoice
from app.core.text import Span
from app.engine.client import Engine
from app.engine.orders import Run
from app.engine.process import Host
from app.flows.workspace import Workspace
from app.models.disk.installed import Shelf
from app.settings.paths import Paths, default_paths
from app.settings.settings import Settings
from tests.helpers.corrections import correction
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


class OneThread(Host):
    """Small models lose more to threads than they gain, and other tests run beside these."""

    def _set_threads(self, report: Report) -> None:
        import torch

        super()._set_threads(report)
        torch.set_num_threads(1)


class HereEngine:
    """Runs requests in this process, with real models."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self._host = OneThread()

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


NAMES = ("king", "queen", "knave", "alice", "rabbit", "man")
THINGS = ("tarts", "river", "book", "film", "city", "capital")


def reader_workspace(home: Path, engine: Any = None, *, family: str = "bert") -> Workspace:
    """A workspace with a small reader that comes along, and few examples of what it was made from."""
    resources = home / "resources"
    paths = replace(default_paths({"SPANLIGHT_HOME": str(home)}), resources=resources)
    if not resources.is_dir():
        notes = {"languages": ["en"], "licence": "CC0", "window": 64, "stride": 16}
        small_checkpoint(paths.starter_models / "reader", family, dtype="float16", notes=notes)
        paths.example_sets.mkdir()
        for name, number in (("replay", 24), ("replay-held-out", 6)):
            rows = (json.dumps(question_row(at)) + "\n" for at in range(number))
            (paths.example_sets / f"{name}.jsonl.xz").write_bytes(lzma.compress("".join(rows).encode()))
    shelf = Shelf([paths.models, paths.starter_models], paths.starter_models)
    return Workspace(Settings(device="cpu"), paths, shelf, cast("Engine", engine or HereEngine()))


def question_row(at: int) -> dict[str, Any]:
    """A question of "who took what?", every third without an answer, as files have it."""
    name, thing, other = NAMES[at % 6], THINGS[at // 6 % 6], THINGS[(at // 6 + 1) % 6]
    asked, answers = (other, []) if at % 3 == 2 else (thing, [{"text": name, "answer_start": 4}])
    context = f"the {name} took the {thing} . the people went to the war {at} ."
    return {"id": str(at), "context": context, "question": f"who took the {asked}?", "answers": answers}


def corrections(number: int) -> list[Correction]:
    """What a person said of answers to `question_row`s, each of its own document."""
    found = []
    for at in range(number):
        row = question_row(at)
        said = row["answers"][0]["text"] if row["answers"] else ""
        found.append(
            correction(
                row["question"],
                name=f"{at}.txt",
                path="",
                sha256=f"{at:064x}",
                kind=Kind.TEXT,
                verdict=Verdict.OTHER_WORDS if said else Verdict.NOT_THERE,
                words=said,
                span=Span(4, 4 + len(said)) if said else None,
                shown="war",
                shown_span=None,
                probability=0.4,
                passage=row["context"],
                passage_start=0,
                weights="",
                judged=float(at),
                number=at + 1,
            )
        )
    return found
