from __future__ import annotations

import json
import lzma
from pathlib import Path

from app.flows.bench.long_documents import ASKED
from tests.helpers.commands import Command


def write(folder: Path) -> None:
    context = "The Knave of Hearts stole the tarts. " + "And so on. " * 20
    answer = {"text": "tarts", "answer_start": context.index("tarts")}
    row = {"id": "1", "context": context, "question": "Did he steal tarts?", "answers": [answer]}
    with lzma.open(folder / ASKED, "wt") as file:
        file.write(json.dumps(row) + "\n")


def test_a_table_for_people(command: Command, tmp_path: Path) -> None:
    write(tmp_path)
    code, out, err = command("bench", "anytime", "--data", str(tmp_path), "--words", "20")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["reader, on CPU", "1 question, each about a document of 67 words"]
    assert [line.split()[0] for line in lines[4:8]] == ["first", "settled", "quick", "final"]
    assert lines[10].split() == ["first", "100", "%", "100", "%", "100", "%"]


def test_json_for_programs(command: Command, tmp_path: Path) -> None:
    write(tmp_path)
    code, out, _ = command("bench", "anytime", "--data", str(tmp_path), "--json")
    values = json.loads(out)
    assert code == 0
    assert values["figures"]["questions"] == len(values["timed"]) == 1
    assert values["figures"]["final_right"] == 1.0
    assert values["timed"][0]["question"] == "Did he steal tarts?"


def test_without_the_data_one_sentence_says_so(command: Command, tmp_path: Path) -> None:
    code, out, err = command("bench", "anytime", "--data", str(tmp_path / "nowhere"))
    assert (code, out) == (2, "")
    assert err == f"There is no folder “{tmp_path / 'nowhere'}”. Name the one that holds {ASKED}.\n"
    assert command("bench", "anytime")[0] == 2
    assert command("bench", "sometime", "--data", str(tmp_path))[0] == 2
