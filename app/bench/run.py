"""Measure the parts of a plan, one after another."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path

from app.bench.machine import this_machine
from app.bench.plan import INSTRUCTIONS, BenchPlan
from app.bench.results import Bench, BenchPart, Machine
from app.core.errors import SpanlightError
from app.core.report import Report, Stopped
from app.flows.workspace import Workspace

Measure = Callable[[Workspace, BenchPlan, Report], BenchPart]


def _measure_part(name: str, workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    # Imported only when its turn comes, as some parts import numpy.
    part: BenchPart = import_module(f"app.bench.{name}").measure(workspace, plan, report)
    return part


PARTS: dict[str, Measure] = {
    name: partial(_measure_part, name)
    for name in "reading anytime memory library start bundle window teach training recognition cluster".split()
}
# Parts that start another module of the source in a Python of its own.
_SOURCE_ONLY = ("window",)


def bench(
    workspace: Workspace, plan: BenchPlan, report: Report, finished: Callable[[Bench], None] | None = None
) -> Bench:
    """Measure the plan's parts in their order; if there are several, one that fails is left out with a notice.

    Each part after the first begins without a model process, so that the process's memory is the part's own. `finished`
    is called with all results so far after each part, and once more if the work is stopped or fails, which is then a
    fault of the current part. Raises SpanlightError for a plan that cannot be carried out and if nothing could be
    measured, Stopped when cancelled.
    """
    _refuse(plan)
    if plan.against:
        # Links are not resolved, as an environment's interpreter is a link.
        plan = replace(plan, against=str(Path(plan.against).absolute()))
    measured = _Measured(this_machine(), plan, finished)
    with _emulated_instructions(plan.isa):
        for number, name in enumerate(plan.parts):
            if number:
                workspace.engine.end()
            try:
                part = _measure(name, workspace, plan, report)
            except SpanlightError as fault:
                if len(plan.parts) == 1 or (name == plan.parts[-1] and not measured.parts):
                    raise
                report.notice(f"{name.capitalize()} could not be measured. {fault}")
                measured.miss(name, str(fault))
            except BaseException as fault:
                measured.miss(name, _failure(fault))
                raise
            else:
                measured.take(part)
    return measured.bench


def _measure(name: str, workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    if getattr(sys, "frozen", False) and (name in _SOURCE_ONLY or plan.against):
        what = "Another Python" if plan.against else f"The part {name}"
        raise SpanlightError(
            f"{what} is measured by the source's own files, which an installed Spanlight comes without.",
            "Get the source, and measure there.",
        )
    try:
        return PARTS[name](workspace, plan, report)
    except SpanlightError:
        # Ctrl+C in a terminal also ends a part's processes, which then seem to have failed.
        report.check()
        raise


@dataclass(slots=True)
class _Measured:
    """The results so far, passed to `finished` after every addition."""

    machine: Machine
    plan: BenchPlan
    finished: Callable[[Bench], None] | None
    parts: list[BenchPart] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def bench(self) -> Bench:
        """All results."""
        return Bench(
            machine=self.machine,
            model=_one(part.model for part in self.parts),
            device=_devices(self.parts),
            reference=_one(part.reference for part in self.parts),
            parts=tuple(self.parts),
            instructions=self.plan.isa,
            when=datetime.now().astimezone().isoformat(timespec="seconds"),
            faults=dict(self.faults),
        )

    def take(self, part: BenchPart) -> None:
        """Add a finished part."""
        self.parts.append(part)
        self._pass_on()

    def miss(self, name: str, why: str) -> None:
        """Add a missing part."""
        self.faults[name] = why
        self._pass_on()

    def _pass_on(self) -> None:
        if self.finished and self.parts:
            self.finished(self.bench)


def _failure(fault: BaseException) -> str:
    """Return why a part was not finished."""
    if isinstance(fault, Stopped | KeyboardInterrupt):
        return "Stopped."
    return f"Something went wrong inside Spanlight ({type(fault).__name__})."


def _refuse(plan: BenchPlan) -> None:
    """Raise SpanlightError for a plan that cannot be carried out, before anything is measured."""
    for name in plan.parts:
        if name not in PARTS:
            raise SpanlightError(f"There is no part “{name}” to measure.", f"Choose {', '.join(PARTS)}.")
    if plan.isa and plan.isa not in INSTRUCTIONS:
        raise SpanlightError(
            f"There is no processor “{plan.isa}” to stand in for.", f"Choose {', '.join(INSTRUCTIONS)}."
        )
    if plan.data and not Path(plan.data).is_dir():
        raise SpanlightError(
            f"There is no folder “{plan.data}”.", "Name the one that holds the question files."
        )
    if plan.against and not Path(plan.against).is_file():
        raise SpanlightError(
            f"There is no Python “{plan.against}”.",
            "Name the interpreter of an environment that has torch and transformers 4.57.6.",
        )


def _one(names: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(name for name in names if name))


def _devices(parts: Sequence[BenchPart]) -> str:
    """Return the parts' devices: those with a dtype if there are any, else all but `auto`."""
    devices = [part.device for part in parts if part.device and part.device != "auto"]
    return _one([one for one in devices if " in " in one] or devices)


@contextmanager
def _emulated_instructions(isa: str) -> Iterator[None]:
    """Let processes started in this context use the instructions of a lesser processor only."""
    wanted = INSTRUCTIONS.get(isa, {})
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
