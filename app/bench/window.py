"""Measure the gaps of the window's event loop while it opens, loads, reads and trains, compared with a bare one."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from app.bench.other_python import last_words
from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, BenchRow, row
from app.bench.start import ROOT, process_environment
from app.bench.texts import BUNDLED_QUESTIONS, Pool, pool
from app.cli.terminal import count
from app.core import wording
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Progress, Relay, Report, Stopped
from app.core.requests import Question, TrainingRequest
from app.flows.ask.question import ask, load_reader
from app.flows.train import QA, train
from app.flows.workspace import Workspace

WORDS = 500_000
SECONDS = 20.0  # of reading, of classifying and of training, at most
READY = 120.0  # until the window must have loaded, or opened a text
QUESTIONS = 5
_CLASSIFIED = 100_000  # characters of the text that is classified
_LONGEST = 900.0
_END = 30.0  # for the bare event loop to print its results
_OPENS = f"See whether the window opens: {command()}"
_COMMAND = [sys.executable, "-m", "app.bench.window_process"]
# The titles of the window's phases; the bare loop goes through those of _BARE_PHASES only.
_PHASES = {
    "load": "loading the reader",
    "open": "opening the text",
    "first answers": "asking, until the first answers",
    "read": "reading, while somebody types and scrolls",
    "classify": "classifying a long text",
    "train": "training",
}
_BETWEEN = {"": "coming to rest", "paint": "painting itself", "pages": "turning pages", "stop": "stopping"}
_BARE_PHASES = ("load", "read", "train")


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Drive the real window through a long document, questions and some training, and measure its event loop's gaps.

    The same work is then done without a window beside an idle event loop, whose gaps are the system's. Raises
    SpanlightError if the window does not work, Stopped when cancelled.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING, plan.model)
    texts = pool(plan.data, workspace.paths)
    document = texts.document(plan.words or WORDS, plan.seed)
    questions = _questions(texts, document.text, plan.seed)
    examples = str(workspace.paths.example_sets / BUNDLED_QUESTIONS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = process_environment(folder)
        text, some = folder / "long.txt", folder / "some.txt"
        text.write_text(document.text, encoding="utf-8")
        some.write_text(document.text[:_CLASSIFIED], encoding="utf-8")
        teaching = _teaching(card.folder, examples, folder / "taught", plan.device)
        order = folder / "order.json"
        fields = {
            "text": str(text),
            "questions": questions,
            "classify": str(some),
            "train": teaching,
            "model": card.folder,
            "device": plan.device,
            "seconds": SECONDS,
            "longest": READY,
        }
        order.write_text(json.dumps(fields), encoding="utf-8")
        report.progress(Progress(0, 0, "A window of its own opens, reads and learns"))
        found = _ready(_window([*_COMMAND, str(order)], environment, report))
        workspace.engine.end()
        with _Bare(environment, report) as bare:
            bare.phase("load")
            load_reader(workspace, report, model=card.folder, device=plan.device)
            bare.phase("read")
            question = Question(questions[-1], (document,))
            _at_most(
                report,
                lambda limited: ask(workspace, question, limited, model=card.folder, device=plan.device),
            )
            bare.phase("train")
            request = TrainingRequest(
                **_teaching(card.folder, examples, folder / "taught beside", plan.device)
            )
            _at_most(report, lambda limited: train(workspace, request, limited))
        idle = bare.measured
    return _part(found, idle, card.name, plan.device, texts.description)


def _part(
    found: Mapping[str, Any], bare: Mapping[str, Any], model: str, device: str, description: str
) -> BenchPart:
    answers = [1000 * seconds for seconds in found.get("first answers", ())]
    rows = [row("Enter to first answer on the page", answers, "ms", worst=True)] if answers else []
    for phase, words in _PHASES.items():
        gaps = found["phases"].get(phase)
        if gaps is not None:
            rows.append(BenchRow(f"longest gap, {words}", gaps["longest"], "ms"))
            rows.append(BenchRow("  the window's own work in one gap, at most", gaps["work"], "ms"))
            if gaps["p99"] < gaps["longest"]:
                rows.append(BenchRow("  99% of the time passed in gaps of at most", gaps["p99"], "ms"))
    for phase in _BARE_PHASES:
        gaps = bare["phases"].get(phase)
        if gaps is not None:
            rows.append(
                BenchRow(f"a bare event loop beside {_PHASES[phase].split(',')[0]}", gaps["longest"], "ms")
            )
    notes = [
        f"The window was drawn by “{found['platform']}”, with data of its own; its heart beats every millisecond.",
        "The bare event loop does nothing, beside the same work done without a window: its gaps are the system's.",
        description,
    ]
    questions = len(answers) + found.get("not answered", 0)
    if questions:
        notes.append(_of_answers(len(answers), questions, found["read"]))
    stopped = dict.fromkeys(_PHASES.get(one, one) for one in found["stopped"])
    if stopped:
        notes.append(f"Stopped after {SECONDS:g} seconds, as planned: {'; '.join(stopped)}.")
    return BenchPart(
        name="window",
        title="How long the window's event loop stands still",
        rows=tuple(rows),
        notes=tuple(notes),
        model=model,
        device=device,
        details={"window": dict(found), "bare": dict(bare)},
    )


def _questions(texts: Pool, text: str, seed: int) -> list[str]:
    """Return random questions that the text answers, each about a paragraph of its own."""
    rng = random.Random(seed)
    those = dict.fromkeys(one.context for one in rng.sample(texts.answerable, len(texts.answerable)))
    there = itertools.islice((context for context in those if context in text), QUESTIONS)
    by_context: dict[str, str] = {one.context: one.question for one in texts.answerable}
    return [by_context[context] for context in there]


def _of_answers(answered: int, asked: int, read: float) -> str:
    """Say how many questions were answered in the window, and how far the text was read for the last one."""
    each = f"{count(asked, 'question')} asked of the long text one after another, it being open"
    none = f"; {asked - answered} had none on the page within {SECONDS:g} seconds" if answered < asked else ""
    far = "to its end" if read == 1 else f"to {wording.percent(read)}"
    return f"{each}{none}. For the last one it was read {far}."


def _teaching(base: str, examples: str, output: Path, device: str) -> dict[str, Any]:
    """Return the fields of a TrainingRequest that takes a while."""
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
    """Run a measuring process and return its output, checking the report meanwhile."""
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
        return _parsed(out.read().decode("utf-8", "replace"), faults, process.returncode)


def _parsed(out: str, faults: IO[bytes], code: int) -> dict[str, Any]:
    lines = out.strip().splitlines()
    try:
        found: dict[str, Any] = json.loads(lines[-1])
    except (IndexError, ValueError):
        raise SpanlightError(
            f"The window could not be measured: {last_words(faults, code)}", _OPENS
        ) from None
    return found


def _ready(found: dict[str, Any]) -> dict[str, Any]:
    """Return the results; raises SpanlightError if the window got stuck."""
    late = found["late"]
    if late is not None:
        raise SpanlightError(
            f"The window was not done within {READY:g} seconds: {(_PHASES | _BETWEEN).get(late, late)}.",
            "Close other programs, or try it with fewer --words.",
        )
    return found


class _Bare:
    """A process with an idle event loop; `measured` has its figures by phase after the `with` block."""

    def __init__(self, environment: Mapping[str, str], report: Report) -> None:
        self.measured: dict[str, Any] = {"phases": {}}
        self._report = report
        self._faults = tempfile.TemporaryFile()  # noqa: SIM115 closed on exit
        self._process = subprocess.Popen(
            _COMMAND,
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._faults,
            text=True,
        )

    def phase(self, name: str) -> None:
        """Begin a phase; raises SpanlightError if the process has ended."""
        self._report.progress(Progress(0, 0, f"A bare event loop beside {_PHASES[name].split(',')[0]}"))
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
        except OSError:
            why = last_words(self._faults, self._process.wait())
            raise SpanlightError(f"The bare event loop ended: {why}", _OPENS) from None

    def __enter__(self) -> _Bare:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                out, _error = self._process.communicate(timeout=_END)
                self.measured = _parsed(out, self._faults, self._process.returncode)
        except subprocess.TimeoutExpired:
            raise SpanlightError(
                "The bare event loop did not end.", "Close other programs and try again."
            ) from None
        finally:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._faults):
                with contextlib.suppress(OSError, ValueError):
                    assert stream is not None
                    stream.close()


class _Limited(Relay):
    """A Report that stops the work after SECONDS."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._until = time.monotonic() + SECONDS

    def check(self) -> None:
        """Raise Stopped when cancelled, or the time is over."""
        super().check()
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
