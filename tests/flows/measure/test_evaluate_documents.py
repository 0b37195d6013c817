from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head
from app.core.reliability import ReliabilityBin, TextKind, question_count
from app.core.report import Progress, Silent, Stopped
from app.core.requests import Question
from app.core.text import Span
from app.flows.measure.evaluate_documents import DocumentQaEvaluation, evaluate_documents, places_in
from app.flows.measure.plan import Plan
from app.models.disk.notes import read_notes
from tests.flows.fake_engine import FakeEngine, fake_workspace, keeping_workspace
from tests.helpers.children import Listener

# The fake reader answers with the first place of the question's last word, or holds back the text's first word.
TALE = "# Tale\n\nThe king slept. The red queen slept too, and the king woke.\n"
TALE_TEXT = "Tale\n\nThe king slept. The red queen slept too, and the king woke."
NOTE = "Alice grew.\r\nA duchess sneezed.\r\n"
NOTE_TEXT = "Alice grew.\nA duchess sneezed.\n"


def row(id: str, file: str, kind: str, question: str, *answers: tuple[str, int]) -> dict[str, Any]:
    return {
        "id": id,
        "file": file,
        "question": question,
        "kind": kind,
        "answers": [text for text, _ in answers],
        "starts": [start for _, start in answers[:1]],
        "places": [[start, start + len(text)] for text, start in answers],
    }


ROWS = [
    # in place: right
    row("a", "tale.md", "fact", "Who slept: king?", ("king", TALE_TEXT.index("king"))),
    # found, in place: precision 1, recall 1/2, F1 2/3
    row("b", "tale.md", "phrase", "Who slept: queen?", ("red queen", TALE_TEXT.index("red queen"))),
    # exactly the words, but where another king is told of
    row("c", "tale.md", "fact", "Who woke: king?", ("king", TALE_TEXT.rindex("king"))),
    # held back; given, it would be right
    row("d", "note.txt", "fact", "Who was it: girl?", ("Alice", 0)),
    # not there, and left so
    row("e", "note.txt", "none", "Who was it: king?"),
    # not there, but answered
    row("f", "note.txt", "none", "Was it the duchess?"),
    # in place, but only a fifth of the words
    row("g", "note.txt", "phrase", "What: duchess?", ("duchess sneezed and sneezed again and", 14)),
    row("h", "note.txt", "phrase", "What did it: grew?", ("Alice grew.", 0)),
]
# The answer to g does not stand in the text.
ROWS[6]["answers"], ROWS[6]["places"] = ["A duchess sneezed. Nobody knows why it did"], [[12, 54]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "tale.md").write_text(TALE)
    (folder / "note.txt").write_bytes(NOTE.encode())
    return folder


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def evaluate(
    folder: Path, rows: list[dict[str, Any]], engine: FakeEngine | None = None, **plan: Any
) -> DocumentQaEvaluation:
    workspace = fake_workspace(folder.parent / "home", engine)
    questions = write(folder.parent / "questions.jsonl", rows)
    return evaluate_documents(workspace, Plan((questions, folder), **plan), Silent())


def test_figures(folder: Path) -> None:
    found = evaluate(folder, ROWS)
    assert (found.model, found.device, found.total, found.complete) == ("reader", "CPU", 8, True)
    figures = found.overall
    assert figures.questions == 8
    assert figures.right == pytest.approx(100 * 5 / 8)  # a, b, c, e, h
    assert figures.placed == pytest.approx(100 * 4 / 8)
    partly = 2 * 1 / (1 + 7)  # g: one of the seven words that are left without articles
    assert figures.f1 == pytest.approx(100 * (1 + 2 / 3 + 1 + 0 + 1 + 0 + partly + 2 / 3) / 8)
    assert figures.refused == pytest.approx(100 / 6)
    assert figures.forced == pytest.approx(100 * 5 / 6)
    assert list(found.by) == ["kind", "file"]
    assert list(found.by["kind"]) == ["fact", "phrase", "none"]
    none = found.by["kind"]["none"]
    assert (none.right, none.placed, none.f1, none.refused, none.forced) == (50.0, 50.0, 50.0, None, None)
    assert found.by["file"]["tale.md"].right == 100.0
    assert (found.moved, found.lost) == (1, 1)
    # At 0.8 (a, b, c, f, g, h) four of six best spans are right, at 0.05 (d, e) one of two.
    assert found.calibration_error == pytest.approx(100 * (abs(6 * 0.8 - 4) + abs(2 * 0.05 - 1)) / 8)


def test_predictions_are_scored_alike_by_the_scorer_of_the_questions(shared_data: Path, folder: Path) -> None:
    predictions = folder.parent / "predictions.jsonl"
    found = evaluate(folder, ROWS, predictions=predictions)
    command = [
        shared_data / "questions" / "score.py",
        folder.parent / "questions.jsonl",
        predictions,
        "--json",
    ]
    told = json.loads(subprocess.run([sys.executable, *command], capture_output=True, check=True).stdout)
    for group, names in ({"all": {"all": found.overall}} | found.by).items():
        for name, figures in names.items():
            refused = None if figures.refused is None else round(figures.refused, 1)
            assert told[group][name] == {
                "n": figures.questions,
                "right": round(figures.right, 1),
                "placed": round(figures.placed, 1),
                "f1": round(figures.f1, 1),
                "refused": refused,
            }


def test_a_document_is_read_once_and_asked_as_the_window_asks(folder: Path) -> None:
    engine = FakeEngine()
    workspace = fake_workspace(folder.parent / "home", engine)
    mixed = write(folder.parent / "mixed.jsonl", [ROWS[0], ROWS[3], ROWS[1], ROWS[4], ROWS[2]])
    evaluate_documents(workspace, Plan((mixed, folder), limit=2), Silent())
    asked = [request for request in engine.requests if isinstance(request, Question)]
    assert [each.text for each in asked] == [ROWS[number]["question"] for number in (0, 1, 3, 4)]
    assert [each.documents[0].text for each in asked] == [TALE_TEXT] * 2 + [NOTE_TEXT] * 2
    assert asked[0].documents[0] is asked[1].documents[0]
    assert asked[0] == Question(ROWS[0]["question"], asked[0].documents)
    assert len(workspace.documents.orders) == 2  # type: ignore[attr-defined]


def test_texts_that_stand_in_rows_are_read_as_text_files(folder: Path) -> None:
    texts = [{"id": "n-1", "title": "A note", "text": NOTE}, {"id": "n-2", "title": "", "text": "not asked"}]
    write(folder / "documents.jsonl", texts)
    ask = {"document": "n-1", "question": "Was it the duchess?", "kind": "fact"}
    answers = [{"text": "duchess", "answer_start": NOTE.index("duchess")}]  # a CR stands before it there
    rows = [{"id": 1, **ask, "answers": answers}, {"id": 2, **ask, "kind": "none", "answers": []}]
    found = evaluate(folder, rows, predictions=folder.parent / "said.jsonl")
    assert (found.overall.right, found.by["kind"]["fact"].placed, found.moved) == (50.0, 100.0, 1)
    assert list(found.by["file"]) == ["n-1"]
    first, second = map(json.loads, (folder.parent / "said.jsonl").read_text().splitlines())
    assert (first["id"], first["answer"], first["start"]) == (1, "duchess", NOTE_TEXT.index("duchess"))
    assert (first["answered"], first["right"], first["forced"], first["f1"]) == (True, True, True, 1.0)
    assert (second["answered"], second["right"]) == (True, False)
    with pytest.raises(SpanlightError, match="no document “n-3”"):
        evaluate(folder, [{"id": 1, **ask, "document": "n-3", "answers": answers}])


def stopping(after: int, fault: Exception) -> FakeEngine:
    def stop(request: object) -> None:
        if len(engine.requests) == after:
            raise fault

    engine = FakeEngine(stop)
    return engine


def test_a_stop_gives_what_was_measured(folder: Path) -> None:
    predictions = folder.parent / "out" / "said.jsonl"
    found = evaluate(folder, ROWS, stopping(3, Stopped()), predictions=predictions)
    assert (found.complete, found.total, found.overall.questions) == (False, 8, 3)
    assert found.overall.right == 100.0
    assert [json.loads(line)["id"] for line in predictions.read_text().splitlines()] == ["a", "b", "c"]
    with pytest.raises(Stopped):
        evaluate(folder, ROWS, stopping(0, Stopped()))


def test_what_was_found_before_a_fault_is_kept(folder: Path) -> None:
    predictions = folder.parent / "said.jsonl"
    with pytest.raises(EngineLost):
        evaluate(folder, ROWS, stopping(2, EngineLost(-9)), predictions=predictions)
    assert len(predictions.read_text().splitlines()) == 2


def test_figures_are_kept_with_the_model_unless_it_was_stopped(folder: Path) -> None:
    workspace = keeping_workspace(folder.parent, stopping(3, Stopped()), Head.QUESTION_ANSWERING)
    plan = Plan((write(folder.parent / "some.jsonl", ROWS), folder), record=True)
    notes = folder.parent / "model" / "spanlight.json"
    evaluate_documents(workspace, plan, Silent())
    assert not notes.exists()
    workspace.engine = FakeEngine()  # type: ignore[assignment]
    evaluate_documents(workspace, plan, Silent())
    kept = json.loads(notes.read_text())["measured"]["some"]
    assert (kept["questions"], kept["right"], kept["refused"], kept["forced"]) == (8, 62.5, 16.67, 83.33)


class LongEngine(FakeEngine):
    """Reads two windows of the tale, one of the note."""

    def run(self, request: object, choice: Any, report: Any) -> Any:
        found = super().run(request, choice, report)
        return replace(found, windows=1 + (request.documents[0].text == TALE_TEXT))


def test_the_reliability_is_kept_for_the_kinds_of_text_that_were_asked(folder: Path) -> None:
    workspace = keeping_workspace(folder.parent, LongEngine(), Head.QUESTION_ANSWERING)
    questions = folder.parent / "questions.jsonl"
    plan = Plan((write(questions, ROWS), folder), record=True)
    assert evaluate_documents(workspace, plan, Silent()).overall.questions == 8
    kept = read_notes(folder.parent / "model").reliability
    long, short = kept[TextKind.LONG_DOCUMENTS], kept[TextKind.PARAGRAPHS]
    assert [each.questions for each in long] == [0] * 8 + [3, 0]
    assert long[8] == ReliabilityBin(3, 0.8, 1.0)  # a, b, c
    assert short[8] == ReliabilityBin(3, 0.8, 0.3333)  # h of f, g, h
    assert short[0] == ReliabilityBin(2, 0.05, 0.5)  # d of d, e
    write(questions, ROWS[:1])
    evaluate_documents(workspace, plan, Silent())
    kept = read_notes(folder.parent / "model").reliability
    assert question_count(kept[TextKind.LONG_DOCUMENTS]) == 1
    assert kept[TextKind.PARAGRAPHS] == short, "no paragraph was asked"


def test_several_sets_are_measured_together(folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    (other / "tale.md").write_text("Another king.")
    workspace = keeping_workspace(folder.parent, None, Head.QUESTION_ANSWERING)
    first = write(folder.parent / "first.jsonl", ROWS)
    second = write(folder.parent / "second.jsonl", [row("a", "tale.md", "fact", "Who: king?", ("king", 8))])
    found = evaluate_documents(workspace, Plan((first, folder, second, other), record=True), Silent())
    assert (found.overall.questions, found.by["kind"]["fact"].questions) == (9, 4)
    assert found.by["file"]["tale.md"].questions == 4
    notes = read_notes(folder.parent / "model")
    assert notes.measured["first + second"]["right"] == pytest.approx(100 * 6 / 9, abs=0.01)
    assert question_count(notes.reliability[TextKind.PARAGRAPHS]) == 9
    with pytest.raises(SpanlightError, match="overwrite"):
        evaluate_documents(workspace, Plan((first, folder, second, other), predictions=second), Silent())


def test_time_left_goes_by_characters(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "long.txt").write_text("word " * 2000)
    listener = Listener()

    class Reading(FakeEngine):
        def run(self, request: object, choice: Any, report: Any) -> Any:
            report.progress(Progress(1, 4, "windows"))
            return super().run(request, choice, report)

    monkeypatch.setattr("app.flows.batches.GroupReport.seconds", 10.0)
    rows = [ROWS[3], row("z", "long.txt", "none", "What?")]
    workspace = fake_workspace(folder.parent / "home", Reading())
    plan = Plan((write(folder.parent / "questions.jsonl", rows), folder))
    evaluate_documents(workspace, plan, listener)
    asked = [each for each in listener.told if each.what == "questions"]
    short, whole = len(NOTE_TEXT) + 1, len(NOTE_TEXT) + 1 + 10_001
    read = [short / 4, short, short + 10_001 / 4, whole]
    assert [(each.done, each.total) for each in asked] == [(0, 2), (1, 2), (1, 2), (2, 2)]
    assert [each.seconds_left for each in asked] == pytest.approx([10 / r * (whole - r) for r in read])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "fact", "answers": []}, "row 2 is not of that form"),
        ({"kind": "none"}, "row 2 is not of that form"),
        ({"question": " "}, "row 2 is not of that form"),
        ({"places": [[-4, 2]]}, "row 2 is not of that form"),
        ({"places": [[1]]}, "row 2 is not of that form"),
        ({"file": "nowhere.txt"}, "There is no file"),
    ],
)
def test_rows_at_fault(folder: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SpanlightError, match=sentence):
        evaluate(folder, [ROWS[0], ROWS[0] | change])


def test_files_at_fault(folder: Path) -> None:
    with pytest.raises(SpanlightError, match="no question"):
        evaluate(folder, [])
    with pytest.raises(SpanlightError, match=r"no “kind”"):
        evaluate(folder, [{key: value for key, value in ROWS[0].items() if key != "kind"}])
    with pytest.raises(SpanlightError, match="overwrite"):
        evaluate(folder, ROWS, predictions=folder.parent / "questions.jsonl")


def test_a_place_is_kept_where_it_holds_an_answer_and_else_found_anew() -> None:
    text = "one two three\ntwo one two"
    assert places_in(text, ["two"], [(4, 7), (22, 25)]) == (Span(4, 7), Span(22, 25))
    assert places_in(text, ["two"], [(15, 18)]) == (Span(14, 17),)
    assert places_in(text, ["two", "three two"], [(9, 18)]) == (Span(8, 17),)
    assert places_in(text, ["two"], [(4, 7), (5, 8)]) == (Span(4, 7),)
    assert places_in(text, ["wo", "four"], [(5, 9)]) == ()


@given(st.lists(st.sampled_from(["a", "b", "ab", "a-b"]), min_size=1), st.text("xy \n"), st.data())
def test_a_place_behind_words_put_in_is_found(words: list[str], put_in: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, min(first + 3, len(words) - 1)))
    answer = " ".join(words[first : last + 1])
    start = len(" ".join([*words[:first], ""]))
    text = put_in + "\n" + "\n".join(words)
    (place,) = places_in(text, [answer], [(start, start + len(answer))])
    assert place.of(text).split() == answer.split()
    # Not the true one only where another is nearer.
    assert abs(place.start - start) <= len(put_in) + 1
