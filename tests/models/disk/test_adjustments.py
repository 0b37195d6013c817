"""Stored adjustments of calibrations: present and earlier ones, several processes, and broken files."""

from __future__ import annotations

import json
import multiprocessing
import threading
from pathlib import Path

import pytest

from app.core.models import Adjustment
from app.models.disk import records
from app.models.disk.records import Adjustments

FIRST, SECOND = Adjustment(0.8, -0.1, 1.2, 0.7), Adjustment(0.7, -0.2, 1.3, 0.6)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "adjustments.json"


@pytest.fixture
def adjustments(file: Path) -> Adjustments:
    return Adjustments(file)


def test_present_and_earlier_adjustments(adjustments: Adjustments, file: Path) -> None:
    assert adjustments.now("ab") is None and not adjustments.any()
    adjustments.put("ab", FIRST, 100.0)
    adjustments.put("ab", SECOND, 200.0)
    adjustments.put("cd", FIRST, 150.0)
    other = Adjustments(file)  # another process
    for each in (adjustments, other):
        assert each.any()
        assert (each.now("ab"), each.now("cd"), each.now("ef")) == (SECOND, FIRST, None)
        assert [each.at("ab", moment) for moment in (99, 100, 199, 200)] == [None, FIRST, FIRST, SECOND]
    other.put("ab", None, 300.0)
    assert (adjustments.now("ab"), adjustments.at("ab", 250.0)) == (None, SECOND)
    other.put("cd", None, 300.0)
    assert not adjustments.any()


def test_the_same_again_is_not_stored_and_the_oldest_go(
    adjustments: Adjustments, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MOST_ADJUSTED", 20)
    adjustments.put("ab", None, 1.0)
    assert not file.exists()
    adjustments.put("ab", FIRST, 2.0)
    adjustments.put("ab", FIRST, 3.0)
    assert len(json.loads(file.read_text())["ab"]["since"]) == 1
    for at in range(20):
        adjustments.put("ab", Adjustment(bias=at / 1000), 4.0 + at)
    assert adjustments.at("ab", 3.0) is None
    assert adjustments.at("ab", 4.0) == Adjustment(bias=0.0)


def test_adjusting_a_reader_can_be_turned_off(adjustments: Adjustments) -> None:
    adjustments.put("ab", FIRST, 1.0)
    adjustments.turn("ab", off=True)
    assert adjustments.is_off("ab") and not adjustments.is_off("cd")
    assert adjustments.now("ab") == FIRST
    adjustments.turn("ab", off=False)
    assert not adjustments.is_off("ab")


@pytest.mark.parametrize(
    "words",
    [
        "",
        "[]",
        "{",
        '{"ab": 1}',
        json.dumps({"ab": {"since": [{"moment": 1.0, "adjustment": {"slope": 0.0}}]}}),
        json.dumps({"ab": {"since": [{"moment": 1.0, "adjustment": {"threshold": 1.5}}]}}),
        '{"ab": {"since": [{"moment": 1.0, "adjustment": {"bias": NaN}}]}}',
        *(
            json.dumps({"ab": {"since": [{"moment": 1.0, "adjustment": wrong}]}})
            for wrong in ({"slope": 5e-324}, {"sharing": 1e300}, {"bias": 10**400}, {"threshold": 1.0})
        ),
    ],
)
def test_a_broken_file_adjusts_nothing_and_is_written_anew(
    adjustments: Adjustments, file: Path, words: str
) -> None:
    file.write_text(words)
    assert adjustments.now("ab") is None and not adjustments.any()
    adjustments.put("ab", FIRST, 2.0)
    assert adjustments.now("ab") == FIRST


def _write_some(file: Path, weights: str, number: int) -> None:
    adjustments = Adjustments(file)
    for at in range(number):
        adjustments.put(f"{weights}-{at}", FIRST, 1.0)


def test_processes_that_write_at_once_keep_each_others_adjustments(file: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_write_some, args=(file, name, 8)) for name in ("ab", "cd")]
    for each in processes:
        each.start()
    for each in processes:
        each.join(60)
    found = Adjustments(file)
    assert all(found.now(f"{name}-{at}") == FIRST for name in ("ab", "cd") for at in range(8))
    assert list(file.parent.iterdir()) == [file]


def test_an_exclusive_process_is_waited_for(adjustments: Adjustments, file: Path) -> None:
    other = Adjustments(file)
    with adjustments.exclusive():
        thread = threading.Thread(target=other.put, args=("cd", SECOND, 1.0))
        thread.start()
        adjustments.put("ab", FIRST, 1.0)
        assert other.now("cd") is None
    thread.join(10)
    assert (adjustments.now("ab"), adjustments.now("cd")) == (FIRST, SECOND)
