from __future__ import annotations

import json
import lzma
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import Busy, EngineLost, SpanlightError
from app.core.report import Report, Silent, Stopped
from app.core.requests import ModelChoice, Question, QuestionBatch
from app.core.results import Answer, Reading
from app.core.text import Span
from app.flows.ask.batch import ask_batch
from app.flows.batches import MOST_ITEMS
from tests.flows.fake_engine import FakeEngine, fake_workspace, read
from tests.helpers.children import Listener

OPTIONS = Question("", (), top_k=1)


def write(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rows_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def answered(
    folder: Path, *rows: object, engine: FakeEngine | None = None, options: Question = OPTIONS
) -> Any:
    """The rows that come out for these rows."""
    source, output = write(folder / "in.jsonl", list(rows)), folder / "out.jsonl"
    ask_batch(fake_workspace(folder, engine or FakeEngine()), source, output, options, Silent())
    return rows_of(output)


def questions(count: int) -> list[object]:
    return [
        {"id": f"q{n}", "context": f"\r\n{n} tarts", "question": "Where are the tarts?"} for n in range(count)
    ]


def test_rows_come_out_in_order_with_places_in_the_context_as_given(tmp_path: Path) -> None:
    context = "One\r\n👩‍👩‍👧 has tarts\r"
    source = write(
        tmp_path / "in.jsonl",
        [
            {"id": "a", "context": context, "question": "Where are the tarts?", "more": 1},
            {"id": 2, "context": "Nothing here.", "question": "Where is the king?"},
            {"id": "c", "context": "", "question": "Where is the king?"},
            {"id": "d", "context": "Some king.", "question": "  "},
        ],
    )
    output = tmp_path / "new" / "out.jsonl"
    done = ask_batch(fake_workspace(tmp_path), source, output, OPTIONS, Silent())
    assert (done.rows, done.finished_before) == (4, 0)
    first, second, third, fourth = rows_of(output)
    assert first["answer"] == "tarts" == context[first["start"] : first["end"]]
    assert list(first) == [
        "id", "answer", "start", "end", "probability", "no_answer_probability", "outcome", "nearest",
    ]  # fmt: skip
    assert (first["outcome"], first["nearest"], second["outcome"]) == ("answer", None, "absent")
    assert [row["id"] for row in (first, second, third, fourth)] == ["a", 2, "c", "d"]
    for row in (second, third, fourth):
        assert (row["answer"], row["start"], row["end"]) == ("", None, None)
        assert row["probability"] == row["no_answer_probability"]


def test_low_confidence_is_told_with_the_nearest_words(tmp_path: Path) -> None:
    asked = {"id": 1, "context": "The king stole tarts.", "question": "Perhaps it was the king?"}
    (row,) = answered(tmp_path, asked)
    assert (row["answer"], row["start"], row["outcome"]) == ("", None, "low-confidence")
    assert row["nearest"] == {"text": "king", "start": 4, "end": 8, "probability": 0.3}


def test_options_reach_the_reader(tmp_path: Path) -> None:
    engine = FakeEngine()
    asked = {"id": 1, "context": "Nothing here.", "question": "Where is the king?"}
    (row,) = answered(tmp_path, asked, engine=engine, options=replace(OPTIONS, top_k=3, threshold=0.0))
    (batch,) = engine.requests
    assert isinstance(batch, QuestionBatch)
    assert batch.questions[0].top_k >= 3 and batch.questions[0].threshold == 0
    assert row["answer"] == "Nothing"
    assert row["answers"] == [{"answer": "Nothing", "start": 0, "end": 7, "probability": 0.05}]


def test_other_places_are_listed_as_of_a_single_question(tmp_path: Path) -> None:
    context = "The king stole tarts. The queen did. Nobody else."
    places = [("king", 0.4), ("tarts", 0.2), ("The", 0.1), ("queen", 0.1), ("Nobody", 0.04)]

    class Engine(FakeEngine):
        def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
            spans = [(Span(context.rindex(text), context.rindex(text) + len(text)), p) for text, p in places]
            answers = tuple(Answer(0, span, span.of(context), p, 6.0, 2.0) for span, p in spans)
            return (Reading(answers, True, 0.1, 0.5, 1, 1, 0.1),)

    asked = {"id": 1, "context": context, "question": "Who stole the tarts?"}
    (row,) = answered(tmp_path, asked, engine=Engine(), options=replace(OPTIONS, top_k=5))
    assert [answer["answer"] for answer in row["answers"]] == ["king", "queen"]


def test_compressed_input_and_rows_without_an_id(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl.xz"
    with lzma.open(source, "wt", encoding="utf-8") as file:
        file.write('{"context": "a king", "question": "Where is the king?"}\n\n')
        file.write('{"context": "b king", "question": "Where is the king?"}\n')
    ask_batch(fake_workspace(tmp_path), source, tmp_path / "out.jsonl", OPTIONS, Silent())
    assert [row["id"] for row in rows_of(tmp_path / "out.jsonl")] == [1, 3]


def test_what_is_finished_stays_and_is_not_asked_again(tmp_path: Path) -> None:
    count = 3 * MOST_ITEMS
    source = write(tmp_path / "in.jsonl", questions(count))
    output = tmp_path / "out.jsonl"
    groups = 0

    def stop_at_the_third(request: object) -> None:
        nonlocal groups
        groups += 1
        if groups == 3:
            raise Stopped

    with pytest.raises(Stopped):
        ask_batch(fake_workspace(tmp_path, FakeEngine(stop_at_the_third)), source, output, OPTIONS, Silent())
    assert len(rows_of(output)) == 2 * MOST_ITEMS
    # As a kill in the middle of a write leaves it.
    whole = output.read_bytes()
    output.write_bytes(whole[:-10])
    engine = FakeEngine()
    done = ask_batch(fake_workspace(tmp_path, engine), source, output, OPTIONS, Silent())
    assert done.finished_before == 2 * MOST_ITEMS - 1
    assert [row["id"] for row in rows_of(output)] == [f"q{n}" for n in range(count)]
    asked = [len(request.questions) for request in engine.requests if isinstance(request, QuestionBatch)]
    assert sum(asked) == MOST_ITEMS + 1
    before = output.read_bytes()
    again = FakeEngine()
    ask_batch(fake_workspace(tmp_path, again), source, output, OPTIONS, Silent())
    assert output.read_bytes() == before
    assert again.requests == []


class LostInTheMiddle(FakeEngine):
    """Finishes the questions 1, 0 and 3, in this order, and dies."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        assert isinstance(request, QuestionBatch)
        for index in (1, 0, 3):
            report.partial((index, read(request.questions[index])))
        raise EngineLost("It died.", "Try again.")


def test_what_is_finished_stays_also_of_a_group_that_breaks_off(tmp_path: Path) -> None:
    rows = questions(6)
    rows[2] = {"id": "q2", "context": "2 tarts", "question": " "}
    source, output = write(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    with pytest.raises(EngineLost):
        ask_batch(fake_workspace(tmp_path, LostInTheMiddle()), source, output, OPTIONS, Silent())
    # Question 3 of those with words is row 4, and row 3 is not known yet.
    assert [row["id"] for row in rows_of(output)] == ["q0", "q1", "q2"]
    done = ask_batch(fake_workspace(tmp_path), source, output, OPTIONS, Silent())
    assert done.finished_before == 3
    assert [row["id"] for row in rows_of(output)] == [f"q{n}" for n in range(6)]


def test_progress_is_that_of_the_whole_batch(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", questions(2 * MOST_ITEMS))
    report = Listener()
    ask_batch(fake_workspace(tmp_path), source, tmp_path / "out.jsonl", OPTIONS, report)
    done = [progress.done for progress in report.told]
    assert done == sorted(done)
    assert done[-1] == 2 * MOST_ITEMS
    assert {progress.total for progress in report.told} == {2 * MOST_ITEMS}


def test_large_contexts_go_in_groups_of_their_own(tmp_path: Path) -> None:
    rows = [{"id": n, "context": "word " * 50_000, "question": "Which word?"} for n in range(3)]
    engine = FakeEngine()
    answered(tmp_path, *rows, engine=engine)
    assert len(engine.requests) == 3


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            '{"id": 1, "context": "a", "question": "b"}\nnot json\n',
            "Line 2 of in.jsonl is not a JSON object.",
        ),
        ("[1]\n", "Line 1 of in.jsonl is not a JSON object."),
        ('{"id": 1, "context": "a"}\n', "Line 1 of in.jsonl has no text under “question”."),
        ('{"id": 1, "context": 3, "question": "b"}\n', "Line 1 of in.jsonl has no text under “context”."),
        (
            '{"id": 1, "context": "a", "question": "b"}\n' * 2,
            "Lines 1 and 2 of in.jsonl have the same id 1.",
        ),
    ],
)
def test_input_at_fault_is_named_before_anything_is_asked(
    tmp_path: Path, content: str, sentence: str
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(content)
    engine = FakeEngine()
    with pytest.raises(SpanlightError) as caught:
        ask_batch(fake_workspace(tmp_path, engine), source, tmp_path / "out.jsonl", OPTIONS, Silent())
    assert caught.value.message == sentence
    assert engine.requests == []
    assert not (tmp_path / "out.jsonl").exists()


def test_other_files_are_not_touched(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", questions(2))
    workspace = fake_workspace(tmp_path)
    before = source.read_bytes()
    with pytest.raises(SpanlightError, match="overwrite"):
        ask_batch(workspace, source, source, OPTIONS, Silent())
    assert source.read_bytes() == before
    other = tmp_path / "letter.txt"
    for content, said in (
        ("Dear Alice,\nhow are you?", r"Line 1 of letter\.txt"),
        ("Call Alice", "is not a result"),
        ('{"id": 1, "context": "x", "question": "y"}\n', "is not a result"),
    ):
        other.write_text(content)
        with pytest.raises(SpanlightError, match=said):
            ask_batch(workspace, source, other, OPTIONS, Silent())
        assert other.read_text() == content
    with pytest.raises(SpanlightError, match="There is no file"):
        ask_batch(workspace, tmp_path / "none.jsonl", tmp_path / "out.jsonl", OPTIONS, Silent())
    with pytest.raises(SpanlightError, match="could not be written"):
        ask_batch(workspace, source, tmp_path, OPTIONS, Silent())


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a system without devices")
def test_an_output_that_never_ends_is_refused_unread(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", questions(1))
    for device in (Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(SpanlightError, match="is not a file"):
            ask_batch(fake_workspace(tmp_path), source, device, OPTIONS, Silent())


def test_the_answer_is_the_context_as_given_also_with_lone_surrogates(tmp_path: Path) -> None:
    context = "\udc00 The \ud800Knave\udfff stole 👩‍👩‍👧 tarts."

    class Engine(FakeEngine):
        def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
            assert isinstance(request, QuestionBatch)
            text = request.questions[0].documents[0].text
            text.encode()  # a tokenizer takes it
            span = Span(6, 13)
            return (Reading((Answer(0, span, span.of(text), 0.9, 6.0, 2.0),), True, 0.1, 0.5, 1, 1, 0.1),)

    asked = {"id": "\ud800", "context": context, "question": "Who \ud800 stole?"}
    (row,) = answered(tmp_path, asked, engine=Engine(), options=replace(OPTIONS, top_k=2))
    assert row["id"] == "\ud800"
    assert row["answer"] == context[row["start"] : row["end"]] == "\ud800Knave\udfff"
    assert row["answers"][0]["answer"] == row["answer"]


def test_a_second_batch_on_the_same_output_is_refused_with_who_has_it(tmp_path: Path) -> None:
    source, output = write(tmp_path / "in.jsonl", questions(3)), tmp_path / "out.jsonl"
    refused: list[str] = []

    def at_once(request: object) -> None:
        with pytest.raises(Busy) as caught:
            ask_batch(fake_workspace(tmp_path), source, output, OPTIONS, Silent())
        refused.append(caught.value.message)

    ask_batch(fake_workspace(tmp_path, FakeEngine(at_once)), source, output, OPTIONS, Silent())
    assert refused[0].startswith(f"Another process is writing “out.jsonl” (process {os.getpid()}, since ")
    assert [row["id"] for row in rows_of(output)] == ["q0", "q1", "q2"]
    assert sorted(path.name for path in tmp_path.glob("*out*")) == ["out.jsonl"]
    # What a process left behind that was killed holds nobody up.
    (tmp_path / ".out.jsonl.lock").write_text(" 1 1\n")
    assert ask_batch(fake_workspace(tmp_path), source, output, OPTIONS, Silent()).finished_before == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_disk_that_fills_up_is_told_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    source, output = write(tmp_path / "in.jsonl", questions(40)), tmp_path / "out.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(SpanlightError, match=r"could not be written: the disk is full"):
            ask_batch(fake_workspace(tmp_path), source, output, OPTIONS, Silent())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert 0 < output.stat().st_size <= 1000
    ask_batch(fake_workspace(tmp_path), source, output, OPTIONS, Silent())
    assert [row["id"] for row in rows_of(output)] == [f"q{n}" for n in range(40)]
