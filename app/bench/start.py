"""Measure a start: the time until the window is painted, and until a fresh process answers."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from app.bench.other_python import ENVIRONMENT, HINT, last_words
from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, in_turn, row
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Progress, Report
from app.flows.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = Path(__file__).with_name("reference_once.py")
TEXT = (
    "The tide is highest at noon on most days of that week, and lowest in the early evening. "
    "The harbour master writes both times on the board beside the ferry."
)
QUESTION = "When is the tide highest?"
_WINDOW, _ANSWER = 9, 5  # the default number of measurements of each
_LONGEST = 180.0
_ASK = f"See whether it answers by itself: {command()} ask FILE --question TEXT"
_IMPORTING = "Of the window's start, importing takes: {} (with the measuring, which slows it down)."
_TICK = 0.05  # between two checks whether to stop
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Measure the time until the window is painted, and until a fresh process answers, in turn with the reference.

    Figures are medians in seconds. Each process is started once before it is timed, so that its byte code is compiled
    and its files are in the system's cache. Raises SpanlightError if one does not work, Stopped when cancelled.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING, plan.model)
    with tempfile.TemporaryDirectory() as folder:
        environment = process_environment(Path(folder))
        text = Path(folder) / "text.txt"
        text.write_text(TEXT, encoding="utf-8")
        window = [*own_command(), "--painted"]
        ask = [*own_command(), *ask_arguments(text, card.folder, plan.device)]
        old = [plan.against, "-I", str(PIPELINE), card.folder, QUESTION, TEXT]
        runs = Runs(environment, report)
        runs.painted(window)
        painted = [runs.painted(window) for _ in range(plan.repeats or _WINDOW)]
        runs.answered(ask, _ASK)
        if plan.against:
            runs.answered(old, HINT)
        answered, before = in_turn(
            lambda _: runs.answered(ask, _ASK),
            (lambda _: runs.answered(old, HINT)) if plan.against else None,
            plan.repeats or _ANSWER,
        )
        slowest = runs.imports(window)
        screen = environment.get("QT_QPA_PLATFORM") or "on the screen"
    return BenchPart(
        name="start",
        title="From the command to the window, and to an answer",
        rows=(
            row("start to window painted", painted, "s", worst=True),
            row("fresh process to first answer, a short text", answered, "s", before),
        ),
        notes=(
            f"The window was painted {screen}, with data of its own.",
            *([_IMPORTING.format(_import_times(slowest))] if slowest else []),
        ),
        model=card.name,
        device=plan.device,
        reference="a fresh process of pipeline(“question-answering”), float32 on the CPU"
        if plan.against
        else "",
        details={"painted": painted, "answered": answered, "reference answered": before},
    )


def _import_times(slowest: list[tuple[str, float]]) -> str:
    return ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in slowest)


def own_command() -> list[str]:
    """Return the command of this Spanlight: the bundle's program, else its package in this Python."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "app"]


def ask_arguments(text: Path, model: str, device: str) -> list[str]:
    """Return the arguments with which a fresh process answers the question about the text in a file."""
    arguments = ["ask", str(text), "--question", QUESTION, "--no-history"]
    return [*arguments, "--model", model, "--device", device or "auto"]


def process_environment(home: Path) -> dict[str, str]:
    """Return the measured processes' environment: data of their own, stored byte code, offscreen without a screen."""
    environment = os.environ | ENVIRONMENT | {"SPANLIGHT_HOME": str(home / "home")}
    # With it, every timed process might compile a source tree's byte code again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if sys.platform.startswith("linux") and not any(environment.get(name) for name in _SCREENS):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return environment


class Runs:
    """Starts processes one after another, and times them."""

    def __init__(self, environment: Mapping[str, str], report: Report) -> None:
        self._environment, self._report = environment, report
        self._done = 0

    def painted(self, command: Sequence[str]) -> float:
        """Return the seconds until the window that `command` opens was painted."""
        began, line, _, why = self._run(command)
        try:
            return float(line) - began
        except ValueError:
            raise SpanlightError(
                f"The window was not painted: {why}", "See whether it opens by itself."
            ) from None

    def answered(self, command: Sequence[str], hint: str) -> float:
        """Return the seconds until a process's first line of output; `hint` goes with the error if there is none."""
        began, line, ended, why = self._run(command)
        if not line:
            raise SpanlightError(f"“{command[0]}” gave no answer: {why}", hint)
        return ended - began

    def imports(self, command: Sequence[str], most: int = 6) -> list[tuple[str, float]]:
        """Return the packages whose modules a command took longest to import, and their seconds.

        Empty for a bundle, whose imports cannot be timed that way.
        """
        if getattr(sys, "frozen", False):
            return []
        command = [command[0], "-X", "importtime", *command[1:]]
        try:
            output = subprocess.run(
                command, cwd=ROOT, env=self._environment, capture_output=True, timeout=_LONGEST
            ).stderr.decode("utf-8", "replace")
        except (OSError, subprocess.TimeoutExpired):
            return []
        spent: Counter[str] = Counter()
        for line in output.splitlines():
            took, _, name = line.removeprefix("import time:").replace("|", " | ").partition("|")
            package = name.rpartition("|")[2].strip().partition(".")[0]
            if line.startswith("import time:") and took.strip().isdigit():
                spent["shiboken6" if package == "shibokensupport" else package] += int(took)
        return [(name, microseconds / 1e6) for name, microseconds in spent.most_common(most)]

    def _run(self, command: Sequence[str]) -> tuple[float, str, float, str]:
        """Run a process; returns its start time, its first line, the time of that, and why the process ended."""
        with tempfile.TemporaryFile() as faults:
            began, line, ended, code = self._timed(command, faults)
            return began, line, ended, last_words(faults, code)

    def _timed(self, command: Sequence[str], faults: IO[bytes]) -> tuple[float, str, float, int]:
        self._report.check()
        self._report.progress(Progress(self._done, 0, "Starting fresh processes"))
        self._done += 1
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=faults,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise SpanlightError(
                f"“{command[0]}” cannot be started: {error.strerror or error}.", HINT
            ) from error
        lines: queue.Queue[tuple[str, float]] = queue.Queue()

        def listen() -> None:
            assert process.stdout is not None
            line = process.stdout.readline()
            lines.put((line.strip(), time.monotonic()))
            process.stdout.read()  # it must not block on the rest of its output

        listening = threading.Thread(target=listen, daemon=True)
        listening.start()
        with process:
            try:
                while process.poll() is None:
                    self._report.check()
                    if time.monotonic() - began > _LONGEST:
                        raise SpanlightError(
                            "A fresh process did not end.", "Close other programs and try again."
                        )
                    time.sleep(_TICK)
            finally:
                process.kill()
                listening.join(1)
        line, ended = lines.get_nowait() if not lines.empty() else ("", time.monotonic())
        return began, line, ended, process.returncode
