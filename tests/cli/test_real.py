"""Commands with real, tiny checkpoints: some in a process of their own, the others with one model process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.core.models import Head
from tests.conftest import ROOT
from tests.helpers.small_models import small_checkpoint
from tests.helpers.terminal import DECODED, Terminal

MODEL = ("--device", "cpu", "--json", "--model")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    small_checkpoint(folder / "reader")
    small_checkpoint(folder / "classifier", head=Head.CLASSIFICATION)
    small_checkpoint(folder / "filler", head=Head.MASKED_WORDS)
    small_checkpoint(
        folder / "finder", "bert", Head.TOKEN_CLASSIFICATION, ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
    )
    return folder


def real(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=200
    )


def json_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("arguments", [["--help"], ["models"]])
def test_a_reader_who_leaves_makes_no_traceback(arguments: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


def test_ask_in_processes_of_their_own(models: Path, document: str) -> None:
    """The command, its documents process and its model process."""
    ended = real(
        "ask", document, "-q", "Who stole the tarts?", "--always-answer", *MODEL, str(models / "reader")
    )
    assert ended.returncode == 0, ended.stderr
    values = json.loads(ended.stdout)
    assert values["model"] == "reader"
    assert len(values["answers"]) > 1
    for answer in values["answers"]:
        assert DECODED[answer["start"] : answer["end"]] == answer["answer"] != ""


def test_questions_on_documents(terminal: Terminal, models: Path, tmp_path: Path) -> None:
    texts = {"short.txt": "The knave stole the tarts.\r\n", "long.txt": "The queen made some tarts. " * 700}
    rows = []
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
        asked = {"file": name, "kind": "fact", "answers": [text[:9]], "places": [[0, 9]]}
        rows += [{"id": f"{name}{n}", "question": f"Who stole {n} tarts?"} | asked for n in range(2)]
    questions, predictions = tmp_path / "questions.jsonl", tmp_path / "said.jsonl"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = terminal(
        *("evaluate", "documents", str(questions), str(tmp_path)),
        *("--predictions", str(predictions), *MODEL, str(models / "reader")),
    ).json
    assert (told["model"], told["total"], told["windows"] > 8) == ("reader", 4, True)
    said = json_lines(predictions)
    assert [each["id"] for each in said] == [row["id"] for row in rows]
    for row, each in zip(rows, said, strict=True):
        assert texts[str(row["file"])][each["start"] : each["end"]] == each["answer"] != ""


def test_a_batch_reads_contexts_as_given(terminal: Terminal, models: Path, tmp_path: Path) -> None:
    context = "The king.\r\nThe knave\r stole 👩‍👩‍👧 tarts.\r\n" * 3
    rows = [
        {"id": "a", "context": context, "question": "Who stole the tarts?"},
        {"id": "b", "context": "", "question": "Who?"},
        {"id": "c", "context": " \n", "question": "Who?"},
        {"id": "d", "context": "x\ud800y", "question": "\udfff?"},
    ]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    batch = ("--batch", str(source), "--output", str(output), "--always-answer")
    said = terminal("ask", *batch, *MODEL, str(models / "reader"))
    assert said.code == 0, said.err
    found = json_lines(output)
    assert [row["id"] for row in found] == ["a", "b", "c", "d"]
    assert context[found[0]["start"] : found[0]["end"]] == found[0]["answer"] != ""
    assert (found[1]["answer"], found[1]["start"]) == ("", None)


def test_classify_a_long_text(terminal: Terminal, models: Path) -> None:
    said = terminal("classify", "The film was wonderful. " * 400, *MODEL, str(models / "classifier"))
    (item,) = said.json["items"]
    assert item["windows"] > 1
    assert sum(item["probabilities"].values()) == pytest.approx(1.0)


def test_fill(terminal: Terminal, models: Path) -> None:
    text = "the ___ stole the tarts"
    (blank,) = terminal("fill", text, "--word", "king", *MODEL, str(models / "filler")).json["blanks"]
    assert text[blank["start"] : blank["end"]] == "___"
    assert len(blank["words"]) == 10
    assert blank["asked"]["word"] == "king" and blank["asked"]["rank"] >= 1
    assert 0 < blank["asked"]["probability"] < 1


def test_tokens(terminal: Terminal, models: Path, document: str) -> None:
    values = terminal("tokens", document, *MODEL, str(models / "finder")).json
    (only,) = values["documents"]
    assert values["types"] == ["PER", "LOC"]
    assert only["words"] == 17
    assert only["names"]
    assert all(DECODED[name["start"] : name["end"]] == name["text"] for name in only["names"])


def test_inspect(terminal: Terminal, models: Path) -> None:
    text = "The Knave stole the tarts. Alice looked on."
    given = ("--text", text, "--question", "Who stole the tarts?")
    values = terminal("inspect", "why", *given, *MODEL, str(models / "reader")).json
    assert len(values["shares"]) == len(values["window"]["tokens"])
    assert sum(values["shares"]) == pytest.approx(values["score"] - values["baseline"], abs=1e-3)
    assert values["target"].strip("“”") in text


@pytest.mark.parametrize(("given", "words"), [("classifier", "classifier"), ("reader --device tpu", "tpu")])
def test_faults(terminal: Terminal, models: Path, document: str, given: str, words: str) -> None:
    model, *more = given.split()
    said = terminal("ask", document, "-q", "Who?", "--model", str(models / model), *more)
    assert (said.code, said.out) == (2, "")
    assert words in said.err and len(said.err.splitlines()) == 1


def test_a_batch_goes_on_after_a_kill(terminal: Terminal, models: Path, tmp_path: Path) -> None:
    rows = [
        {"id": n, "context": f"The knave number {n} stole tarts. " * 5, "question": "Who?"}
        for n in range(100)
    ]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["ask", "--batch", str(source), "--output", str(output), *MODEL, str(models / "reader")]
    process = subprocess.Popen(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 200
        while not (output.exists() and output.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    survived = output.read_bytes()
    finished = survived.count(b"\n")
    assert 0 < finished < len(rows)
    output.write_bytes(survived + b'{"id": 9999, "la')
    ended = terminal(*arguments)
    assert ended.code == 0, ended.err
    assert ended.json["finished_before"] == finished
    assert output.read_bytes().startswith(survived)
    assert [row["id"] for row in json_lines(output)] == list(range(100))


def test_training_goes_on_after_ctrl_c(terminal: Terminal, models: Path, tmp_path: Path) -> None:
    rows = [
        {"text": f"a {word} film {n}", "label": label}
        for n in range(20)
        for label, word in (("bad", "boring"), ("good", "wonderful"))
    ]
    examples = tmp_path / "texts.jsonl"
    examples.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "taught"
    arguments = [
        *("train", "classification", "--base", str(models / "classifier"), "--output", str(output)),
        *("--examples", str(examples), "--dev", str(examples), "--epochs", "6", "--batch-size", "4"),
        *("--learning-rate", "0.004", "--evaluate-every", "10000", "--max-length", "32", "--device", "cpu"),
        *("--option", "checkpoint_every=20", "--option", "workers=2", "--option", "bfloat16=0"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    )
    deadline = time.monotonic() + 200
    while not list(tmp_path.glob("taught.run/step-*/state.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err.decode()
    assert err.decode().splitlines()[-1] == "Stopped."
    assert "Traceback" not in err.decode()
    assert not output.exists()
    held = [int(path.name.removeprefix("step-")) for path in (tmp_path / "taught.run").glob("step-*[0-9]")]
    ended = terminal(*arguments, "--json")
    assert ended.code == 0, ended.err
    told = ended.json
    assert told["steps"] == 60 > max(held)
    first = next(line for line in ended.err.splitlines() if line.startswith("step "))
    assert int(first.split()[1].replace(",", "")) > min(held)
    assert told["dev"]["accuracy"] == 1.0
