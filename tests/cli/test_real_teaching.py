"""Taught and measured for real, each in a process of its own: names, and masked words with next sentences."""

import json
from pathlib import Path

import pytest

from tests.cli.test_real import real
from tests.helpers.small_models import small_checkpoint


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "base")


def taught(task: str, base: Path, examples: Path, dev: Path, output: Path, *more: str) -> dict:
    ended = real(
        *("train", task, "--base", str(base), "--examples", str(examples), "--dev", str(dev), "--output", str(output)),
        *("--max-length", "32", "--batch-size", "8", "--learning-rate", "0.004", "--dropout", "0", "--device", "cpu"),
        *("--evaluate-every", "10000", "--option", "bfloat16=0", "--json", *more),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


def test_names_are_taught_found_and_measured(base: Path, tmp_path: Path) -> None:
    rows = [
        {"tokens": ["the", name, "came", "to", place, "."], "tags": ["O", "B-PER", "O", "O", "B-LOC", "O"]}
        for name in ("king", "queen", "knave", "alice")
        for place in ("paris", "france", "london")
        for _ in range(4)
    ]
    path = tmp_path / "names.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    told = taught("tokens", base, path, path, tmp_path / "names", "--epochs", "12", "--option", "join=2")
    assert told["dev"]["f1"] > 0.95
    ended = real("evaluate", "tokens", str(path), "--model", told["folder"], "--record", "--json")
    found = json.loads(ended.stdout)
    assert found["overall"]["f1"] == pytest.approx(told["dev"]["f1"], abs=0.02), ended.stderr.decode()
    assert set(found["by_kind"]) == {"LOC", "PER"}
    kept = json.loads((tmp_path / "names" / "spanlight.json").read_text())
    assert kept["measured"]["names"]["f1"] == pytest.approx(found["overall"]["f1"], abs=1e-4)


def test_pretraining_is_taught_and_measured(base: Path, tmp_path: Path) -> None:
    stories = ("The king took the tarts . The queen was sad . ", "A film was bad . The book was wonderful . ")
    leads = "king queen knave alice man river book film city war capital movie".split()
    rows = [{"text": f"{lead} . {stories[i % 2]}", "title": str(i)} for i, lead in enumerate(leads)]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    dev = tmp_path / "dev.jsonl"
    dev.write_text("\n".join(json.dumps({"text": f"France . {s}", "title": s}) for s in stories))
    told = taught("pretraining", base, tmp_path / "texts.jsonl", dev, tmp_path / "words", "--epochs", "40")
    ended = real("evaluate", "pretraining", str(dev), "--model", told["folder"], "--json")
    assert ended.returncode == 0, ended.stderr.decode()
    found = json.loads(ended.stdout)
    assert found["words"]["top5"] > 0.3 and found["pairs"]["pairs"] == 2
    before = real("evaluate", "pretraining", str(dev), "--model", str(base))
    assert before.returncode == 2 and before.stderr.decode().strip()
