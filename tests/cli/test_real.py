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
from tests.helpers.commands import DECODED
from tests.helpers.small_models import small_checkpoint

# The real thing, in a process of its own, with real if tiny checkpoints.


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    small_checkpoint(folder / "reader")
    small_checkpoint(folder / "classifier", head=Head.CLASSIFICATION)
    return folder


def real(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=200,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["ask", "--help"], ["models"]])
def test_a_reader_who_leaves_makes_no_traceback(arguments: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_real_ask(models: Path, document: str) -> None:
    ended = real(
        "ask",
        document,
        "-q",
        "Who stole the tarts?",
        "--always-answer",
        "--json",
        "--model",
        str(models / "reader"),
    )
    assert ended.returncode == 0, ended.stderr.decode()
    values = json.loads(ended.stdout)
    assert values["model"] == "reader"
    assert len(values["answers"]) > 1
    for answer in values["answers"]:
        assert DECODED[answer["start"] : answer["end"]] == answer["answer"] != ""


def test_real_questions_on_documents(models: Path, tmp_path: Path) -> None:
    texts = {"short.txt": "The knave stole the tarts.\r\n", "long.txt": "The queen made some tarts. " * 2500}
    rows = []
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
        asked = {"file": name, "kind": "fact", "answers": [text[:9]], "places": [[0, 9]]}
        rows += [{"id": f"{name}{n}", "question": f"Who stole {n} tarts?"} | asked for n in range(2)]
    questions, predictions = tmp_path / "questions.jsonl", tmp_path / "said.jsonl"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ended = real(
        *("evaluate", "documents", str(questions), str(tmp_path), "--json"),
        *("--predictions", str(predictions), "--model", str(models / "reader")),
    )
    assert ended.returncode == 0, ended.stderr.decode()
    told = json.loads(ended.stdout)
    assert (told["model"], told["total"], told["windows"] > 8) == ("reader", 4, True)
    said = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
    assert [each["id"] for each in said] == [row["id"] for row in rows]
    for row, each in zip(rows, said, strict=True):
        assert texts[str(row["file"])][each["start"] : each["end"]] == each["answer"] != ""


def test_real_batch_reads_contexts_as_given(models: Path, tmp_path: Path) -> None:
    context = "The king.\r\nThe knave\r stole 👩‍👩‍👧 tarts.\r\n" * 3
    rows = [
        {"id": "a", "context": context, "question": "Who stole the tarts?"},
        {"id": "b", "context": "", "question": "Who?"},
        {"id": "c", "context": " \n", "question": "Who?"},
        {"id": "d", "context": "x\ud800y", "question": "\udfff?"},
    ]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = str(models / "reader")
    ended = real("ask", "--batch", str(source), "--output", str(output), "--always-answer", "--model", model)
    assert ended.returncode == 0, ended.stderr.decode()
    found = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in found] == ["a", "b", "c", "d"]
    assert context[found[0]["start"] : found[0]["end"]] == found[0]["answer"] != ""
    assert (found[1]["answer"], found[1]["start"]) == ("", None)


def test_real_classify_of_a_long_text(models: Path) -> None:
    text = ("The film was wonderful. " * 400).encode()
    ended = real("classify", "-", "--json", "--model", str(models / "classifier"), stdin=text)
    assert ended.returncode == 0, ended.stderr.decode()
    item = json.loads(ended.stdout)["items"][0]
    assert item["windows"] > 1
    assert sum(item["probabilities"].values()) == pytest.approx(1.0)


def test_real_faults(models: Path, document: str) -> None:
    for arguments, words in (
        (["ask", document, "-q", "Who?", "--model", str(models / "classifier")], "classifier"),
        (["ask", document, "-q", "Who?", "--model", str(models / "reader"), "--device", "tpu"], "tpu"),
    ):
        ended = real(*arguments)
        assert ended.returncode == 2
        assert ended.stdout == b""
        assert words in ended.stderr.decode()
        assert len(ended.stderr.decode().strip().splitlines()) == 1


@pytest.mark.parametrize(("command", "model"), [("ask", "reader"), ("classify", "classifier")])
def test_real_batch_goes_on_after_a_kill(models: Path, tmp_path: Path, command: str, model: str) -> None:
    text = "The knave number {} stole tarts. "
    rows = [
        {"id": n, "context": text.format(n) * 5, "question": "Who?", "text": text.format(n) * 5}
        for n in range(400)
    ]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = [
        *(command, "--batch", str(source), "--output", str(output)),
        *("--model", str(models / model), "--device", "cpu"),
    ]
    process = subprocess.Popen([sys.executable, "-m", "app", *arguments], cwd=ROOT, stderr=subprocess.DEVNULL)
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
    ended = real(*arguments, "--json")
    assert ended.returncode == 0, ended.stderr.decode()
    assert json.loads(ended.stdout)["finished_before"] == finished
    assert output.read_bytes().startswith(survived)
    assert [json.loads(line)["id"] for line in output.read_text().splitlines()] == list(range(400))


def test_real_training_goes_on_after_ctrl_c(models: Path, tmp_path: Path) -> None:
    rows = [
        {"text": f"a {word} film {n}", "label": label}
        for n in range(60)
        for label, word in (("bad", "boring"), ("good", "wonderful"))
    ]
    examples = tmp_path / "texts.jsonl"
    examples.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "taught"
    arguments = [
        *("train", "classification", "--base", str(models / "classifier"), "--output", str(output)),
        *("--examples", str(examples), "--dev", str(examples), "--epochs", "20", "--batch-size", "4"),
        *("--evaluate-every", "10000", "--max-length", "32", "--device", "cpu", "--option", "checkpoint_every=5"),
    ]  # fmt: skip
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
    ended = real(*arguments, "--json")
    assert ended.returncode == 0, ended.stderr.decode()
    assert json.loads(ended.stdout)["steps"] == 600 > max(held)
    first = next(line for line in ended.stderr.decode().splitlines() if line.startswith("step "))
    assert int(first.split()[1].replace(",", "")) > min(held)
    found = real("evaluate", "classification", str(examples), "--model", str(output), "--json")
    assert json.loads(found.stdout)["overall"]["accuracy"] == 1.0, found.stderr.decode()


def test_the_command_line_imports_neither_torch_nor_qt(models: Path) -> None:
    code = (
        "import sys; from app.cli.main import main; code = main(['models']);"
        "print({'torch', 'transformers', 'PySide6', 'numpy', 'tokenizers'} & set(sys.modules)); sys.exit(code)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "set()"
