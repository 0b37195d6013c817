"""Results of a benchmark as tables for people, and as values for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from app.bench.machine import warnings
from app.bench.results import Bench, BenchPart, BenchRow, Machine
from app.core.wording import size

_WIDEST = 100
_SPREAD = "±: half the distance between the slowest and the quickest, in per cent of the median."
_LEAST_SHARE = 0.001  # per cent


def values(found: Bench) -> dict[str, Any]:
    """Return all results as values for JSON; a single part's details are at the top level too."""
    everything = asdict(found)
    for part, part_values in zip(found.parts, everything["parts"], strict=True):
        for row, row_values in zip(part.rows, part_values["rows"], strict=True):
            row_values["ratio"] = row.ratio
    single = len(found.parts) == 1 and not found.faults
    return everything | (everything["parts"][0]["details"] if single else {})


def table(found: Bench) -> str:
    """Return the machine and a table for each part, as text that ends with a newline."""
    lines = [*_about(found)]
    for part in found.parts:
        lines += ["", *_part(part)]
    if found.faults:
        lines += ["", "Not measured:", *(f"  {name}: {why}" for name, why in found.faults.items())]
    return "\n".join(lines) + "\n"


def _about(found: Bench) -> list[str]:
    machine = found.machine
    reads = ", on ".join(name for name in (found.model, found.device) if name)
    return [
        *([reads] if reads else []),
        *_machine(machine),
        *([f"As on a processor with no more than {found.instructions}."] if found.instructions else []),
        *([f"Against {found.reference}, in turn."] if found.reference else []),
        *warnings(machine),
    ]


def _machine(machine: Machine) -> list[str]:
    threads = "1 thread" if machine.threads == 1 else f"{machine.threads} threads"
    memory = f", {size(machine.memory)} of memory" if machine.memory else ""
    named = ", ".join((machine.processor, *machine.graphics))
    versions = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    return [
        f"{named}; {threads}{memory}; {machine.system}",
        *([" ".join(machine.instructions)] if machine.instructions else []),
        f"Python {machine.python}, {versions}".rstrip(", "),
    ]


def _part(part: BenchPart) -> list[str]:
    heads = ["", "value", "", "spread", "worst", "reference", "ratio"]
    cells = [_cells(row) for row in part.rows]
    # An empty column is left out.
    shown = [at for at in range(len(heads)) if at in (0, 1, 2) or any(row[at] for row in cells)]
    rows = [[row[at] for at in shown] for row in (heads, *cells)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(shown))]
    left = {0, 2}
    drawn = [
        "  ".join(
            cell.ljust(width) if number in left else cell.rjust(width)
            for number, cell, width in zip(shown, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    notes = (_SPREAD, *part.notes) if any(row[3] for row in cells) else part.notes
    return [part.title, "", *(drawn if cells else []), *_notes(notes)]


def _cells(row: BenchRow) -> list[str]:
    return [
        row.what,
        _shown(row.value, row.unit),
        row.unit,
        f"± {50 * row.spread:.0f}%" if row.spread >= 0.01 else "",
        "" if row.worst is None else _shown(row.worst, row.unit),
        "" if row.against is None else _shown(row.against, row.unit),
        "" if row.ratio is None else f"{row.ratio:.2f} x",
    ]


def _shown(value: float, unit: str) -> str:
    """Return a row's figure as text; a very small share as less than a bound."""
    return f"< {_LEAST_SHARE:g}" if unit == "%" and 0 < value < _LEAST_SHARE else figure(value)


def figure(value: float) -> str:
    """Return a figure with three or four digits: "0.0123", "1.23", "45.6", "1,234"."""
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 1 or not size else f"{value:.3g}"


def _notes(notes: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for note in notes:
        line = ""
        for word in note.split():
            if line and len(line) + 1 + len(word) > _WIDEST:
                lines.append(line)
                line = ""
            line = f"{line} {word}" if line else word
        lines.append(line)
    return ["", *lines] if lines else []
