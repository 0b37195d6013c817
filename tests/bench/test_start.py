"""Fresh processes are timed by their first line; what may go wrong, and a stop in the middle."""

from __future__ import annotations

import os
import sys
import time

import pytest

from app.bench import start
from app.bench.start import Runs
from app.core.errors import SpanlightError
from app.core.report import Silent, Stopped
from tests.helpers.children import Listener


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-c", code]


@pytest.fixture
def runs() -> Runs:
    return Runs(os.environ.copy(), Silent())


def test_the_first_line_counts_whatever_follows(runs: Runs) -> None:
    later = "import time; print('answer', flush=True); print('x' * 1_000_000); time.sleep(0.5)"
    began = time.monotonic()
    first = runs.answered(python(later), "")
    assert 0 < first < time.monotonic() - began - 0.4


def test_the_time_of_painting_is_what_the_process_says(runs: Runs) -> None:
    assert runs.painted(python("import time; print(time.monotonic() + 100)")) > 100


def test_a_process_that_says_nothing_is_named(runs: Runs) -> None:
    with pytest.raises(SpanlightError, match="gave no answer: exit code 3"):
        runs.answered(python("import sys; sys.exit(3)"), "")
    with pytest.raises(SpanlightError, match="was not painted: no screen here"):
        runs.painted(python("import sys; print('no number'); sys.exit('no screen here')"))
    with pytest.raises(SpanlightError, match="cannot be started"):
        runs.answered(["/no/such/python"], "")


def test_one_that_never_ends_is_ended(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_LONGEST", 0.2)
    with pytest.raises(SpanlightError, match="did not end"):
        runs.answered(python("import time; time.sleep(600)"), "")
    assert runs.imports([sys.executable, "-c", "import time; time.sleep(600)"]) == []


def test_a_stop_is_heard_while_a_process_says_nothing() -> None:
    class Stopping(Listener):
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks == 4:
                raise Stopped

    with pytest.raises(Stopped):
        Runs(os.environ.copy(), Stopping()).answered(python("import time; time.sleep(600)"), "")


def test_the_packages_that_take_longest_are_told(runs: Runs) -> None:
    told = runs.imports([sys.executable, "-c", "import json"], most=50)
    assert "json" in dict(told)
    assert [seconds for _, seconds in told] == sorted((seconds for _, seconds in told), reverse=True)
