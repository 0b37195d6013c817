from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main as cli
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.commands import TEXT, Command


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
        monkeypatch.setattr(cli, "open_workspace", lambda paths, early: workspace)
        code = cli.main(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run
