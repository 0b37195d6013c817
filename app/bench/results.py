"""Measurements of Spanlight's speed on this computer, and of the reference's in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One measurement: Spanlight's figure, and the reference's (`against`) in the same run if requested.

    Both are medians in `unit` (s, ms, MB, windows/s, GFLOP/s, ...); `spread` is the largest of Spanlight's figures
    minus the smallest, divided by the median, 0 for a single one. `worst` is the slowest figure if that matters by
    itself.
    """

    what: str
    value: float
    unit: str
    against: float | None = None
    more_is_better: bool = False
    spread: float = 0.0
    worst: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times as good as the reference; above 1 if better, None without a reference."""
        if self.against is None or min(self.value, self.against) <= 0:
            return None
        return self.value / self.against if self.more_is_better else self.against / self.value


@dataclass(frozen=True, slots=True)
class BenchPart:
    """One part of a measurement, such as reading: its rows, and sentences on what they mean.

    `model`, `device` and `reference` name what was measured and against what, empty where that does not apply.
    `details` are further figures for programs, as JSON values.
    """

    name: str
    title: str
    rows: tuple[BenchRow, ...]
    notes: tuple[str, ...] = ()
    model: str = ""
    device: str = ""
    reference: str = ""
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer that was measured: processor name and instructions, threads, memory in bytes, package versions.

    `graphics` are the graphics cards that the system lists; `busy` is the load of other programs when the measurement
    began, in processors (None if unknown); `on_battery` is whether the computer ran on battery then.
    """

    processor: str
    instructions: tuple[str, ...]
    threads: int
    memory: int
    system: str
    python: str
    packages: dict[str, str] = field(default_factory=dict)
    graphics: tuple[str, ...] = ()
    busy: float | None = None
    on_battery: bool = False


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything measured in one run, on `when` (ISO 8601).

    `model`, `device` and `reference` are those of the parts. `instructions` names a lesser processor that was emulated,
    empty for this one's own. `faults` has the reason for each missing part, by name.
    """

    machine: Machine
    model: str
    device: str
    reference: str
    parts: tuple[BenchPart, ...]
    instructions: str = ""
    when: str = ""
    faults: dict[str, str] = field(default_factory=dict)


Timed = Callable[[int], float]


def in_turn(ours: Timed, theirs: Timed | None, repeats: int) -> tuple[list[float], list[float]]:
    """Call both `repeats` times with the repeat's number, alternating which is first, and return their results.

    `theirs` is None without a reference; its list is then empty.
    """
    mine: list[float] = []
    others: list[float] = []
    for number in range(repeats):
        turns = [(ours, mine)] if theirs is None else [(ours, mine), (theirs, others)]
        for timed, times in turns if number % 2 == 0 else reversed(turns):
            times.append(timed(number))
    return mine, others


def row(
    what: str,
    ours: Sequence[float],
    unit: str,
    theirs: Sequence[float] = (),
    *,
    more_is_better: bool = False,
    worst: bool = False,
) -> BenchRow:
    """Build a row from single figures; `worst` adds Spanlight's slowest one."""
    middle = median(ours)
    apart = (max(ours) - min(ours)) / middle if middle and len(ours) > 1 else 0.0
    slowest = (min(ours) if more_is_better else max(ours)) if worst else None
    against = median(theirs) if theirs else None
    return BenchRow(what, middle, unit, against, more_is_better, apart, slowest)
