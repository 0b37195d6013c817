"""How long the window's event loop stands still while it opens, loads, reads and teaches, beside a bare one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.core.benches import BenchPart, BenchRow
from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Progress, Report, Stopped
from app.core.requests import Question, TrainingRequest
from app.flows.ask import ask, load_reader
from app.flows.bench.plan import BenchPlan
from app.flows.bench.start import ROOT, process_environment
from app.flows.bench.texts import ALONG, pool
from app.flows.train import QA, train
from app.flows.workspace import Workspace

WORDS = 500_000
SECONDS = 20.0  # of reading, and of training, at most
_CLASSIFIED = 100_000  # characters of the text that is classified
_LONGEST = 900.0
_COMMAND = [sys.executable, "-m", "app.ui.measured"]
# What the window's phases are called here; the bare loop goes through those in BESIDE.
_PHASES = {
    "load": "loading the reader",
    "open .txt": "opening the text",
    "first answers": "asking, until the first answers",
    "read": "reading, while somebody types and scrolls",
    "classify": "classifying a long text",
    "train": "training",
}
_BESIDE = ("load", "read", "train")


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Drive the real window through a long document, a question and some training, and take the gaps of its event loop.

    The same work is then done without a window, beside an event loop that has nothing to do: its gaps are the system's.
    Raises SpanlightError where the window does not do its work, Stopped when the report says so.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING, plan.model)
    texts = pool(plan.data, workspace.paths)
    document = texts.document(plan.words or WORDS, plan.seed)
    question = texts.question(plan.seed)
    examples = str(workspace.paths.example_sets / ALONG)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = process_environment(folder)
        text, some = folder / "long.txt", folder / "some.txt"
        text.write_text(document.text, encoding="utf-8")
        some.write_text(document.text[:_CLASSIFIED], encoding="utf-8")
        teaching = _teaching(card.folder, examples, folder / "taught", plan.device)
        order = folder / "order.json"
        fields = {
            "files": [str(text)],
            "question": question,
            "seconds": SECONDS,
            "classify": str(some),
            "train": teaching,
            "model": card.folder,
            "device": plan.device,
            "pages": False,
        }
        order.write_text(json.dumps(fields), encoding="utf-8")
        report.progress(Progress(0, 0, "A window of its own opens, reads and learns"))
        found = _window([*_COMMAND, str(order)], environment, report)
        workspace.engine.end()
        with _Bare(environment, report) as bare:
            bare.phase("load")
            load_reader(workspace, report, model=card.folder, device=plan.device)
            bare.phase("read")
            asked = Question(question, (document,))
            _at_most(
                report, lambda limited: ask(workspace, asked, limited, model=card.folder, device=plan.device)
            )
            bare.phase("train")
            request = TrainingRequest(
                **_teaching(card.folder, examples, folder / "taught beside", plan.device)
            )
            _at_most(report, lambda limited: train(workspace, request, limited))
        beside = bare.told
    return _part(found, beside, card.name, plan.device, texts.said)


def _part(
    found: Mapping[str, Any], beside: Mapping[str, Any], model: str, device: str, said: str
) -> BenchPart:
    rows = []
    for phase, words in _PHASES.items():
        gaps = found["phases"].get(phase)
        if gaps is not None:
            rows.append(BenchRow(f"longest gap, {words}", gaps["longest"], "ms"))
            rows.append(BenchRow("  the window's own work in one gap, at most", gaps["work"], "ms"))
            rows.append(BenchRow("  of the time, 99 % in gaps no longer than", gaps["p99"], "ms"))
    for phase in _BESIDE:
        gaps = beside["phases"].get(phase)
        if gaps is not None:
            rows.append(
                BenchRow(f"a bare event loop beside {_PHASES[phase].split(',')[0]}", gaps["longest"], "ms")
            )
    notes = [
        f"The window was drawn by “{found['platform']}”, with data of its own; its heart beats every millisecond.",
        "The bare event loop does nothing, beside the same work done without a window: its gaps are the system's.",
        said,
    ]
    if found["late"]:
        notes.append(
            f"Stopped after {SECONDS:g} seconds: {', '.join(_PHASES.get(one, one) for one in found['late'])}."
        )
    return BenchPart(
        name="window",
        title="How long the window's event loop stands still",
        rows=tuple(rows),
        notes=tuple(notes),
        model=model,
        device=device,
        details={"window": dict(found), "bare": dict(beside)},
    )


def _teaching(base: str, examples: str, output: Path, device: str) -> dict[str, Any]:
    """The fields of a TrainingRequest that takes a while."""
    return {
        "task": QA,
        "base": base,
        "examples": (examples,),
        "dev": (examples,),
        "output": str(output),
        "batch_size": 8,
        "device": device or "auto",
    }


def _window(command: list[str], environment: Mapping[str, str], report: Report) -> dict[str, Any]:
    """What a process that measures says; polls the report meanwhile."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as faults:
        with subprocess.Popen(command, cwd=ROOT, env=dict(environment), stdout=out, stderr=faults) as process:
            try:
                until = time.monotonic() + _LONGEST
                while process.poll() is None:
                    report.check()
                    if time.monotonic() > until:
                        raise SpanlightError(
                            "The window did not come to an end.", "Try it with fewer --words."
                        )
                    time.sleep(0.1)
            finally:
                process.kill()
        out.seek(0)
        faults.seek(0)
        return _said(out.read().decode("utf-8", "replace"), faults.read().decode("utf-8", "replace"))


def _said(out: str, faults: str) -> dict[str, Any]:
    lines = out.strip().splitlines()
    try:
        found: dict[str, Any] = json.loads(lines[-1])
    except (IndexError, ValueError):
        last = next((line.strip() for line in reversed(faults.splitlines()) if line.strip()), "")
        raise SpanlightError(
            "The window could not be measured.", f"It ended with: {last}" if last else "See whether it opens."
        ) from None
    return found


class _Bare:
    """A process with an event loop that has nothing to do; `told` is what it measured, by phase, once it is left."""

    def __init__(self, environment: Mapping[str, str], report: Report) -> None:
        self.told: dict[str, Any] = {"phases": {}}
        self._report = report
        self._process = subprocess.Popen(
            _COMMAND,
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def phase(self, name: str) -> None:
        """Count what follows for a phase."""
        self._report.progress(Progress(0, 0, f"A bare event loop beside {_PHASES[name].split(',')[0]}"))
        if self._process.stdin is not None:
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()

    def __enter__(self) -> _Bare:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                out, _error = self._process.communicate(timeout=30)
                self.told = _said(out, "")
        finally:
            self._process.kill()
            self._process.wait()


class _Limited:
    """A report that has work stopped after SECONDS."""

    def __init__(self, report: Report) -> None:
        self._report, self._until = report, time.monotonic() + SECONDS
        self.progress, self.notice = report.progress, report.notice

    def partial(self, result: object) -> None:
        """Nobody looks at what comes meanwhile."""

    def check(self) -> None:
        """Raise Stopped where the report says so, or the time is over."""
        self._report.check()
        if self.over:
            raise Stopped

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._until


def _at_most(report: Report, work: Callable[[Report], object]) -> None:
    limited = _Limited(report)
    try:
        work(limited)
    except Stopped:
        if not limited.over:
            raise
