from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.bench import memory
from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, BenchRow
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.fake_models import Noted
from tests.helpers.fake_python import REFERENCE, fake_python

needs_programs = pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
PLAN = BenchPlan(("memory",), words=30_000)
SO_MANY_TIMES = "the second question is so many times as fast as the first"
MORE = "more time for a word in the longest than in the shortest"


CLOCK = SimpleNamespace(now=0.0)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that only reading advances."""
    monkeypatch.setattr("app.bench.readers.time", SimpleNamespace(perf_counter=lambda: CLOCK.now))


class PacedEngine(FakeEngine):
    """An engine that takes 1 ms for a word, 2 ms for each beyond 20,000, and 2 s for a document that it has read."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        known = {one.documents[0].text for one in self.requests if isinstance(one, Question)}
        found = super().run(request, choice, report)
        if isinstance(request, Question):
            words = len(request.documents[0].text.split())
            new = request.documents[0].text not in known
            CLOCK.now += (words + max(0, words - 20_000)) / 1000 if new else 2.0
        return found

    @property
    def asked(self) -> list[Question]:
        """The questions asked, except for warming up."""
        return [one for one in self.requests if isinstance(one, Question)][1:]


def by_name(part: BenchPart) -> dict[str, BenchRow]:
    names = [row.what for row in part.rows]
    assert len(set(names)) == len(names)
    return {row.what: row for row in part.rows}


def test_the_shortest_is_read_thrice_and_the_longest_once(tmp_path: Path) -> None:
    engine = PacedEngine()
    part = memory.measure(fake_workspace(tmp_path, engine), PLAN, Silent())
    assert engine.ended == 1
    lengths = [len(one.documents[0].text.split()) // 1000 for one in engine.asked]
    assert lengths == [3, 3, 3, 9, 30, 30, 30]
    texts = [one.documents[0].text for one in engine.asked]
    assert len(set(texts[:5])) == 5, "each is a document of its own"
    assert set(texts[4:]) == {texts[4]}, "the second question is about the longest"
    assert len({one.text for one in engine.asked[4:]}) == 3
    rows = by_name(part)
    assert all(row.against is None for row in part.rows)
    assert rows["second question about the longest"].value == pytest.approx(2)
    assert rows[SO_MANY_TIMES].value == pytest.approx(20, rel=0.05)
    assert rows[MORE].value == pytest.approx(33, abs=2)
    assert rows[MORE].unit == "%"
    assert any("The longest is read once by default" in note for note in part.notes)


@needs_programs
def test_beside_a_reference_each_begins_every_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = tmp_path / "order"
    body = REFERENCE.replace(
        "    else:\n", f"    else:\n        open({str(order)!r}, 'a').write('theirs ')\n", 1
    )

    class Ordered(PacedEngine):
        def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
            with order.open("a") as file:
                file.write("ours ")
            return super().run(request, choice, report)

    noted = Noted()
    plan = replace(PLAN, against=fake_python(tmp_path, body))
    part = memory.measure(fake_workspace(tmp_path, Ordered()), plan, noted)
    warm_up, once, twice = ["ours", "theirs"], ["ours", "theirs"], ["theirs", "ours"]
    second = ["ours", "theirs", "ours"]
    assert order.read_text().split() == [*warm_up, *once, *twice, *once, *twice, *once, *second]
    rows = by_name(part)
    lengths = [row for name, row in rows.items() if name.endswith(", whole")]
    assert len(lengths) == 3
    assert lengths[0].against == pytest.approx(60, rel=0.05)
    again = rows["second question about the longest"]
    assert again.against == pytest.approx(lengths[0].against)
    assert again.ratio is not None
    assert rows[SO_MANY_TIMES].against == pytest.approx(1)
    assert rows["the same of the reference"].value == pytest.approx(0, abs=0.01)
    # Once for the longest, and once for the second question about it.
    assert len(noted.notices) == 2
    assert all("takes it about 60 seconds" in one or "takes it about 6" in one for one in noted.notices)
