"""ruff over all the code and mypy over the app and its set-up, with the settings in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

# One cache: what it knows of the standard library is found once.
MYPY = ("--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"))


def run(*arguments: str, cwd: Path = ROOT) -> str:
    """What a checker said; empty when it found nothing."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=cwd, capture_output=True, text=True, timeout=280
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    said = run("ruff", "check", "--output-format", "concise", "app", "packaging", "tests")
    assert not said, said


def test_ruff_format_changes_nothing() -> None:
    said = run("ruff", "format", "--check", ".")
    assert not said, said


@pytest.mark.parametrize(
    ("folder", "files"),
    [(".", ["app"]), ("packaging", ["bootstrapping", "bootstrap.py"])],
    ids=["app", "packaging"],
)
def test_mypy_finds_nothing(folder: str, files: list[str]) -> None:
    said = run("mypy", *MYPY, *files, cwd=ROOT / folder)
    assert not said, said


def test_the_checkers_see_a_fault(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("import os\n\n\ndef f(x: int) -> str:\n    return  x\n")
    config = str(ROOT / "pyproject.toml")
    assert "F401" in run("ruff", "check", "--no-cache", "--config", config, str(tmp_path))
    assert "would be reformatted" in run(
        "ruff", "format", "--check", "--no-cache", "--config", config, str(tmp_path)
    )
    assert "return-value" in run("mypy", *MYPY, str(tmp_path / "wrong.py"))
