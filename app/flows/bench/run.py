"""Measure the parts that were asked for, one after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from app.core.benches import Bench, BenchPart
from app.core.errors import SpanlightError
from app.core.report import Report
from app.flows.bench import anytime, memory, reading, start, training, window
from app.flows.bench.machine import this_machine
from app.flows.bench.plan import INSTRUCTIONS, BenchPlan
from app.flows.workspace import Workspace

Measure = Callable[[Workspace, BenchPlan, Report], BenchPart]
PARTS: dict[str, Measure] = {
    "reading": reading.measure,
    "anytime": anytime.measure,
    "memory": memory.measure,
    "start": start.measure,
    "window": window.measure,
    "training": training.measure,
}


def bench(workspace: Workspace, plan: BenchPlan, report: Report) -> Bench:
    """Measure the plan's parts in their order; where there are several, one that fails is noticed and left out.

    Raises SpanlightError for a plan that cannot be carried out and where nothing could be measured, Stopped when the
    report says so.
    """
    _refuse(plan)
    machine = this_machine()
    found: list[BenchPart] = []
    with _lesser(plan.isa):
        for name in plan.parts:
            try:
                found.append(PARTS[name](workspace, plan, report))
            except SpanlightError as fault:
                if len(plan.parts) == 1 or (name == plan.parts[-1] and not found):
                    raise
                report.notice(f"{name.capitalize()} could not be measured. {fault}")
    return Bench(
        machine=machine,
        model=_one(part.model for part in found),
        device=_one(part.device for part in found),
        reference=_one(part.reference for part in found),
        parts=tuple(found),
        instructions=plan.isa,
        when=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def _refuse(plan: BenchPlan) -> None:
    """Raise SpanlightError for what is known to be wrong before anything is measured."""
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


def _one(names: Iterator[str]) -> str:
    return "; ".join(dict.fromkeys(name for name in names if name))


@contextmanager
def _lesser(isa: str) -> Iterator[None]:
    """While this lasts, every process that is started believes that the processor is a lesser one."""
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
