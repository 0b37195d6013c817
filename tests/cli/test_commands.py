from __future__ import annotations

import io
import json
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import ask
from app.core.errors import SpanlightError
from app.core.requests import Question
from app.core.results import Classification, ClassScore
from app.core.wording import NEAREST_WORDS
from tests.documents.test_language import LEASE
from tests.flows import fake_engine
from tests.flows.fake_engine import CLASSIFIER, FakeEngine
from tests.helpers.terminal import DECODED, TEXT, AsJson, Command


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "What was stolen: tarts?",
            ["tarts", "Likely, 80%, on line 2.", "  The Knave of Hearts 👩‍👩‍👧 stole the tarts."],
        ),
        ("Who is the duchess?", ["The text does not say.", "90% sure."]),
    ],
)
def test_ask_for_people(command: Command, document: str, question: str, lines: list[str]) -> None:
    code, out, err = command("ask", document, "--question", question)
    assert (code, out.splitlines(), err) == (0, lines, "")


def test_options_reach_the_engine(command: Command, document: str, tmp_path: Path) -> None:
    engine = FakeEngine()
    options = "--quick --every-passage --top-k 3 --threshold 0.5 --device cpu --precision float32"
    command("ask", document, "-q", "Where: tarts?", *options.split(), engine=engine)
    (question,), (choice,) = engine.requests, engine.choices
    assert isinstance(question, Question) and choice is not None
    assert (question.quick, question.every, question.threshold) == (True, True, 0.5) and question.top_k >= 3
    assert (choice.device, choice.precision) == ("cpu", "float32")
    assert not (tmp_path / "home" / "config").exists(), "they are for this once"


def test_the_nearest_words_are_said_with_low_confidence(
    command: Command, document: str, as_json: AsJson
) -> None:
    question = ("ask", document, "-q", "Perhaps they stole the tarts?")
    code, out, _ = command(*question)
    assert code == 0
    assert out.splitlines()[:2] == ["tarts", f"Low confidence, 30%, on line 2. {NEAREST_WORDS}"]
    values = as_json(*question)
    assert (values["outcome"], values["answer"], values["start"]) == ("low-confidence", "", None)
    nearest = values["nearest"]
    assert DECODED[nearest["start"] : nearest["end"]] == nearest["text"] == "tarts"
    assert nearest["probability"] == values["answers"][0]["probability"] == 0.3
    assert command("history")[1].splitlines()[1:3] == ["  tarts", "  Low confidence, 30%."]
    assert as_json("history")["entries"][0]["outcome"] == "low-confidence"


def test_ask_for_programs(document: str, as_json: AsJson) -> None:
    values = as_json("ask", document, "--question", "What was stolen: tarts?")
    assert DECODED[values["start"] : values["end"]] == values["answer"] == "tarts"
    assert values["sentence"] == "The Knave of Hearts 👩‍👩‍👧 stole the tarts."
    assert values["document"] == document
    assert values["answers"][0]["probability"] == values["probability"] == 0.8
    assert (values["outcome"], values["nearest"]) == ("answer", None)
    assert {"question", "no_answer_probability", "model", "device", "windows", "seconds"} <= set(values)
    values = as_json("ask", document, "--question", "Who is the duchess?")
    assert (values["answer"], values["start"], values["end"], values["document"]) == ("", None, None, None)
    assert values["probability"] == values["no_answer_probability"] == 0.9
    assert values["answers"][0]["answer"] == "The"
    assert (values["outcome"], values["nearest"]) == ("absent", None)


def test_a_cell_is_told_with_its_row_and_its_column(
    command: Command, tmp_path: Path, as_json: AsJson
) -> None:
    path = tmp_path / "towns.md"
    path.write_text("| Town | Size |\n|---|---|\n| Kiruna | 611 |\n| Luleå | 1204 |\n")
    _, out, _ = command("ask", str(path), "--question", "How large: 611?")
    assert out == "611\nLikely, 80%, on line 3.\nRow: Kiruna · Column: Size\n  Town: Kiruna. Size: 611.\n"
    values = as_json("ask", str(path), "--question", "How large: 611?")
    assert (values["row"], values["column"]) == ("Kiruna", "Size")
    assert values["sentence"] == "Town: Kiruna. Size: 611."
    values = as_json("ask", str(path), "--question", "Who is it?")
    assert (values["row"], values["column"]) == ("", "")


def test_always_answer_and_threshold(command: Command, document: str) -> None:
    for option in (["--always-answer"], ["--threshold", "0"]):
        code, out, _ = command("ask", document, "--question", "Who is the duchess?", *option)
        assert code == 0
        assert out.startswith("The\nVery unlikely, 5%, on line 1.\n")
    _, out, _ = command("ask", document, "--question", "Who is the duchess?", "--threshold", "0.05")
    assert out.startswith("The\nLow confidence, 5%, on line 1."), "such words are never given as the answer"


def test_several_files_and_other_places(command: Command, document: str, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Here are tarts too.")
    _, out, _ = command("ask", str(other), "--question", "Where are the tarts?", document, "--top-k", "3")
    assert "Likely, 80%, on line 1 of other.txt." in out
    _, out, _ = command("ask", document, str(other), "--question", "Who is the duchess?", "--top-k", "3")
    assert "Other places:\nThe\nVery unlikely, 5%, on line 1 of tarts.txt." in out


def test_a_heading_is_of_the_document_that_answers(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    files = [tmp_path / name for name in ("a.md", "b.txt", "c.md")]
    for file, words in zip(
        files, ("# Trial\n\nThe King.\n", "Nobody saw tarts.\n", "x\n\n# End\n\nx\n"), strict=True
    ):
        file.write_text(words)
    question = ["ask", *map(str, files), "--question"]
    assert "Likely, 80%, on line 1 of b.txt.\n" in command(*question, "What: tarts?")[1]
    assert "Likely, 80%, on line 1 of c.md.\n" in command(*question, "What: x?")[1]
    values = as_json(*question, "What: tarts?")
    assert (values["document"], values["heading"], values["line"]) == (str(files[1]), "", 1)


def test_a_document_cannot_steer_the_terminal(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "evil.txt"
    path.write_bytes(b"The \x1b[31mred\x07 knave\x9b stole\x00 the tarts.")
    _, out, _ = command("ask", str(path), "--question", "What: tarts?")
    assert not any(unicodedata.category(each) == "Cc" for each in out.replace("\n", ""))


def test_an_answer_is_kept_before_it_is_printed(
    command: Command, document: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*values: object) -> None:
        raise SpanlightError("The terminal is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(ask, "_print", broken)
        assert command("ask", document, "--question", "What was stolen: tarts?")[0] == 2
    _, out, _ = command("history")
    assert "What was stolen: tarts?" in out


def test_an_answer_that_could_not_be_kept_is_printed_and_that_is_told(
    command: Command, document: str, tmp_path: Path
) -> None:
    (tmp_path / "home" / "data" / "history.sqlite3").mkdir(parents=True)
    code, out, err = command("ask", document, "--question", "What was stolen: tarts?")
    assert code == 0 and out.startswith("tarts\n") and err.startswith("The answer was not kept. The history ")


def test_standard_input(command: Command, monkeypatch: pytest.MonkeyPatch, as_json: AsJson) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT[1:].encode("utf-16"))))
    values = as_json("ask", "-", "--question", "What was stolen: tarts?")
    assert DECODED[values["start"] : values["end"]] == "tarts"
    assert values["document"] == "standard input"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"good\n")))
    _, out, _ = command("classify", "-")
    assert out.splitlines() == ["positive     90%", "negative     10%"]


def test_batch(command: Command, tmp_path: Path) -> None:
    rows = [{"id": n, "context": f"{n} tarts", "question": "What: tarts?"} for n in range(3)]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "out.jsonl"
    code, out, _ = command("ask", "--batch", str(source), "--output", str(output))
    assert code == 0
    assert out.startswith("3 questions answered, in ")
    assert [json.loads(line)["start"] for line in output.read_text().splitlines()] == [2, 2, 2]
    _, out, _ = command("ask", "--batch", str(source), "--output", str(output))
    assert out.startswith("3 questions answered, 3 of them before, in ")


def test_classify(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    code, out, _ = command("classify", "so good", "so bad")
    assert code == 0
    assert (
        out == "so good\npositive     90%\nnegative     10%\n\nso bad\nnegative     80%\npositive     20%\n"
    )
    item = as_json("classify", "so good")["items"][0]
    assert item["label"] == "positive"
    assert item["probabilities"] == pytest.approx({"negative": 0.1, "positive": 0.9})
    table = tmp_path / "in.csv"
    table.write_text("n,review\n1,so good\n")
    _, out, _ = command("classify", "--file", str(table), "--column", "review")
    assert out.splitlines()[1] == "1,so good,positive,0.900000,0.100000,0.900000"
    code, _, _ = command(
        "classify", "--file", str(table), "--column", "review", "--output", str(tmp_path / "o.csv")
    )
    assert code == 0
    assert (tmp_path / "o.csv").read_text() == out


def test_evaluate_prints_figures(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    path = tmp_path / "dev.jsonl"
    answers = [{"text": "tarts", "answer_start": 2}]
    path.write_text(
        json.dumps({"id": "1", "context": "2 tarts", "question": "What: tarts?", "answers": answers})
    )
    code, out, _ = command("evaluate", "qa", str(path))
    assert code == 0
    assert "100.00" in out
    assert "\nParagraphs: off by 20 points on average (1 question); by chance alone 31.9 points\n" in out
    assert [
        each["overall"]["f1"] for each in as_json("evaluate", "qa", str(path), "--join", "0,2")["measured"]
    ] == [100.0, 100.0]
    path.write_text(json.dumps({"text": "good", "label": 1}))
    code, out, _ = command("evaluate", "classification", str(path))
    assert code == 0
    assert "accuracy 1.0000, macro F1 1.0000, calibration error 0.1000" in out


def test_models(command: Command, as_json: AsJson) -> None:
    code, out, _ = command("models")
    assert code == 0
    assert out.startswith("reader\n  Heads: question-answering\n")
    assert [card["name"] for card in as_json("models")["models"]][:2] == ["reader", "classifier"]


def test_a_language_that_the_reader_does_not_read_is_told_on_standard_error(
    command: Command, document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_engine, "READER", replace(fake_engine.READER, languages=("en",)))
    lease = tmp_path / "miete.txt"
    lease.write_text(LEASE["de"], encoding="utf-8")
    code, out, err = command("ask", str(lease), "--question", "Wann ist die Miete fällig?", "--json")
    assert code == 0 and json.loads(out)["language"] == "de"
    assert err.splitlines()[0].startswith("This document is in German; reader reads English. Find one")
    assert err.splitlines()[0].endswith("models offered german reader")
    code, out, err = command("ask", document, "--question", "What was stolen: tarts?", "--json")
    assert code == 0 and json.loads(out)["language"] in ("", "en") and "reads English" not in err


def test_a_models_labels_and_name_are_legible(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = "bad\u202e\x1b[2J", "g" * 1_000_000
    item = Classification((ClassScore(labels[0], 0.3), ClassScore(labels[1], 0.7)), labels[1], 1, 3)
    monkeypatch.setattr(fake_engine, "classes", lambda text: item)
    monkeypatch.setattr(fake_engine, "CLASSIFIER", replace(CLASSIFIER, labels=labels))
    code, out, err = command("classify", "A good film.")
    assert code == 0 and not err and len(out) < 1000
    assert all(line.isprintable() for line in out.splitlines())
    code, out, _ = command("classify", "A good film.", "--json")
    assert all(json.dumps(label, ensure_ascii=False) in out for label in labels), "data stay as they are"
    code, out, _ = command("models")
    assert code == 0 and len(out) < 10_000 and all(line.isprintable() for line in out.splitlines())
