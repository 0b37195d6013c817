"""What is measured of the program's speed on this computer, side by side with what people had before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One thing measured: Spanlight's figure, and the reference's in the same run where one was asked for.

    Both are medians in `unit` (s, ms, MB, windows/s, GFLOP/s, ...); `spread` is the largest of Spanlight's figures less
    the smallest, divided by the median, 0 for a single one. `more_is_better` tells which way is faster. `worst` is the
    slowest figure where that counts by itself.
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
        """How many times as good as the reference, above 1 where it is better; None without one."""
        if self.against is None or min(self.value, self.against) <= 0:
            return None
        return self.value / self.against if self.more_is_better else self.against / self.value


@dataclass(frozen=True, slots=True)
class BenchPart:
    """One part of a measurement, such as reading: its rows, and sentences on what they mean.

    `model`, `device` and `reference` name what was measured and against what, empty where that does not apply.
    `details` are further figures for programs, as JSON holds them.
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
class Peak:
    """The most operations (multiplications and additions) a second that products of large matrices reach in a dtype."""

    dtype: str
    flops: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the time of one piece of work went, in seconds by kind of work, the longest first."""

    seconds: float
    kinds: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where it was measured: the processor's name and instructions, threads, memory in bytes, versions of packages.

    `graphics` are the graphics cards that the system lists; `busy` is the load that other work made when the measuring
    began, in processors (None where not known); `on_battery` tells whether the computer ran on its battery then.
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

    `model`, `device` and `reference` are those of the parts; `reference` names what it was measured against, empty
    without one. `instructions` names a lesser processor that was stood in for, empty for this one's own. `faults` tells
    by name why a part is missing.
    """

    machine: Machine
    model: str
    device: str
    reference: str
    parts: tuple[BenchPart, ...]
    instructions: str = ""
    when: str = ""
    faults: dict[str, str] = field(default_factory=dict)
