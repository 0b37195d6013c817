"""A model process with two further orders: how fast a device multiplies, and where the time of a request goes.

The time is split into PyTorch's operations by kind, and Python's own time by part of the app.
"""

from __future__ import annotations

import cProfile
import pstats
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from app.core.report import Report
from app.core.requests import ModelChoice
from app.engine.host import model_process
from app.engine.orders import Run
from app.models.compute.peak import Peak

MODEL, TOKENISING, WINDOWS, CHOOSING, SENDING, OTHER = (
    "around the model's operations",
    "tokenising",
    "windows and their order",
    "choosing spans",
    "sending",
    "other",
)
PRODUCTS, ATTENTION, NORMALISATION, ACTIVATION, MOVING = (
    "matrix products",
    "attention",
    "normalisation",
    "activation",
    "looking up, converting and copying",
)
# The first kind with a word in an operation's name counts; attention may be batched products, linear layers never are.
_OPERATIONS = (
    (ATTENTION, ("attention", "softmax", "bmm")),
    (NORMALISATION, ("norm",)),
    (PRODUCTS, ("addmm", "::mm", "linear", "matmul")),
    (ACTIVATION, ("gelu", "tanh", "relu")),
)
# The first part whose path is in the file's; a function in no part counts as the part that called it.
_PARTS = (
    ("app/models/", MODEL),
    ("app/tasks/text/tokens.py", TOKENISING),
    ("app/tasks/text/windows.py", WINDOWS),
    ("app/tasks/text/sections.py", WINDOWS),
    ("app/tasks/batches.py", WINDOWS),
    ("app/tasks/text/characters.py", TOKENISING),
    ("app/tasks/", CHOOSING),
    ("app/engine/serve.py", SENDING),
    ("multiprocessing/", SENDING),
    ("app/engine/", OTHER),
)
_ROUNDS = 20
_Function = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Profile:
    """The seconds of a task, in all and by kind of work, longest first."""

    seconds: float
    kinds: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class MeasurePeak:
    """Return how fast a device multiplies matrices, a Peak for each dtype; `device` as in ModelChoice."""

    device: str


@dataclass(frozen=True, slots=True)
class ProfileRun:
    """Answer `first`, which loads the model, then `run`, and return where the time of that went as a Profile."""

    first: Run
    run: Run


def peaks(device: str, log: Path, report: Report) -> tuple[Peak, ...]:
    """Measure how fast a device multiplies matrices, by dtype, in a process of its own; raises as `Engine.run` does."""
    found: tuple[Peak, ...] = _in_own_process(MeasurePeak(device), log, report)
    return found


def profile(first: object, request: object, choice: ModelChoice, log: Path, report: Report) -> Profile:
    """Profile a request after the request `first`, in a process of its own; raises as `Engine.run` does."""
    found: Profile = _in_own_process(ProfileRun(Run(first, choice), Run(request, choice)), log, report)
    return found


def _in_own_process(order: object, log: Path, report: Report) -> Any:
    child = model_process(log, start_host)
    try:
        return child.run(order, report)
    finally:
        child.close()


def start_host() -> MeasuringHost:
    """Create the handler of these orders; called in the process itself only."""
    return MeasuringHost()


class MeasuringHost:
    """The handler of MeasurePeak and ProfileRun."""

    def __init__(self) -> None:
        from app.engine.process import start

        self._host = start()

    def __call__(self, order: MeasurePeak | ProfileRun, report: Report) -> Any:
        """Answer an order; raises as the model process does."""
        if isinstance(order, ProfileRun):
            self._host(order.first, report)
            return profile_work(lambda: self._host(order.run, report))
        from app.models.compute import device
        from app.models.compute.peak import measure_peak

        self._host.warm_up()
        return measure_peak(device.choose(order.device).device, report.check)


def profile_work(work: Callable[[], Any]) -> Profile:
    """Do the work and return where its time went; the profiler's own cost is part of Python's time."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    watched = [ProfilerActivity.CPU]
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        watched.append(ProfilerActivity.CUDA)
    python = cProfile.Profile()
    with profile(activities=watched) as operations:
        began = time.perf_counter()
        python.runcall(work)
        seconds = time.perf_counter() - began
    events = on_gpu(operations) if len(watched) > 1 else own_times(_recorded(operations))
    spent = by_operation(events)
    parts = by_part(python)
    # The model's part of the app spends its operations' time and the rest, which is kept apart.
    parts[MODEL] = max(0.0, parts.get(MODEL, 0.0) - sum(spent.values()))
    found = spent | parts
    return Profile(seconds, tuple(sorted(found.items(), key=lambda one: -one[1])))


def _recorded(operations: Any) -> list[tuple[str, int, int]]:
    """Return name, start and duration in ns of all recorded events.

    They are taken from the recorder: for 300,000 events PyTorch's own `events` took 19 s, this takes 1 s.
    """
    recorded = operations.profiler.kineto_results.events()
    return [(one.name(), one.start_ns(), one.duration_ns()) for one in recorded]


def own_times(recorded: Iterable[tuple[str, int, int]]) -> list[tuple[str, float]]:
    """Return name and seconds of each event, without the seconds of the events within it.

    `recorded` has name, start and duration in ns.
    """
    found: list[tuple[str, float]] = []
    around: list[
        list[Any]
    ] = []  # name, end and own time so far of the events that the next one may be within

    def close(one: list[Any]) -> None:
        found.append((one[0], one[2] / 1e9))

    for name, start, length in sorted(recorded, key=lambda one: (one[1], -one[2])):
        while around and around[-1][1] <= start:
            close(around.pop())
        if around:
            around[-1][2] -= length
        around.append([name, start + length, length])
    while around:
        close(around.pop())
    return found


def on_gpu(operations: Any) -> list[tuple[str, float]]:
    """Return name and seconds of the GPU's own work for each operation."""
    return [(one.name, one.self_device_time_total / 1e6) for one in operations.events() or ()]


def by_operation(operations: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Sum the seconds of PyTorch's operations, given by name and seconds, by kind."""
    found: dict[str, float] = defaultdict(float)
    for name, seconds in operations:
        if name.startswith(("aten::", "mkldnn::")):
            kind = next((kind for kind, words in _OPERATIONS if any(word in name for word in words)), MOVING)
            found[kind] += seconds
    return dict(found)


def by_part(python: cProfile.Profile) -> dict[str, float]:
    """Return the seconds of Python's own time by part of the app."""
    # The library's stubs lack its type.
    stats: dict[_Function, tuple[int, int, float, float, dict[_Function, tuple[int, int, float, float]]]]
    stats = pstats.Stats(python).stats  # type: ignore[attr-defined]
    shares = {function: {part: 1.0} if (part := part_of(function)) else {} for function in stats}
    # A function in no part counts as its callers, which may in turn count as theirs, even in cycles.
    for _ in range(_ROUNDS):
        for function, (_, _, _, _, callers) in stats.items():
            if not part_of(function):
                shares[function] = _mixed(
                    (shares.get(caller, {}), times[3] or times[2]) for caller, times in callers.items()
                )
    spent: dict[str, float] = defaultdict(float)
    for function, (_, _, own, _, _) in stats.items():
        for part, share in (shares[function] or {OTHER: 1.0}).items():
            spent[part] += share * own
    return dict(spent)


def _mixed(callers: Iterable[tuple[dict[str, float], float]]) -> dict[str, float]:
    """Return the weighted mean of the callers' shares, leaving out callers without shares so far."""
    known = [(shares, weight) for shares, weight in callers if shares and weight > 0]
    whole = sum(weight for _, weight in known)
    found: dict[str, float] = defaultdict(float)
    for shares, weight in known:
        for part, share in shares.items():
            found[part] += share * weight / whole
    return dict(found)


def part_of(function: tuple[str, int, str]) -> str:
    """Return the part of the app that a function belongs to; empty if none."""
    file, _, name = function
    if file == "~":  # built in
        return TOKENISING if "tokenizers." in name else ""
    path = PurePath(file).as_posix()
    return next((part for folder, part in _PARTS if folder in path), "")
