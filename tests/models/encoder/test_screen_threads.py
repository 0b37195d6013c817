"""Rows computed side by side: each once, and none any more once the caller has gone on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest
import torch

from app.core.report import Stopped
from app.models.encoder.screen_threads import BrokenOff, Rows


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def rows(two_threads: None) -> Rows:
    return Rows()


def nothing() -> None:
    """There is no wish to stop."""


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_every_row_is_computed_once(rows: Rows, count: int) -> None:
    seen: list[int] = []
    rows(count, lambda number, _: seen.append(number), nothing)
    assert sorted(seen) == list(range(count))


class Endless:
    """A row that goes on until it is told to break off, then sees whether anybody waited for it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.ended = 0

    def __call__(self, number: int, look: Callable[[], None]) -> None:
        self.begun.set()
        try:
            while True:
                look()
        except BrokenOff:
            self.ended += 1
            raise


def test_a_stop_is_raised_when_nothing_is_computed_any_more(rows: Rows) -> None:
    endless = Endless()

    def check() -> None:
        if endless.begun.is_set():
            raise Stopped

    with pytest.raises(Stopped):
        rows(2, endless, check)
    assert endless.ended >= 1
    seen: list[int] = []
    rows(2, lambda number, _: seen.append(number), nothing)
    assert sorted(seen) == [0, 1]


def test_a_rows_fault_breaks_the_others_off_and_is_the_one_that_is_told(rows: Rows) -> None:
    endless = Endless()

    def compute(number: int, look: Callable[[], None]) -> None:
        if number:
            endless(number, look)
        endless.begun.wait(10)
        raise ValueError("row 0")

    with pytest.raises(ValueError, match="row 0"):
        rows(2, compute, nothing)
    assert endless.ended == 1


def test_where_a_thread_cannot_be_started_the_others_are_waited_for(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = Endless()
    submit = rows._pool.submit

    def submit_once(work: Callable[[], Any]) -> Future[Any]:
        monkeypatch.setattr(rows._pool, "submit", fail)
        found = submit(work)
        assert endless.begun.wait(10)
        return found

    def fail(work: Callable[[], Any]) -> Future[Any]:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(rows._pool, "submit", submit_once)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        rows(2, endless, nothing)
    assert endless.ended == 1
    assert torch.get_num_threads() == 2
