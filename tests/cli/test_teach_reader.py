"""`teach reader`, with a small real reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import main as cli
from tests.helpers.teaching import corrections, question_row, reader_workspace

Run = Callable[..., tuple[int, str, str]]
ROWS = [question_row(at) for at in range(20)]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setattr(cli, "open_workspace", lambda paths, early: reader_workspace(tmp_path / "home"))

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(["teach", "reader", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def rows_file(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def test_a_reader_is_taught_from_the_history(run: Run, tmp_path: Path) -> None:
    workspace = reader_workspace(tmp_path / "home")
    for one in corrections(20):
        workspace.corrections.put(one)
    workspace.close()
    code, out, _ = run("--output", str(tmp_path / "mine"), "--json")
    found = json.loads(out)
    assert code == 0 and (found["base"], found["corrections"]) == ("reader", 20)
    assert found["held"]["after"]["questions"] >= 3 and isinstance(found["is_better"], bool)
    assert (tmp_path / "mine" / "model.safetensors").is_file()


def test_a_reader_is_taught_from_a_file_into_the_folder_where_one_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "mine"
    output.mkdir()
    with monkeypatch.context() as inside:
        inside.chdir(output)
        code, out, err = run("--from", rows_file(tmp_path, ROWS), "--model", "reader", "--output", ".")
        inside.chdir(tmp_path)
    assert code == 0 and "20 corrections" in out and "before" in out and str(output) in out
    assert "dev f1" in err
    code, _, err = run("--from", rows_file(tmp_path, ROWS), "--output", str(output))
    assert code == 2 and "there already" in err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--from", "history"),
        ("--from", "nowhere.jsonl"),
        ("--from", "few"),
        ("--from", "contradicting"),
        ("--from", "astray"),
        ("--model", "nobody"),
    ],
)
def test_what_cannot_be_learnt_is_one_sentence(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    answers = {"answers": [{"text": "took", "answer_start": 9}]}
    made = {
        "few": ROWS[:3],
        "contradicting": [*ROWS, ROWS[0] | {"answers": []}],
        "astray": [*ROWS, ROWS[0] | {"id": "x"} | answers],
    }
    given = [rows_file(tmp_path, made[each]) if each in made else each for each in arguments]
    code, out, err = run(*given, "--output", str(tmp_path / "mine"))
    assert (code, out) == (2, "") and len(err.strip().splitlines()) == 1
    assert not [*tmp_path.glob("mine"), *tmp_path.glob("mine.t*")]
