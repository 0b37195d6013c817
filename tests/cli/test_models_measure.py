from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.terminal import Command

ROWS = [
    ("so good", "positive"),
    ("good for nothing", "negative"),
    ("bad", "negative"),
]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.csv"
    path.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in ROWS))
    return str(path)


def parsed(found: tuple[int, str, str]) -> Any:
    code, out, err = found
    assert code == 0, err
    return json.loads(out)


def test_a_model_is_measured_on_a_file(command: Command, file: str) -> None:
    code, out, err = command("models", "measure", "classifier", file)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "classifier, on CPU"
    assert lines[1].startswith("mine: 3 texts in ")
    assert lines[2].split() == ["Right", "66.7%", "accuracy"]
    kept = parsed(command("models", "measure", "--kept", "--json"))["measures"]
    assert [(one["model"], one["data"], one["right"]) for one in kept] == [("classifier", "mine", "101")]
    assert kept[0]["speed"] > 0


def test_as_json(command: Command, file: str) -> None:
    found = parsed(command("models", "measure", "classifier", file, "--json", "--limit", "2"))
    assert (found["head"], found["examples"], found["data"]) == ("classification", 2, "mine, a part")
    assert set(found["figures"]) == {"accuracy", "macro f1", "calibration error"}


def test_the_sets_that_come_along(command: Command) -> None:
    assert parsed(command("models", "measure", "reader", "--json"))["data"] == "Wikipedia questions"
    assert parsed(command("models", "measure", "finder", "--json"))["data"] == "Names in Wikipedia"
    named = parsed(command("models", "measure", "classifier", "short reviews", "--json"))
    assert named == parsed(command("models", "measure", "classifier", "reviews", "--json")) | {
        name: named[name] for name in ("seconds", "speed", "when")
    }
    assert len(parsed(command("models", "measure", "--sets", "--json"))["sets"]) == 3
    assert "CC BY-SA 4.0" in command("models", "measure", "--sets")[1]


def test_what_is_kept_is_listed(command: Command, file: str) -> None:
    assert command("models", "measure", "--kept")[1] == "Nothing was measured yet.\n"
    command("models", "measure", "classifier", file)
    command("models", "measure", "reader")
    out = command("models", "measure", "--kept")[1]
    assert out.startswith("reader: Wikipedia questions, 130 questions\n")
    assert "classifier: mine, 3 texts\n  Right 66.7%" in out
    assert "reader" not in command("models", "measure", "classifier", "--kept")[1]


def test_labels_that_differ(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "stars.csv"
    path.write_text("text,label\nso good,5\nbad,1\n")
    code, out, err = command("models", "measure", "classifier", str(path))
    assert (code, out) == (2, "")
    assert "5 and 1; classifier says negative and positive" in err
    assert '--labels "negative:' in err
    said = "positive:5,negative:1"
    assert (
        parsed(command("models", "measure", "classifier", str(path), "--labels", said, "--json"))["right"]
        == "11"
    )
    for wrong in ("positive", "positive:", ",", "positive:7", "other:5"):
        assert command("models", "measure", "classifier", str(path), "--labels", wrong)[0] == 2


def test_two_models_are_compared(command: Command, file: str) -> None:
    code, out, err = command("models", "compare", "classifier", "classifier", file)
    assert (code, err) == (0, "")
    assert "Both right 2, only classifier (first) 0, only classifier (second) 0, neither 1." in out
    assert "Both got 2 of 3 texts right, the very same ones. (McNemar, p = 1)" in out
    found = parsed(command("models", "compare", "classifier", "classifier", "--json"))
    assert (found["both"], found["chance"], found["first"]["data"]) == (2, 1.0, "mine")
    code, _, err = command("models", "compare", "classifier", "reader")
    assert code == 2
    assert err
