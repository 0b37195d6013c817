"""Cycles are collected in the window's thread, a little at a time."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from pytestqt.qtbot import QtBot

from app.core.report import Report
from app.ui.kit.jobs import Lanes
from app.ui.window import cycle_collector
from app.ui.window.cycle_collector import MOST, CycleCollector

HERE = threading.get_ident()


class Cycle:
    """An object that refers to itself, as every page does by its slots; records in which thread it is destroyed."""

    def __init__(self, gone: list[int]) -> None:
        self.me = self
        self.gone = gone

    def __del__(self) -> None:
        self.gone.append(threading.get_ident())


@pytest.fixture
def automatic() -> Iterator[None]:
    """Turn Python's collector on, as a process starts, and at the end off again, as these tests run."""
    was = gc.isenabled()
    gc.enable()
    yield
    gc.unfreeze()
    (gc.enable if was else gc.disable)()


@pytest.fixture
def held(lanes: Lanes, automatic: None) -> Iterator[CycleCollector]:
    holder = QObject()
    yield CycleCollector(lanes, holder)


def litter(report: Report) -> None:
    """Create so many objects that Python's collector would run in this thread, for every generation."""
    kept = []
    for _ in range(300):
        kept.append([[] for _ in range(1000)])
    report.check()


def test_what_is_new_goes_in_the_windows_thread_at_the_next_look_once_it_is_much(
    lanes: Lanes, held: CycleCollector, qtbot: QtBot
) -> None:
    gone: list[int] = []
    gc.collect()
    Cycle(gone)
    lanes.work.start(litter)
    qtbot.waitUntil(lambda: lanes.work.idle)
    gc.collect(0)  # what the lane has left of the count
    gone.clear()
    Cycle(gone)
    held.look()
    assert not gone, "for a few objects nothing is done"
    for _ in range(cycle_collector._FEW):
        Cycle(gone)
    held.look()
    assert set(gone) == {HERE} and len(gone) >= cycle_collector._FEW


def test_many_objects_are_put_by_and_looked_through_when_the_person_is_away_and_no_lane_works(
    lanes: Lanes, held: CycleCollector, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycle_collector, "_AWAY_MS", 1)
    gc.collect()
    gone: list[int] = []
    document = [[] for _ in range(MOST + 1)]  # type: ignore[var-annotated]
    Cycle(gone)
    frozen = gc.get_freeze_count()
    held.look()
    assert gone == [] and gc.get_freeze_count() > frozen + MOST
    held._state_changed(Qt.ApplicationState.ApplicationInactive)
    held._state_changed(Qt.ApplicationState.ApplicationActive)
    qtbot.wait(20)
    assert gone == [], "who comes back is not disturbed"
    end = threading.Event()
    lanes.files.start(lambda report: end.wait(10))
    held._state_changed(Qt.ApplicationState.ApplicationInactive)
    qtbot.wait(20)
    assert gone == [], "while a lane works"
    end.set()
    qtbot.waitUntil(lambda: gone != [])
    assert gone == [HERE] and gc.get_freeze_count() > len(document)
