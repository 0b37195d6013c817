from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from app.bench.results import BenchPart, BenchRow
from app.core.errors import SpanlightError
from app.core.report import Stopped
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import Command


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits to see how busy the computer is."""
    monkeypatch.setattr("app.bench.machine.SAMPLE_SECONDS", 0.0)


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
