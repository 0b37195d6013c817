"""`--check`: what it prints; with `--all` also the whole check in a process of its own, whose home must stay empty."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.cli import check as command
from app.core.about import VERSION
from app.core.errors import SpanlightError
from app.core.report import Report, Stopped
from app.flows.check.trial import CheckReport, TrialResult
from tests.conftest import ROOT

ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("XDG_", "SPANLIGHT", "HF_", "DISPLAY", "WAYLAND", "QT_"))
}


@pytest.mark.long  # each trial is tested with the flow, the window's with the window
def test_everything_works(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    temporary = Path(tempfile.mkdtemp(prefix="check-"))  # short: a socket's path is not long
    done = subprocess.run(
        [sys.executable, "-m", "app", "--check", "--json"],
        cwd=ROOT,
        env=ENVIRONMENT | {"HOME": str(home), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=280,
    )
    said = json.loads(done.stdout)
    assert done.returncode == 0 and said["ok"] and not said["log"], done.stdout + done.stderr
    what = [part["what"] for part in said["parts"]]
    for kind in ("PDF", "Word", "web page", "Markdown", "plain text"):
        assert f"{kind}: opened and read" in what
    assert "The main window, painted with every page" in what
    assert said["versions"]["Spanlight"].startswith(VERSION)
    assert {"torch", "transformers", "tokenizers", "PySide6", "Qt", "pdfium", "device"} <= set(
        said["versions"]
    )
    assert not list(home.rglob("*")) and not list(temporary.rglob("*"))
    temporary.rmdir()


def run_with(monkeypatch: pytest.MonkeyPatch, *arguments: str, found: CheckReport | Exception) -> int:
    def check(window: object, report: Report) -> CheckReport:
        if isinstance(found, Exception):
            raise found
        for part in found.parts:
            report.partial(part)
        return found

    monkeypatch.setattr(command, "check", check)
    return command.main(list(arguments), lambda: print)


PARTS = (TrialResult("One", 0.25), TrialResult("Two", 1.5, "It is\nbroken."))


def test_each_thing_is_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = CheckReport(PARTS, {"Python": "3.11.2"}, 2.0, "engine.log: Illegal instruction")
    assert run_with(monkeypatch, found=found) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[:3] == [
        "ok       0.25 s  One",
        "failed   1.50 s  Two",
        "                 It is broken.",
    ]
    assert "Python               3.11.2" in out
    assert "Illegal instruction" in err
    assert err.endswith("\n1 of 2 things that were tried failed; the first: Two: It is broken.\n")


def test_json_holds_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_with(monkeypatch, "--json", found=CheckReport(PARTS, {"Python": "3"}, 2.0)) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is False and [part["ok"] for part in said["parts"]] == [True, False]
    assert said["parts"][1]["fault"] == "It is\nbroken." and said["versions"] == {"Python": "3"}


def test_what_keeps_it_from_beginning_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_with(monkeypatch, found=SpanlightError("No folder.", "Make room.")) == 2
    assert run_with(monkeypatch, found=Stopped()) == 130
    assert run_with(monkeypatch, "--what", found=CheckReport(())) == 2
    assert capsys.readouterr().err.splitlines()[:2] == ["No folder. Make room.", "Stopped."]
