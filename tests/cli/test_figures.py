"""What `evaluate` prints for names, pretraining and questions on whole documents."""

import json
from pathlib import Path

from app.core.report import Stopped
from tests.flows.fake_engine import FakeEngine
from tests.flows.measure.test_evaluate_pretraining import Pretrained
from tests.helpers.terminal import AsJson, Command


def test_names_are_printed_by_kind_and_source(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    rows = [
        {"tokens": ["Ann", "saw", "Rome"], "tags": ["B-PER", "O", "B-LOC"], "source": s} for s in ("a", "b")
    ]
    path = tmp_path / "names.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    code, out, err = command("evaluate", "tokens", str(path))
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].split(":")[1].startswith(" 2 texts in")
    assert lines[1].split() == ["names", "found", "precision", "recall", "F1"]
    assert {line.split()[0] for line in lines[2:]} >= {"all", "LOC", "PER", "a", "b"}
    assert lines[2].split()[1] == "4"
    told = as_json("evaluate", "tokens", str(path))
    assert told["overall"]["names"] == 4 and set(told["by_kind"]) >= {"LOC", "PER"}


def test_masked_words_are_printed_without_pairs(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    path = tmp_path / "book.txt"
    path.write_text("Once upon a time. Never again.")
    code, out, err = command("evaluate", "pretraining", str(path), engine=Pretrained())
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("filler: 1 text in")
    assert lines[1].split() == ["masked", "top", "1", "top", "5", "loss", "pairs", "next", "ordered"]
    assert lines[2].split() == ["all", "2", "0.5000", "1.0000", "1.5000", "-", "-", "-"]
    assert as_json("evaluate", "pretraining", str(path), engine=Pretrained())["words"] == {
        "words": 2,
        "top1": 0.5,
        "top5": 1.0,
        "loss": 1.5,
    }


def test_questions_on_documents_are_printed_by_kind_and_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Here are tarts.")
    (tmp_path / "b.md").write_text("Here is *one* tart.")
    ask = {"question": "What: tarts?", "kind": "fact", "answers": ["tarts"], "places": [[9, 14]]}
    rows = [{"id": 1, "file": "a.txt", **ask}, {"id": 2, "file": "b.md", **ask, "answers": ["one"]}]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    code, out, err = command("evaluate", "documents", str(path), str(tmp_path))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("reader, on CPU: 2 questions, 2 windows in ")
    assert lines[1] == "Of 1 question the places were found anew, as other words stand there."
    assert lines[3] == "Paragraphs: off by 12 points on average (2 questions); by chance alone 24.7 points"
    assert lines[4].split() == ["questions", "right", "in", "place", "F1", "refused", "forced"]
    assert [line.split() for line in lines[5:]] == [
        ["all", "2", "50.0", "50.0", "50.0", "50.0", "50.0"],
        ["fact", "2", "50.0", "50.0", "50.0", "50.0", "50.0"],
        ["a.txt", "1", "100.0", "100.0", "100.0", "0.0", "100.0"],
        ["b.md", "1", "0.0", "0.0", "0.0", "100.0", "0.0"],
    ]

    def stop(request: object) -> None:
        if engine.requests:
            raise Stopped

    engine = FakeEngine(stop)
    code, out, err = command("evaluate", "documents", str(path), str(tmp_path), "--json", engine=engine)
    told = json.loads(out)
    assert (code, err, told["complete"], told["total"]) == (130, "Stopped.\n", False, 2)
    assert told["by"]["file"]["a.txt"] == told["overall"]
    engine.requests.clear()
    _, out, _ = command("evaluate", "documents", str(path), str(tmp_path), engine=engine)
    assert out.startswith("reader, on CPU: 1 of 2 questions, 1 window in ")


def test_questions_on_tables_are_printed_without_places(command: Command, tmp_path: Path) -> None:
    answers = [{"row": 1, "column": 0, "text": "tarts"}]
    row = {
        "id": 1,
        "title": "",
        "table": [["what"], ["tarts"]],
        "header_rows": 1,
        "kind": "lookup",
        "source": "x",
    }
    path = tmp_path / "tables.jsonl"
    path.write_text(json.dumps(row | {"question": "What: tarts?", "answers": answers}))
    code, out, err = command("evaluate", "tables", str(path), "--predictions", str(tmp_path / "said.jsonl"))
    assert (code, err) == (0, "")
    assert (
        out.splitlines()[2] == "Tables: off by 20 points on average (1 question); by chance alone 31.9 points"
    )
    assert out.splitlines()[3].split() == ["questions", "right", "F1", "refused", "forced"]
    assert out.splitlines()[4].split() == ["all", "1", "100.0", "100.0", "0.0", "100.0"]
    assert json.loads((tmp_path / "said.jsonl").read_text())["answer"] == "tarts"
