from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.reliability import BINS, TextKind, question_count
from app.core.report import Report, Silent
from app.core.requests import CalibrationData, ModelChoice, QuestionBatch
from app.flows.measure.evaluate import evaluate_qa, join_paragraphs
from app.flows.measure.plan import Plan, sample
from app.models.disk.notes import read_notes
from tests.flows.fake_engine import FakeEngine, fake_workspace, keeping_workspace

QA = Head.QUESTION_ANSWERING

# The fake reader answers with the place of the question's last word, or guesses the first word of the text.
ROWS = [
    # right, exactly
    ("a", "The king stole tarts.", "Who was it: king?", ["king", "The king"], "one"),
    # found, but half of the answer: precision 1, recall 1/2
    ("b", "The red queen slept.", "Who was it: queen?", ["red queen"], "one"),
    # answerable, but the reader says that it is not; forced, it gives the right word
    ("c", "Alice grew.", "Who was it: girl?", ["Alice"], "two"),
    # unanswerable, and left so
    ("d", "Alice grew.", "Who was it: duchess?", [], "two"),
    # unanswerable, but answered
    ("e", "A duchess sneezed.", "Was it the duchess?", [], "two"),
]


def row(id: str, context: str, question: str, answers: list[str], source: str) -> dict[str, Any]:
    found = [{"text": text, "answer_start": context.index(text)} for text in answers]
    return {"id": id, "context": context, "question": question, "answers": found, "source": source}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "dev.jsonl"
    path.write_text("".join(json.dumps(row(*each)) + "\n" for each in ROWS))
    return path


def test_figures(tmp_path: Path, file: Path) -> None:
    found = evaluate_qa(fake_workspace(tmp_path), Plan((file,)), Silent())
    assert (found.model, found.device, found.calibration) == ("reader", "CPU", None)
    figures = found.measured[0].overall
    assert (figures.questions, figures.answerable) == (5, 3)
    assert figures.exact == pytest.approx(100 * 2 / 5)  # a, d
    assert figures.f1 == pytest.approx(100 * (1 + 2 / 3 + 0 + 1 + 0) / 5)
    assert figures.answerable_exact == pytest.approx(100 / 3)
    assert figures.answerable_f1 == pytest.approx(100 * (1 + 2 / 3) / 3)
    assert figures.no_answer_right == pytest.approx(50)
    assert figures.forced_exact == pytest.approx(100 * 2 / 3)  # a, c
    assert figures.forced_f1 == pytest.approx(100 * (1 + 2 / 3 + 1) / 3)
    # Chances: 0.8 for a, b, e, and 0.1 for c, d. Answering the first three gives 1 + 2/3 + 1 of 5.
    assert figures.best_f1 == pytest.approx(100 * (1 + 2 / 3 + 1) / 5)
    assert figures.best_threshold == pytest.approx(0.8)
    # At 0.8 (a, b, e) two of three are taken for right, at 0.05 (c, d) one of two.
    assert figures.calibration_error == pytest.approx(100 * (abs(3 * 0.8 - 2) + abs(2 * 0.05 - 1)) / 5)


def test_by_source_and_sets_without_one_kind(tmp_path: Path, file: Path) -> None:
    by_source = evaluate_qa(fake_workspace(tmp_path), Plan((file,)), Silent()).measured[0].by_source
    assert list(by_source) == ["one", "two"]
    assert by_source["one"].no_answer_right is None
    assert by_source["one"].f1 == pytest.approx(100 * (1 + 2 / 3) / 2)
    assert by_source["two"].answerable_f1 == 0.0
    assert by_source["two"].forced_f1 == 100.0


def test_joined_paragraphs_are_read_as_one_document(tmp_path: Path, file: Path) -> None:
    engine = FakeEngine()
    found = evaluate_qa(fake_workspace(tmp_path, engine), Plan((file,), join=(0, 2, 9)), Silent())
    assert [measured.join for measured in found.measured] == [0, 2, 9]
    asked = [request for request in engine.requests if isinstance(request, QuestionBatch)]
    for request, count in zip(asked, (1, 3, 4), strict=True):  # there are four different paragraphs in all
        for (_, context, *_), question in zip(ROWS, request.questions, strict=True):
            paragraphs = question.documents[0].text.split("\n\n")
            assert context in paragraphs
            assert len(paragraphs) == len(set(paragraphs)) == count


def test_fit_is_asked_of_the_engine_and_kept_with_the_model(tmp_path: Path, file: Path) -> None:
    engine = FakeEngine()
    workspace = keeping_workspace(tmp_path, engine, QA)
    plan = Plan((file,), join=(0, 1), fit=True, record=True)
    found = evaluate_qa(workspace, plan, Silent())
    data = engine.requests[-1]
    assert isinstance(data, CalibrationData)
    assert len(data.readings) == 10
    first = data.readings[0]
    assert (first.scores[0], first.answerable, first.right) == (4.0, True, True)
    assert [reading.answerable for reading in data.readings[:5]] == [True, True, True, False, False]
    assert isinstance(engine.requests[0], QuestionBatch)
    assert engine.requests[0].questions[0].top_k == 20
    assert found.calibration is not None
    notes = json.loads((tmp_path / "model" / "spanlight.json").read_text())
    assert notes["calibration"]["temperature"] == found.calibration.temperature == 2.0
    assert notes["measured"]["dev"]["f1"] == pytest.approx(53.33)
    assert set(notes["measured"]) == {"dev", "dev, among 1 others"}


class LongEngine(FakeEngine):
    """Reads a window for each paragraph."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        found = super().run(request, choice, Silent())
        if not isinstance(request, QuestionBatch):
            return found
        return tuple(
            replace(reading, windows=1 + question.documents[0].text.count("\n\n"))
            for reading, question in zip(found, request.questions, strict=True)
        )


def test_reliability_is_kept_by_the_kind_of_text(tmp_path: Path, file: Path) -> None:
    workspace = keeping_workspace(tmp_path, LongEngine(), QA)
    evaluate_qa(workspace, Plan((file,), join=(0, 2), record=True), Silent())
    kept = read_notes(tmp_path / "model").reliability
    assert set(kept) == {TextKind.PARAGRAPHS, TextKind.LONG_DOCUMENTS}
    bins = kept[TextKind.PARAGRAPHS]
    assert len(bins) == BINS and question_count(bins) == 5
    # At 0.8 (a, b, e) one is right, one to two thirds, which people take for right, and one has no answer.
    assert (bins[8].questions, bins[8].said, bins[8].right) == (3, 0.8, 0.6667)
    # At 0.05 c is right though it is not given as the answer, and d has none.
    assert (bins[0].questions, bins[0].said, bins[0].right) == (2, 0.05, 0.5)


def test_another_record_adds_its_kinds_and_a_fit_drops_what_was_before_it(tmp_path: Path, file: Path) -> None:
    workspace = keeping_workspace(tmp_path, LongEngine(), QA)
    evaluate_qa(workspace, Plan((file,), record=True), Silent())
    tables = tmp_path / "tables.jsonl"
    table = [["Name", "Deed"], ["The king", "stole\n\ntarts"]]
    answer = {"text": "king", "row": 1, "column": 0, "start": 4}
    row = {"id": "t", "question": "Who: king?", "table": table, "header_rows": 1, "answers": [answer]}
    tables.write_text(json.dumps(row) + "\n")
    found = evaluate_qa(workspace, Plan((tables,), record=True), Silent())
    kept = read_notes(tmp_path / "model").reliability
    assert set(found.reliability) == {TextKind.TABLES}, "in two windows, and still a table"
    assert kept[TextKind.TABLES] == found.reliability[TextKind.TABLES]
    assert question_count(kept[TextKind.PARAGRAPHS]) == 5
    evaluate_qa(workspace, Plan((file,), fit=True, record=True), Silent())
    assert read_notes(tmp_path / "model").reliability == {}


def test_limit_takes_the_same_questions_each_time(tmp_path: Path, file: Path) -> None:
    engine = FakeEngine()
    for _ in range(2):
        found = evaluate_qa(fake_workspace(tmp_path, engine), Plan((file,), limit=2), Silent())
        assert found.measured[0].overall.questions == 2
    assert engine.requests[0] == engine.requests[1]


def test_a_file_without_questions(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    with pytest.raises(SpanlightError, match="no question"):
        evaluate_qa(fake_workspace(tmp_path), Plan((path,)), Silent())


@given(st.integers(1, 12), st.integers(0, 15), st.integers(), st.data())
def test_join_holds_the_own_paragraph_once(count: int, others: int, seed: int, data: st.DataObject) -> None:
    own = data.draw(st.integers(0, count - 1))
    paragraphs = [f"paragraph {number}" for number in range(count)]
    joined = join_paragraphs(paragraphs, own, others, str(seed)).split("\n\n")
    assert joined.count(paragraphs[own]) == 1
    assert len(joined) == len(set(joined)) == 1 + min(others, count - 1)
    assert join_paragraphs(paragraphs, own, others, str(seed)).split("\n\n") == joined


def test_join_puts_the_own_paragraph_anywhere() -> None:
    paragraphs = [f"paragraph {number}" for number in range(5)]
    places = {
        join_paragraphs(paragraphs, 2, 4, str(seed)).split("\n\n").index("paragraph 2") for seed in range(60)
    }
    assert places == {0, 1, 2, 3, 4}


def test_sample_keeps_the_order() -> None:
    assert sample(range(100), 0, 1) == range(100)
    some = list(sample(range(100), 10, 1))
    assert some == sorted(some)
    assert len(set(some)) == 10
