"""Models taught and measured for real: names, and masked words with next sentences."""

import json
from pathlib import Path

import pytest

from tests.helpers.small_models import small_checkpoint
from tests.helpers.terminal import Terminal


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "base")


def taught(terminal: Terminal, task: str, base: Path, examples: Path, dev: Path, *more: str) -> dict:
    said = terminal(
        *("train", task, "--base", str(base), "--examples", str(examples), "--dev", str(dev)),
        *("--output", str(examples.parent / "taught"), "--max-length", "32", "--batch-size", "8"),
        *("--learning-rate", "0.004", "--dropout", "0", "--device", "cpu", "--evaluate-every", "10000"),
        *("--option", "bfloat16=0", "--option", "workers=2", "--json", *more),
    )
    assert said.code == 0, said.err
    return said.json


def test_names_are_taught_found_and_measured(terminal: Terminal, base: Path, tmp_path: Path) -> None:
    rows = [
        {"tokens": ["the", name, "came", "to", place, "."], "tags": ["O", "B-PER", "O", "O", "B-LOC", "O"]}
        for name in ("king", "queen", "knave", "alice")
        for place in ("paris", "france", "london")
        for _ in range(4)
    ]
    path = tmp_path / "names.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    told = taught(terminal, "tokens", base, path, path, "--epochs", "12", "--option", "join=2")
    assert told["dev"]["f1"] > 0.95
    found = terminal("evaluate", "tokens", str(path), "--model", told["folder"], "--record", "--json").json
    assert found["overall"]["f1"] == pytest.approx(told["dev"]["f1"], abs=0.02)
    assert set(found["by_kind"]) == {"LOC", "PER"}
    kept = json.loads((Path(told["folder"]) / "spanlight.json").read_text())
    assert kept["measured"]["names"]["f1"] == pytest.approx(found["overall"]["f1"], abs=1e-4)


def test_pretraining_is_taught_and_measured(terminal: Terminal, base: Path, tmp_path: Path) -> None:
    stories = ("The king took the tarts . The queen was sad . ", "A film was bad . The book was wonderful . ")
    leads = "king queen knave alice man river book film city war capital movie".split()
    rows = [{"text": f"{lead} . {stories[i % 2]}", "title": str(i)} for i, lead in enumerate(leads)]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    dev = tmp_path / "dev.jsonl"
    dev.write_text("\n".join(json.dumps({"text": f"France . {s}", "title": s}) for s in stories))
    told = taught(terminal, "pretraining", base, tmp_path / "texts.jsonl", dev, "--epochs", "40")
    found = terminal("evaluate", "pretraining", str(dev), "--model", told["folder"], "--json").json
    assert found["words"]["top5"] > 0.3 and found["pairs"]["pairs"] == 2
    before = terminal("evaluate", "pretraining", str(dev), "--model", str(base))
    assert before.code == 2 and before.err
