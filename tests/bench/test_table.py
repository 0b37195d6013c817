from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bench.results import Bench, BenchPart, BenchRow, Machine
from app.bench.table import figure, table, values

MACHINE = Machine(
    processor="A processor",
    instructions=("AVX2", "AVX512"),
    threads=2,
    memory=16 * 10**9,
    system="Linux 6",
    python="3.11.7",
    packages={"torch": "2.13.0"},
)
BENCH = Bench(
    machine=MACHINE,
    model="reader",
    device="CPU in float32",
    reference="the old one",
    parts=(
        BenchPart(
            "reading",
            "Reading",
            (
                BenchRow("a document", 1.5, "s", 9.0, spread=0.2),
                BenchRow("windows a second", 60.0, "/s", 10.0, more_is_better=True),
                BenchRow("work of a window", 9.5, "GFLOP"),
            ),
            ("A note " + "that is long " * 20,),
            details={"device": "cpu"},
        ),
    ),
    instructions="avx2",
)


def test_a_table() -> None:
    lines = table(BENCH).splitlines()
    assert lines[:5] == [
        "reader, on CPU in float32",
        "A processor; 2 threads, 16 GB of memory; Linux 6",
        "AVX2 AVX512",
        "Python 3.11.7, torch 2.13.0",
        "As on a processor with no more than avx2.",
    ]
    at = lines.index("Reading")
    assert lines[at + 2 : at + 6] == [
        "                  value         spread  reference   ratio",
        "a document         1.50  s       ± 10%       9.00  6.00 x",
        "windows a second   60.0  /s                  10.0  6.00 x",
        "work of a window   9.50  GFLOP",
    ]
    assert lines[at + 7].startswith("±: half the distance between the slowest and the quickest")
    assert max(map(len, lines[at + 6 :])) <= 100


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (7.44e-05, "%", "< 0.001  %"),
        (0.00744, "%", "0.00744  %"),
        (0.0, "%", "0.00  %"),
        (-4.0, "%", "-4.00  %"),
        (7.44e-05, "s", "7.44e-05  s"),
    ],
)
def test_a_share_too_small_to_count_is_said_to_be_small(value: float, unit: str, shown: str) -> None:
    part = replace(BENCH.parts[0], rows=(BenchRow("it", value, unit),), notes=())
    assert table(replace(BENCH, parts=(part,))).splitlines()[-1].split("  ", 1)[1].strip() == shown


def test_what_could_not_be_measured_is_said_below() -> None:
    faults = {"memory": "It is broken.", "training": "Stopped."}
    text = table(replace(BENCH, faults=faults))
    assert text.endswith("\n\nNot measured:\n  memory: It is broken.\n  training: Stopped.\n")
    told = values(replace(BENCH, faults=faults))
    assert told["faults"] == faults
    assert told["device"] == "CPU in float32", "it is no part alone"


def test_values() -> None:
    told = values(BENCH)
    assert [row["ratio"] for row in told["parts"][0]["rows"]] == [6.0, 6.0, None]
    assert told["device"] == "cpu"  # the details of a single part stand at the top
    assert values(replace(BENCH, parts=BENCH.parts * 2))["device"] == "CPU in float32"


@given(st.floats(-1e9, 1e9))
def test_a_figure_is_the_value(value: float) -> None:
    assert float(figure(value).replace(",", "")) == pytest.approx(value, rel=0.006, abs=1e-300)
