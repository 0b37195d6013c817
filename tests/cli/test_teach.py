"""`teach`, and `classify --labels`, with a small real encoder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main as cli
from app.flows.rows import lock_output
from tests.helpers.teaching import LABELS, TEXTS, table_file, teaching_workspace

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setattr("app.training.contrastive._FEWEST_STEPS", 6)
    monkeypatch.setattr("app.training.contrastive._MOST_STEPS", 6)

    def run(*arguments: str) -> tuple[int, str, str]:
        home = tmp_path / f"home{len(list(tmp_path.iterdir()))}"
        monkeypatch.setattr(cli, "open_workspace", lambda paths, early: teaching_workspace(home))
        code = cli.main(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run


def taught(file: Path, *more: str) -> tuple[str, ...]:
    return ("teach", "classification", str(file), "--text", "message", "--label", "topic", *more)


def test_a_table_is_taught_and_classified_with(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "topics"
    code, out, _ = run(*taught(table_file(tmp_path), "--output", str(output), "--json"))
    found = json.loads(out)
    assert code == 0 and found["examples"] == found["texts"] == len(TEXTS)
    assert set(found["labels"]) == {"cats", "teas"} and 0 <= found["accuracy"] <= 1
    code, out, _ = run("classify", "--model", str(output), "--json", TEXTS[0], TEXTS[1])
    assert code == 0 and [item["label"] for item in json.loads(out)["items"]] == LABELS[:2]


def test_of_two_that_write_one_folder_the_second_is_told(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "topics"
    arguments = taught(table_file(tmp_path), "--output", str(output))
    with lock_output(output):
        code, out, err = run(*arguments)
    assert (code, out) == (2, "") and "is writing “topics” (process" in err and not output.exists()
    assert run(*arguments)[0] == 0 and not list(tmp_path.glob(".*"))
    code, out, err = run(*arguments)
    assert code == 2 and "is there already" in err


def test_texts_equal_to_those_learnt_are_not_measured_on(run: Run, tmp_path: Path) -> None:
    file = table_file(tmp_path)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines, *lines[1:]]) + "\n", encoding="utf-8")
    code, out, _ = run(*taught(file, "--examples", "4", "--output", str(tmp_path / "m"), "--json"))
    found = json.loads(out)
    assert code == 0 and found["examples"] == 8
    assert found["texts"] % 2 == 0 and 2 * len(TEXTS) - 16 <= found["texts"] <= 2 * len(TEXTS) - 8


def test_texts_that_contradict_each_other_are_listed(run: Run, tmp_path: Path) -> None:
    file = table_file(tmp_path)
    file.write_text(file.read_text() + f"99,{TEXTS[0].upper()},teas\n")
    code, out, err = run(*taught(file, "--output", str(tmp_path / "m")))
    assert code == 0 and "cats and teas" in err and "right" in out


@pytest.mark.parametrize(
    "rows",
    ["1,a b,x\n2,c d,x\n", "1,a b,x\n2,c d,y\n3,e f,y\n", "1,,x\n2,,y\n", "1,a b,\n"],
    ids=["one label", "one example", "no text", "no label"],
)
def test_what_cannot_be_learnt_is_one_sentence(run: Run, tmp_path: Path, rows: str) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(f"id,message,topic\n{rows}", encoding="utf-8")
    code, _, err = run(*taught(file, "--output", str(tmp_path / "m")))
    assert code == 2 and len(err.strip().splitlines()) == 1
    assert not (tmp_path / "m").exists()


def test_a_column_that_is_not_there_is_told(run: Run, tmp_path: Path) -> None:
    file = table_file(tmp_path)
    code, _, err = run(
        "teach", "classification", str(file), "--text", "words", "--label", "topic", "--output", "m"
    )
    assert code == 2 and "id, message, topic" in err


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        ("id,message,topic\n1,a b,x\n", "message"),
        ("id;words;topic\n1;the cat sat;cats\n2;tea;teas\n3;tea and bread;teas\n", "words"),
        ("words\ntea\n", "words"),
        ("id,topic\n1,cats\n2,teas\n", ""),
        ("first,second,topic\nthe cat,the mat,x\n", ""),
    ],
)
def test_the_only_column_of_texts_is_taken(run: Run, tmp_path: Path, content: str, taken: str) -> None:
    file = tmp_path / "table.csv"
    file.write_text(content, encoding="utf-8")
    code, out, err = run("classify", "--file", str(file), "--labels", "cats;teas")
    if taken:
        assert code == 0 and f"“{taken}”" in err
        assert len(out.splitlines()) == len(content.splitlines())
    else:
        names = content.splitlines()[0].replace(",", ", ")
        assert code == 2 and names in err and "--column" in err


def test_a_text_file_has_a_text_in_each_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("the cat\n\ntea and bread\n", encoding="utf-8")
    code, out, _ = run("classify", "--file", str(file), "--labels", "cats;teas")
    assert code == 0 and [line.split(",")[0] for line in out.splitlines()] == [
        "text",
        "the cat",
        "tea and bread",
    ]


def test_classes_are_never_written_over_a_file_that_is_there(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "mine.csv"
    output.write_text("mine\n")
    arguments = ("classify", "--file", str(table_file(tmp_path)), "--output", str(output))
    for more in ((), ("--labels", "cats;teas")):
        code, _, err = run(*arguments, *more)
        assert code == 2 and "is there already" in err and output.read_text() == "mine\n"
    output.write_text("")
    assert run(*arguments, "--labels", "cats;teas")[0] == 0 and output.stat().st_size > 100


def test_labels_are_guessed_by_their_words(run: Run, tmp_path: Path) -> None:
    code, out, err = run("classify", "--labels", "cats: the cat; teas", "--json", *TEXTS[:2])
    assert code == 0 and {item["label"] for item in json.loads(out)["items"]} <= {"cats", "teas"}
    assert "irst guess" in err
    output = tmp_path / "out.csv"
    file = table_file(tmp_path, labelled=False)
    given = ("--file", str(file), "--column", "message", "--output", str(output))
    code, _, _ = run("classify", *given, "--labels", "cats;teas")
    lines = output.read_text(encoding="utf-8").splitlines()
    assert code == 0 and lines[0] == "id,message,topic,label,probability,probability cats,probability teas"
    assert len(lines) == len(TEXTS) + 1
    assert run("classify", "--labels", "cats", "words")[0] == 2
    assert run("classify", "--labels", "a;b", "--model", "m", "words")[0] == 2
