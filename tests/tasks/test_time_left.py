"""How long a long text will still take, where few of its windows are read exactly."""

from __future__ import annotations

import math

import pytest

from app.core.report import Silent
from app.tasks.batches import Pace
from app.tasks.passes import Passes
from app.tasks.reading import Asked
from tests.helpers.fake_models import Noted
from tests.helpers.two_passes import ask, text_of, twice


def test_the_time_left_is_told_once_the_screen_s_pace_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the exact pass took 50 ms a window and the screen 20: not fifty for all that lies ahead."""
    monkeypatch.setattr("app.tasks.batches.Pace.due", lambda self: True)
    monkeypatch.setattr("app.tasks.batches.Pace.seconds", 1.0)
    model, _, _ = twice(noise=0.3)
    asked = Asked(0, ask("who stole the tarts", text_of(9, 40_000)), model, Silent())
    passes, told = Passes(asked, model, Silent()), []
    for _ in passes:
        passes._screening, passes._reading = 0.02 * passes._screened, 0.05 * passes._read
        told.append((asked.read, passes._screened, passes.seconds_left))
    assert {left for _, screened, left in told if not screened} == {math.inf}
    known = [(read_, left) for read_, screened, left in told if screened > 200]
    right = 0.02 * passes._screened + 0.05 * passes._read
    for read_, left in known:
        ahead = right * (1 - read_ / asked.total)
        assert left is not None and 0.5 * ahead - 2 < left < 2 * ahead + 2


def test_time_left_that_nothing_tells_yet_is_not_told() -> None:
    noted = Noted()
    pace = Pace(noted, "windows")
    pace._started -= 2
    pace.tell(10, 100, math.inf)
    pace.tell(10, 100)
    assert noted.told[0].seconds_left is None
    assert noted.told[1].seconds_left == pytest.approx(18, abs=1)
