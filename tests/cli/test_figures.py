"""What evaluate prints of names and of pretraining."""

import json
from pathlib import Path

from tests.flows.test_evaluate_pretraining import Pretrained
from tests.helpers.commands import Command


def test_names_are_printed_by_kind_and_source(command: Command, tmp_path: Path) -> None:
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
    _, out, _ = command("evaluate", "tokens", str(path), "--json")
    told = json.loads(out)
    assert told["overall"]["names"] == 4 and set(told["by_kind"]) >= {"LOC", "PER"}


def test_masked_words_are_printed_without_pairs(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("Once upon a time. Never again.")
    code, out, err = command("evaluate", "pretraining", str(path), engine=Pretrained())
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("filler: 1 text in")
    assert lines[1].split() == ["masked", "top", "1", "top", "5", "loss", "pairs", "next", "ordered"]
    assert lines[2].split() == ["all", "2", "0.5000", "1.0000", "1.5000", "-", "-", "-"]
    _, out, _ = command("evaluate", "pretraining", str(path), "--json", engine=Pretrained())
    assert json.loads(out)["words"] == {"words": 2, "top1": 0.5, "top5": 1.0, "loss": 1.5}
