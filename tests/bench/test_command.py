from __future__ import annotations

import errno
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.bench.results import BenchPart, BenchRow
from app.bench.texts import QUESTIONS_FILE
from app.core.errors import SpanlightError
from app.core.report import Stopped
from tests.conftest import ROOT
from tests.flows.fake_engine import FakeEngine
from tests.helpers.fake_python import fake_python
from tests.helpers.small_models import small_checkpoint
from tests.helpers.terminal import Command


def write(folder: Path) -> None:
    context = "The Knave of Hearts stole the tarts. " + "And so on. " * 20
    answer = {"text": "tarts", "answer_start": context.index("tarts")}
    row = {"id": "1", "context": context, "question": "Did he steal tarts?", "answers": [answer]}
    with lzma.open(folder / QUESTIONS_FILE, "wt") as file:
        file.write(json.dumps(row) + "\n")


def test_a_table_for_people(command: Command, tmp_path: Path) -> None:
    write(tmp_path)
    code, out, err = command("bench", "anytime", "--data", str(tmp_path), "--words", "20")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "reader, on CPU"
    title = "How soon answers are there: 1 question, each about a document of 67 words"
    rows = lines[lines.index(title) + 3 :]
    assert [line.split()[0] for line in rows[:4]] == ["first", "settled", "quick", "final"]
    assert rows[4].split() == ["first", "answer", "is", "the", "final", "one", "100", "%"]


def test_json_for_programs(command: Command, tmp_path: Path) -> None:
    write(tmp_path)
    kept = tmp_path / "kept.json"
    code, out, _ = command("bench", "anytime", "--data", str(tmp_path), "--json", "--output", str(kept))
    values = json.loads(out)
    assert code == 0
    assert values["figures"]["questions"] == len(values["timed"]) == 1
    assert values["figures"]["final_right"] == 1.0
    assert values["timed"][0]["question"] == "Did he steal tarts?"
    assert values["machine"]["threads"] >= 1
    assert values["parts"][0]["rows"][0] | {"value": 0, "worst": 0} == {
        "what": "first answer",
        "value": 0,
        "unit": "s",
        "against": None,
        "more_is_better": False,
        "spread": 0.0,
        "worst": 0,
        "ratio": None,
    }
    assert json.loads(kept.read_text("utf-8")) == values


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sometime"], "sometime"),
        (["reading", "--isa", "sse"], "sse"),
        (["reading", "--size", "huge"], "huge"),
        (["reading", "--words", "0"], "0 is less than 1"),
        (["reading", "--size", "base", "--model", "reader"], "two models"),
        (["reading", "--against", "/nowhere/python"], "There is no Python “/nowhere/python”."),
        (["reading", "--output", "/nowhere/it.json"], "no folder for “/nowhere/it.json”"),
        (["reading", "--output", str(ROOT)], "is a folder."),
        (["anytime", "--bundle", sys.executable], "“anytime” takes no --bundle. It takes --data, "),
        (["anytime", "--repeats", "3"], "“anytime” takes no --repeats."),
        (["window", "--against", sys.executable], "“window” takes no --against."),
        (["window", "--questions", "3"], "“window” takes no --questions."),
        (["window", "--repeats", "3"], "“window” takes no --repeats."),
        (["start", "--data", str(ROOT)], "“start” takes no --data. It takes --repeats, --against."),
        (["start", "--words", "3"], "“start” takes no --words."),
        (["start", "--questions", "3"], "“start” takes no --questions."),
        (["start", "--seed", "3"], "“start” takes no --seed."),
        (["training", "--words", "3"], "“training” takes no --words."),
        (["memory", "--questions", "3"], "“memory” takes no --questions."),
    ],
)
def test_bad_input_is_told_in_one_sentence(command: Command, arguments: list[str], said: str) -> None:
    engine = FakeEngine()
    code, out, err = command("bench", *arguments, engine=engine)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not engine.requests


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_checkpoint(tmp_path_factory.mktemp("models") / "reader"))


def environment(home: Path) -> dict[str, str]:
    return os.environ | {"SPANLIGHT_HOME": str(home)}


def test_real_reading(reader: str, tmp_path: Path) -> None:
    """The command runs with a real model process, which gives the peak, the profile and transformers' own answers."""
    against = ["--against", fake_python(tmp_path)] if sys.platform != "win32" else []
    few = "--words 300 --questions 4 --repeats 1 --device cpu --isa avx2 --json".split()
    ended = subprocess.run(
        [sys.executable, "-m", "app", "bench", "reading", "--model", reader, *few, *against],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert ended.returncode == 0, ended.stderr
    values = json.loads(ended.stdout)
    rows = {row["what"]: row for row in values["parts"][0]["rows"]}
    assert (values["model"], values["instructions"]) == ("reader", "avx2")
    assert rows["best spans that are float32's"]["value"] == 100
    assert rows["peak in float32"]["value"] > 1
    assert 0 < rows["reached while reading"]["value"] < rows["peak in float32"]["value"]
    spent = [row["value"] for what, row in rows.items() if what.startswith("a thousand words:")]
    assert len(spent) > 3 and 0 < min(spent)
    if against:
        assert rows["windows a second"]["ratio"] > 0


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes as Linux lists them")
@pytest.mark.parametrize("with_reference", [False, True])
def test_ctrl_c_stops_at_once_and_leaves_no_process(
    reader: str, tmp_path: Path, with_reference: bool
) -> None:
    slow = "import json, time\nsys.stdin.readline()\ntime.sleep(100)"
    against = ["--against", fake_python(tmp_path, slow)] if with_reference else []
    mark = str(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-m", "app", "bench", "memory", "--model", reader, "--words", "3000000", *against],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        end = time.monotonic() + 60
        # The model process works, or the reference has been asked.
        while len(processes_with(mark)) < (3 if with_reference else 2):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.1)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = process.communicate(timeout=60)
        assert time.monotonic() - began < 10
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "Stopped."
    while processes_with(mark):
        assert time.monotonic() < end + 10
        time.sleep(0.1)


def processes_with(mark: str) -> list[int]:
    """Return the running processes with this in their environment, except those that only track others."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in told and b"resource_tracker" not in told:
            found.append(int(folder.name))
    return found


def test_a_place_that_refuses_files_is_found_out_before_anything_is_measured(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(dir: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("app.bench.command.tempfile.TemporaryFile", refuse)
    engine = FakeEngine()
    code, out, err = command("bench", "anytime", "--output", str(tmp_path / "it.json"), engine=engine)
    assert (code, out) == (2, "")
    assert "cannot be written: Read-only file system." in err
    assert not engine.requests


def measured(name: str) -> BenchPart:
    return BenchPart(name, name.capitalize(), (BenchRow("it", 1.0, "s"),))


def test_a_part_that_fails_is_told_and_the_others_are_there(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> BenchPart:
        raise SpanlightError("It is broken.", "Mend it.")

    parts = {
        "reading": lambda *_: measured("reading"),
        "memory": broken,
        "start": lambda *_: measured("start"),
    }
    monkeypatch.setattr("app.bench.command.PARTS", parts)
    monkeypatch.setattr("app.bench.run.PARTS", parts)
    kept = tmp_path / "kept.json"
    code, out, err = command("bench", "all", "--output", str(kept))
    assert code == 2
    assert err.splitlines()[-1] == "Not everything could be measured: memory. The table tells why."
    assert "Reading\n" in out and "Start\n" in out
    assert out.endswith("Not measured:\n  memory: It is broken. Mend it.\n")
    values = json.loads(kept.read_text("utf-8"))
    assert values["faults"] == {"memory": "It is broken. Mend it."}
    assert [part["name"] for part in values["parts"]] == ["reading", "start"]


@pytest.mark.parametrize(
    ("error", "expected", "said"), [(Stopped(), 130, "Stopped."), (TypeError(), 1, "(TypeError)")]
)
def test_finished_parts_outlive_a_stop(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    expected: int,
    said: str,
) -> None:
    kept = tmp_path / "kept.json"

    def ends(*_: object) -> BenchPart:
        assert [part["name"] for part in json.loads(kept.read_text("utf-8"))["parts"]] == ["reading"]
        raise error

    parts = {"reading": lambda *_: measured("reading"), "memory": ends}
    monkeypatch.setattr("app.bench.command.PARTS", parts)
    monkeypatch.setattr("app.bench.run.PARTS", parts)
    code, out, err = command("bench", "all", "--output", str(kept))
    assert code == expected
    assert said in err
    assert "Reading\n" in out
    assert said in json.loads(kept.read_text("utf-8"))["faults"]["memory"]
