from __future__ import annotations

import json
import lzma
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.bench.anytime import bench_anytime, measure
from app.bench.plan import BenchPlan
from app.bench.texts import QUESTIONS_FILE, Pool, long_questions, pool
from app.core.report import Progress, Report, Silent
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.settings.paths import default_paths
from tests.flows.fake_engine import FakeEngine, fake_workspace, read
from tests.helpers.fake_models import Noted
from tests.helpers.fake_python import fake_python

needs_programs = pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")


def rows(name: str, count: int) -> list[dict[str, Any]]:
    """Questions whose last word is the answer, each with a context of its own, and one without an answer."""
    made: list[dict[str, Any]] = []
    for number in range(count):
        context = f"{name} {number} says: it was the {name}{number} " + "and so on " * 20
        answer = {"text": f"{name}{number}", "answer_start": context.index(f"{name}{number}")}
        made.append(
            {
                "id": f"{name}-{number}",
                "context": context,
                "question": f"Was it {name}{number}?",
                "answers": [answer],
            }
        )
    return [*made, {"id": "none", "context": f"{name} of no question.", "question": "Why?", "answers": []}]


def write(path: Path, made: list[dict[str, Any]]) -> None:
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write("".join(json.dumps(row) + "\n" for row in made))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "qa"
    folder.mkdir(parents=True)
    write(folder / QUESTIONS_FILE, rows("alpha", 12))
    write(folder / "qa_train-other.jsonl.xz", rows("beta", 60) + rows("alpha", 5))
    return folder.parent


def pool_of(data: Path) -> Pool:
    return pool(str(data), default_paths({"SPANLIGHT_HOME": str(data)}))


def plan(data: Path, words: int, questions: int, seed: int = 13) -> BenchPlan:
    return BenchPlan(("anytime",), data=str(data), words=words, questions=questions, seed=seed)


def test_documents_hold_the_answer_where_it_is_said_to_be(data: Path) -> None:
    for words in (10, 300, 2000, 100_000):
        found = list(long_questions(pool_of(data), words, 5, seed=1))
        assert len(found) == 5
        for each in found:
            text = each.document.text
            assert {text[place.start : place.end] for place in each.answers} == {
                each.question.split()[-1].rstrip("?")
            }
            contexts = text.split("\n\n")
            assert len(set(contexts)) == len(contexts)
            assert each.words == len(text.split())
            most = words if words < 100_000 else each.words
            assert most <= each.words < most + 60
    assert found[0].words > 3000  # everything there is: both files


class EagerEngine(FakeEngine):
    """An engine that is wrong at first, then answers as FakeEngine; quick readings are wrong every second time."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        reading = super().run(request, choice, report)
        if not isinstance(request, Question) or len(request.documents[0].text.split()) > 4000:
            return reading
        guess = self.guess(request, reading)
        report.progress(Progress(1, 3, "windows"))
        if request.quick:
            number = int(request.text.rstrip("?").split("alpha")[-1])
            return replace(guess if number % 2 else reading, quick=True, windows=1)
        report.partial(replace(guess, complete=False))
        report.partial(replace(reading, complete=False))
        return reading

    @staticmethod
    def guess(request: Question, reading: Reading) -> Reading:
        return read(replace(request, text="no such word: zzz"))


def test_figures(tmp_path: Path, data: Path) -> None:
    noted = Noted()
    workspace = fake_workspace(tmp_path, EagerEngine())
    found = bench_anytime(workspace, plan(data, 500, 12, 1), noted)
    figures = found.figures
    assert (found.model, found.device, figures["questions"]) == ("reader", "CPU", 12)
    assert figures["words"] == pytest.approx(500, abs=60)
    assert (figures["first_same"], figures["first_right"], figures["final_right"]) == (0.0, 0.0, 1.0)
    assert figures["quick_same"] == figures["quick_overlaps"] == figures["quick_right"] == 0.5
    for each in found.timed:
        assert 0 < each.first <= each.settled <= each.final
    assert 0 < figures["first_share"] <= 1
    assert noted.told[-1] == Progress(12, 12, "questions")
    assert "windows of question 12 of 12" in {told.what for told in noted.told}


class LosingEngine(FakeEngine):
    """An engine that has an answer at once, and none at the end, a little later."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        reading = super().run(request, choice, report)
        if isinstance(request, Question) and not request.quick:
            report.partial(replace(reading, complete=False))
            time.sleep(0.02)
            return replace(reading, answers=(), answered=False)
        return reading


def test_the_end_is_the_end_where_no_answer_is_left(tmp_path: Path, data: Path) -> None:
    found = bench_anytime(fake_workspace(tmp_path, LosingEngine()), plan(data, 200, 2), Silent())
    for each in found.timed:
        assert each.final >= each.first + 0.02
        assert each.settled == each.final  # until then another one stood there
        assert not each.first_same and not each.final_right


def test_the_part_of_a_bench(tmp_path: Path, data: Path) -> None:
    found = measure(fake_workspace(tmp_path, EagerEngine()), plan(data, 500, 12, 1), Silent())
    rows = {row.what: row for row in found.rows}
    assert (found.name, found.model, found.device) == ("anytime", "reader", "CPU")
    assert rows["first answer is right"].value == 0
    assert rows["final answer is right"].value == 100
    assert rows["quick answer is the final one"].value == 50
    assert rows["first answer"].worst == found.details["figures"]["first_worst"]
    assert len(found.details["timed"]) == 12


@needs_programs
@pytest.mark.parametrize("sample", [100, 4000])
def test_beside_the_reference_which_reads_some_of_it_before_its_only_answer(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, sample: int
) -> None:
    monkeypatch.setattr("app.bench.anytime.SAMPLE", sample)
    asked = replace(plan(data, 500, 3), against=fake_python(tmp_path))
    found = measure(fake_workspace(tmp_path), asked, Silent())
    rows = {row.what: row for row in found.rows}
    for name, row in rows.items():
        if name in ("first answer", "final answer"):
            assert row.against == pytest.approx(0.002 * 530, rel=0.06), "it takes 2 ms for a word"
        else:
            assert row.against is None
    assert "transformers" in found.reference
    assert any("scaled up" in note for note in found.notes)


def test_where_no_length_is_given_a_shorter_document_is_asked_too(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.bench.anytime.SHORTER", 200)
    monkeypatch.setattr("app.bench.anytime.WORDS", 1000)
    found = measure(fake_workspace(tmp_path), plan(data, 0, 3), Silent())
    rows = {row.what: row for row in found.rows}
    (first,) = (name for name in rows if name.startswith("first answer in "))
    assert int(first.split()[3]) in range(200, 260)
    assert found.details["figures"]["words"] in range(1000, 1060)
    assert first.replace("first", "final") in rows
    assert all(row.against is None for row in found.rows)
    assert not found.reference


def test_a_quick_reading_is_of_a_text_that_is_not_known(tmp_path: Path, data: Path) -> None:
    engine = FakeEngine()
    bench_anytime(fake_workspace(tmp_path, engine), plan(data, 200, 3), Silent())
    texts = [request.documents[0].text for request in engine.requests if isinstance(request, Question)]
    assert len(set(texts)) == len(texts) == 7  # to warm up, then three twice
