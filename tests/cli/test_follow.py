from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.helpers.terminal import AsJson, Command


def test_next_for_people(command: Command) -> None:
    code, out, err = command("next", "--first", "The king sat.", "--second", "Then he rose.")
    assert (code, out, err) == (0, "90%\n", "")
    _, out, _ = command("next", "--first", "word " * 500, "--second", "Then " * 500)
    assert out == "90%\nOnly the end of the first and the beginning of the second was read.\n"


def test_next_for_programs(as_json: AsJson) -> None:
    values = as_json("next", "--first", "The king sat.", "--second", "Tarts are sweet.")
    assert values["model"] == "follower"
    (item,) = values["items"]
    assert (item["first"], item["second"]) == ("The king sat.", "Tarts are sweet.")
    assert item["probability"] == 0.12
    assert (item["logits"], item["tokens"], item["cut"]) == ([1.1, -1.1], [3, 3], [False, False])


def test_next_of_many_pairs(command: Command, tmp_path: Path, as_json: AsJson) -> None:
    source = tmp_path / "pairs.jsonl"
    rows = [
        {"first": "The king sat.", "second": "Then he rose."},
        {"first": "word " * 500, "second": "Tarts\nare " + "sweet " * 40},
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, _ = command("next", "--pairs", str(source))
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "  90%  Then he rose."
    assert lines[1].startswith("  12%  Tarts are sweet sweet")
    assert lines[1].endswith("…")
    assert lines[2] == "       Only the end of the first was read."
    assert [item["probability"] for item in as_json("next", "--pairs", str(source))["items"]] == [0.9, 0.12]


def test_next_reads_standard_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"The king sat.\n")))
    code, out, _ = command("next", "--first", "-", "--second", "Then he rose.", "--json")
    assert code == 0
    assert json.loads(out)["items"][0]["first"].strip() == "The king sat."


def test_rows_without_passages_are_refused(command: Command, tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text('{"first": "a"}\n')
    code, _, err = command("next", "--pairs", str(source))
    assert code == 2
    assert "Line 1 of pairs.jsonl has no text under “second”" in err
    source.write_text("")
    code, _, err = command("next", "--pairs", str(source))
    assert code == 2
    assert "There are no passages to compare" in err
