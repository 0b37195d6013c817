from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main as cli
from app.core.models import Head
from app.core.report import Progress, Stopped
from app.core.results import TrainingStep
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.small_models import small_checkpoint

ROOT = Path(__file__).resolve().parent.parent
TEXT = "\ufeffThe King sat.\r\nThe Knave of Hearts 👩‍👩‍👧 stole the tarts. Nobody saw it.\r\n"
DECODED = TEXT[1:].replace("\r\n", "\n")

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "tarts.txt"
    path.write_bytes(TEXT.encode())
    return str(path)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process, on an engine without models."""

    def run(*arguments: str, engine: FakeEngine | None = None) -> tuple[int, str, str]:
        workspace = fake_workspace(tmp_path / "home", engine)
        monkeypatch.setattr(cli, "open_workspace", lambda paths: workspace)
        code = cli.main(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_ask_for_people(command: Command, document: str) -> None:
    code, out, err = command("ask", document, "--question", "What was stolen: tarts?")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["tarts", "Likely, 80 %.", "  The Knave of Hearts 👩‍👩‍👧 stole the tarts."]


def test_no_answer_is_an_answer(command: Command, document: str) -> None:
    code, out, err = command("ask", document, "-q", "Who is the duchess?")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["The text does not say.", "Very likely, 90 %."]


def test_ask_for_programs(command: Command, document: str) -> None:
    code, out, _ = command("ask", document, "--question", "What was stolen: tarts?", "--json")
    values = json.loads(out)
    assert code == 0
    assert DECODED[values["start"] : values["end"]] == values["answer"] == "tarts"
    assert values["sentence"] == "The Knave of Hearts 👩‍👩‍👧 stole the tarts."
    assert values["document"] == document
    assert values["answers"][0]["probability"] == values["probability"] == 0.8
    assert {"question", "no_answer_probability", "model", "device", "windows", "seconds"} <= set(values)
    _, out, _ = command("ask", document, "--question", "Who is the duchess?", "--json")
    values = json.loads(out)
    assert (values["answer"], values["start"], values["end"], values["document"]) == ("", None, None, None)
    assert values["probability"] == values["no_answer_probability"] == 0.9
    assert values["answers"][0]["answer"] == "The"


def test_always_answer_and_threshold(command: Command, document: str) -> None:
    for option in (["--always-answer"], ["--threshold", "0.05"]):
        code, out, _ = command("ask", document, "--question", "Who is the duchess?", *option)
        assert code == 0
        assert out.startswith("The\nVery unlikely, 5 %.\n")


def test_several_files_and_other_places(command: Command, document: str, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Here are tarts too.")
    _, out, _ = command("ask", str(other), "--question", "Where are the tarts?", document, "--top-k", "3")
    assert "Likely, 80 %, in other.txt." in out
    _, out, _ = command("ask", document, str(other), "--question", "Who is the duchess?", "--top-k", "3")
    assert "Other places:\nThe\nVery unlikely, 5 %, in tarts.txt." in out


def test_a_document_cannot_steer_the_terminal(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "evil.txt"
    path.write_bytes(b"The \x1b[31mred\x07 knave\x9b stole\x00 the tarts.")
    _, out, _ = command("ask", str(path), "--question", "What: tarts?")
    assert not any(unicodedata.category(each) == "Cc" for each in out.replace("\n", ""))


def test_standard_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT[1:].encode("utf-16"))))
    _, out, _ = command("ask", "-", "--question", "What was stolen: tarts?", "--json")
    values = json.loads(out)
    assert DECODED[values["start"] : values["end"]] == "tarts"
    assert values["document"] == "standard input"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"good\n")))
    _, out, _ = command("classify", "-")
    assert out.splitlines() == ["positive    90 %", "negative    10 %"]


def test_batch(command: Command, tmp_path: Path) -> None:
    rows = [{"id": n, "context": f"{n} tarts", "question": "What: tarts?"} for n in range(3)]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "out.jsonl"
    code, out, _ = command("ask", "--batch", str(source), "--output", str(output))
    assert code == 0
    assert out.startswith("3 questions answered, in ")
    assert [json.loads(line)["start"] for line in output.read_text().splitlines()] == [2, 2, 2]
    _, out, _ = command("ask", "--batch", str(source), "--output", str(output))
    assert out.startswith("3 questions answered, 3 of them before, in ")


def test_classify(command: Command, tmp_path: Path) -> None:
    code, out, _ = command("classify", "so good", "so bad")
    assert code == 0
    assert (
        out == "so good\npositive    90 %\nnegative    10 %\n\nso bad\nnegative    80 %\npositive    20 %\n"
    )
    _, out, _ = command("classify", "so good", "--json")
    item = json.loads(out)["items"][0]
    assert item["label"] == "positive"
    assert item["probabilities"] == pytest.approx({"negative": 0.1, "positive": 0.9})
    table = tmp_path / "in.csv"
    table.write_text("n,review\n1,so good\n")
    _, out, _ = command("classify", "--file", str(table), "--column", "review")
    assert out.splitlines()[1] == "1,so good,positive,0.900000,0.100000,0.900000"
    code, _, _ = command(
        "classify", "--file", str(table), "--column", "review", "--output", str(tmp_path / "o.csv")
    )
    assert code == 0
    assert (tmp_path / "o.csv").read_text() == out


def test_evaluate_prints_figures(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    answers = [{"text": "tarts", "answer_start": 2}]
    path.write_text(
        json.dumps({"id": "1", "context": "2 tarts", "question": "What: tarts?", "answers": answers})
    )
    code, out, _ = command("evaluate", "qa", str(path))
    assert code == 0
    assert "100.00" in out
    _, out, _ = command("evaluate", "qa", str(path), "--join", "0,2", "--json")
    assert [each["overall"]["f1"] for each in json.loads(out)["measured"]] == [100.0, 100.0]
    path.write_text(json.dumps({"text": "good", "label": 1}))
    code, out, _ = command("evaluate", "classification", str(path))
    assert code == 0
    assert "accuracy 1.0000, macro F1 1.0000" in out


def test_models(command: Command) -> None:
    code, out, _ = command("models")
    assert code == 0
    assert out.startswith("reader\n  Heads: question-answering\n")
    _, out, _ = command("models", "--json")
    assert [card["name"] for card in json.loads(out)["models"]] == ["reader", "classifier"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sing"], "no command"),
        (["ask"], "No file was given"),
        (["ask", "FILE"], "No question was given"),
        (["ask", "FILE", "-q", " "], "question is empty"),
        (["ask", "nowhere.txt", "-q", "Who?"], "no file"),
        (["ask", "-", "-", "-q", "Who?"], "only once"),
        (["ask", "FILE", "-q", "Who?", "--bogus"], "--bogus"),
        (["ask", "FILE", "-q", "Who?", "--top-k", "0"], "--top-k"),
        (["ask", "FILE", "-q", "Who?", "--top-k", "two"], "two is not a whole number"),
        (["ask", "FILE", "-q", "Who?", "--threshold", "1.5"], "--threshold"),
        (["ask", "FILE", "-q", "Who?", "--threshold", "high"], "high is not a number"),
        (["ask", "FILE", "-q", "Who?", "--threshold", "0.5", "--always-answer"], "not allowed"),
        (["ask", "FILE", "-q", "Who?", "--model", "gone"], "no model"),
        (["ask", "FILE", "-q", "Who?", "--output", "x"], "--output goes with --batch"),
        (["ask", "--batch", "FILE"], "Add --output"),
        (["ask", "FILE", "--batch", "FILE", "--output", "x"], "its own texts"),
        (["ask", "--batch", "FILE", "--output", "FOLDER/x.jsonl"], "not a JSON object"),
        (["classify"], "either texts"),
        (["classify", "a", "--batch", "b"], "either texts"),
        (["classify", "--file", "FILE"], "--column"),
        (["classify", "--file", "FILE", "--column", "c"], "no column"),
        (["classify", "--file", "FILE", "--column", "c", "--output", "FILE"], "would overwrite what is read"),
        (["classify", "a", "--output", "b"], "--output goes with"),
        (["evaluate", "sing", "FILE"], "invalid choice"),
        (["evaluate", "qa", "FILE", "--join", "1,x"], "--join"),
        (["evaluate", "qa", "FILE", "--join", "-1"], "--join"),
        (["evaluate", "qa", "nowhere.jsonl"], "There is no file"),
        (["evaluate", "qa", "FILE"], "does not hold examples"),
        (["evaluate", "classification", "FILE", "--fit"], "--fit"),
        (["train", "qa"], "required"),
        (
            [
                "train",
                "qa",
                "--base",
                "x",
                "--examples",
                "FILE",
                "--dev",
                "FILE",
                "--output",
                "y",
                "--option",
                "z",
            ],
            "NAME=NUMBER",
        ),
        (
            ["train", "qa", "--base", "x", "--examples", "FILE", "--dev", "FILE", "--output", "y"],
            "no base model",
        ),
    ],
)
def test_errors_are_one_line_and_exit_code_2(
    command: Command, document: str, tmp_path: Path, arguments: list[str], words: str
) -> None:
    given = [each.replace("FILE", document).replace("FOLDER", str(tmp_path)) for each in arguments]
    code, out, err = command(*given)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["ask", "classify", "evaluate", "train", "models"])
def test_help(command: Command, name: str) -> None:
    code, out, err = command(name, "--help")
    assert (code, err) == (0, "")
    assert f"python3 -m app {name}" in out


def test_a_bug_is_logged_and_exit_code_1(command: Command, document: str, spanlight_home: Path) -> None:
    def fail(request: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    engine = FakeEngine(fail)
    code, out, err = command("ask", document, "-q", "Who?", engine=engine)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "ZeroDivisionError" in err
    log = (spanlight_home / "logs" / "spanlight.log").read_text()
    assert "a bug of ours" in log
    assert "Traceback" in log
    assert engine.closed


def test_stopped_is_exit_code_130(command: Command, document: str) -> None:
    for fault in (Stopped(), KeyboardInterrupt()):

        def stop(request: object, fault: BaseException = fault) -> None:
            raise fault

        engine = FakeEngine(stop)
        assert command("ask", document, "-q", "Who?", engine=engine)[0] == 130
        assert engine.closed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_and_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.cli import terminal

    clock = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    drawn, logged = Terminal(), io.StringIO()
    reports = [terminal.TerminalReport(drawn), terminal.TerminalReport(logged)]
    for now in (0.5, 1.5, 2.0, 10.5, 11.0, 21.0):
        clock[0] = now
        for report in reports:
            report.progress(Progress(int(now * 10), 300, "windows", 42.0))
    for report in reports:
        report.line("A line.")
    assert drawn.getvalue().count("\r\x1b[K") == 6
    assert drawn.getvalue().startswith("\r\x1b[K15 of 300 windows, about 40 seconds left")
    assert logged.getvalue().splitlines() == [
        "105 of 300 windows, about 40 seconds left",
        "210 of 300 windows, about 40 seconds left",
        "A line.",
    ]


def test_training_steps_are_told_with_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.cli import train
    from app.cli.terminal import TerminalReport

    clock = [0.0]
    monkeypatch.setattr(train.time, "monotonic", lambda: clock[0])
    said = io.StringIO()
    report = train.StepReport(TerminalReport(said))
    for now, step in ((100.0, 1), (101.0, 2), (130.0, 31)):
        clock[0] = now
        report.partial(TrainingStep(step, 91, step / 10, 1.5, 1e-4))
    report.partial(TrainingStep(31, 91, 3.1, 1.5, 1e-4, {"f1": 61.234}))
    assert said.getvalue().splitlines() == [
        "step 1 of 91, epoch 0.10: loss 1.5000, learning rate 1.00e-04",
        "step 31 of 91, epoch 3.10: loss 1.5000, learning rate 1.00e-04, about a minute left",
        "step 31 of 91, epoch 3.10: dev f1 61.23",
    ]


# From here on: the real thing, in a process of its own, with real if tiny checkpoints.


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


def test_real_batch_goes_on_after_a_kill(models: Path, tmp_path: Path) -> None:
    rows = [
        {"id": n, "context": f"The knave number {n} stole tarts. " * 5, "question": "Who?"}
        for n in range(400)
    ]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = [
        "ask",
        "--batch",
        str(source),
        "--output",
        str(output),
        "--model",
        str(models / "reader"),
        "--device",
        "cpu",
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
    output.write_bytes(survived + b'{"id": 9999, "ans')
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
