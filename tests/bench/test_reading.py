from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.bench import memory, reading
from app.bench.plan import BenchPlan
from app.bench.profiling import Profile
from app.bench.results import BenchPart, BenchRow
from app.core.report import Report, Silent, Stopped
from app.core.requests import ModelChoice, Question, QuestionBatch, TextsToClassify
from app.core.text import Span
from app.models.compute.peak import Peak
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.fake_python import fake_python

needs_programs = pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")


@pytest.fixture(autouse=True)
def operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace what needs a real model folder and process."""
    monkeypatch.setattr(reading, "window_operations", lambda folder, tokens: 1e9 * tokens / 384)
    monkeypatch.setattr(reading, "peaks", lambda *given: (Peak("float32", 100e9), Peak("bfloat16", 400e9)))
    times = Profile(2.0, (("matrix products", 1.5), ("tokenising", 0.495), ("other", 0.005)))
    monkeypatch.setattr(reading, "profile", lambda *given: times)


class FloatEngine(FakeEngine):
    """An engine whose float32 moves every fourth best span, and shifts no-answer and class probabilities."""

    def run_opened(self, request: object, choice: ModelChoice, report: Report) -> Any:
        found = self.run(request, choice, report)
        if isinstance(request, TextsToClassify):
            *others, last = found.items
            first = replace(last.scores[0], probability=last.scores[0].probability - 0.2)
            return replace(found, items=(*others, replace(last, scores=(first, *last.scores[1:]))))
        if not isinstance(request, QuestionBatch):
            return found
        moved = []
        for number, one in enumerate(found):
            first = one.answers[0]
            other = replace(first, span=Span(first.span.start, first.span.end + 1))
            answers = (other, *one.answers[1:]) if number % 4 == 0 else one.answers
            moved.append(replace(one, answers=answers, no_answer_probability=one.no_answer_probability + 0.1))
        return tuple(moved)


def by_name(part: BenchPart) -> dict[str, BenchRow]:
    names = [row.what for row in part.rows]
    assert len(set(names)) == len(names)
    return {row.what: row for row in part.rows}


PLAN = BenchPlan(("reading",), words=700, questions=16, repeats=2)


def test_reading_without_a_reference(tmp_path: Path) -> None:
    engine = FloatEngine()
    part = reading.measure(fake_workspace(tmp_path, engine), PLAN, Silent())
    rows = by_name(part)
    assert part.reference == ""
    assert rows["a short text of many"].spread > 0
    assert rows["a short text by itself"].spread == 0, "it is another text each time"
    assert all(row.against is None and row.ratio is None for row in part.rows)
    assert rows["best spans that are float32's"].value == pytest.approx(75, abs=3)
    assert rows["largest difference of a probability"].value == pytest.approx(10)
    classified = next(one for one in engine.requests if isinstance(one, TextsToClassify)).texts
    assert len(set(classified)) == len(classified) > 5
    classes = rows[f"largest difference of a class's probability, {len(classified)} texts"]
    assert classes.value == pytest.approx(20)
    reached = rows["reached while reading"].value
    assert reached == pytest.approx(rows["windows a second"].value)
    assert rows["share of the peak in float32"].value == pytest.approx(reached)  # of 100 GFLOP/s
    assert "share of the peak in bfloat16" not in rows
    products, tokenising = (rows[f"a thousand words: {kind}"] for kind in ("matrix products", "tokenising"))
    assert products.value == pytest.approx(tokenising.value * 1.5 / 0.495)
    assert "a thousand words: other" not in rows  # less than one part in two hundred


def test_what_was_read_before_is_not_read_again(tmp_path: Path) -> None:
    """No document is timed twice, as a cached one would be faster; float32 reads in a forward pass of its own."""
    engine = FakeEngine()
    engine.run_opened = lambda request, choice, report: FakeEngine().run(request, choice, report)  # type: ignore[method-assign]
    reading.measure(fake_workspace(tmp_path, engine), PLAN, Silent())
    asked = [one for one in engine.requests if isinstance(one, Question)]
    assert all(one.every for one in asked), "to the end, whatever quicker reader there is"
    single = [one.documents[0].text for one in asked]
    assert len(set(single)) == len(single) > 15
    sets = [
        {question.documents[0].text for question in one.questions}
        for one in engine.requests[1:]
        if isinstance(one, QuestionBatch)
    ]
    timed = sets[1:]  # after warming up
    assert not any(one & other for at, one in enumerate(timed) for other in timed[:at])
    assert not set(single) & set.union(*timed)


@needs_programs
def test_reading_beside_a_reference(tmp_path: Path) -> None:
    plan = replace(PLAN, against=fake_python(tmp_path))
    part = reading.measure(fake_workspace(tmp_path), plan, Silent())
    rows = by_name(part)
    assert part.reference.startswith("transformers 4.57.6")
    long = next(row for name, row in rows.items() if name.startswith("a document of"))
    assert long.against == pytest.approx(0.002 * 700, rel=0.3)
    assert long.ratio == pytest.approx(long.against / long.value)
    # The fake reader says one window, the fake reference one for each hundred words.
    there = rows["a window of it"].against
    assert there == pytest.approx(1000 * 0.002 * 100, rel=0.2)
    assert rows["windows a second"].against == pytest.approx(1000 / there, rel=0.01)
    assert rows["a short text of many"].against is not None
    assert rows["a short text by itself"].against is not None
    # Where the question's last word stands in the text, both name its first place.
    assert 0 < rows["best spans that are the reference's"].value <= 100
    assert any("by the reference" in note for note in part.notes)
    spent = {name: row.against for name, row in rows.items() if name.startswith("a thousand words")}
    assert sum(spent.values()) == pytest.approx(2000, rel=0.01), "2 ms for each word"
    assert spent["a thousand words: matrix products"] == pytest.approx(1000, rel=0.01)
    assert spent["a thousand words: attention"] == spent["a thousand words: choosing spans"]


@pytest.mark.parametrize("measure", [reading.measure, memory.measure])
def test_a_stop_is_handed_on(tmp_path: Path, measure: Any) -> None:
    def stop(request: object) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        measure(fake_workspace(tmp_path, FakeEngine(stop)), PLAN, Silent())
