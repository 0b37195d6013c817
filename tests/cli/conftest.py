"""Documents, and the command line in real folders; all commands share their processes, and try models out here."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli import main as cli
from app.cli.terminal import TerminalReport
from app.engine.client import Engine
from app.flows.models import installing
from app.flows.workspace import Workspace
from app.settings import settings as settings_file
from app.settings.paths import Paths
from tests.flows.fake_engine import FakeEngine
from tests.helpers.downloading import LastingDownloads
from tests.helpers.installing import TrialHere
from tests.helpers.terminal import TEXT, AsJson, Command, Terminal


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "tarts.txt"
    path.write_bytes(TEXT.encode())
    return str(path)


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make standard input a terminal, and standard error one as far as questions go."""
    before = TerminalReport.__init__

    def on_terminal(report: TerminalReport, *given: Any) -> None:
        before(report, *given)
        report.on_terminal = True

    monkeypatch.setattr(TerminalReport, "__init__", on_terminal)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)


@pytest.fixture
def as_json(command: Command) -> AsJson:
    def as_json(*arguments: str, engine: FakeEngine | None = None) -> Any:
        code, out, _ = command(*arguments, "--json", engine=engine)
        assert code == 0
        return json.loads(out)

    return as_json


class LastingEngine(Engine):
    """A model process that outlives the commands."""

    def close(self) -> None:
        """Leave the process running for the next command."""


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LastingEngine]:
    engine = LastingEngine(tmp_path_factory.mktemp("log") / "engine.log")
    yield engine
    Engine.close(engine)


@pytest.fixture(scope="session")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LastingDownloads]:
    downloads = LastingDownloads(tmp_path_factory.mktemp("log") / "download.log")
    yield downloads
    downloads.end()


@pytest.fixture
def terminal(
    engine: LastingEngine,
    downloads: LastingDownloads,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Terminal:
    """Runs commands in this process; models and downloads have processes that all commands share."""

    def opened(paths: Paths, early: object) -> Workspace:
        workspace = Workspace(settings_file.load(paths.settings_file), paths, engine=engine)
        workspace.downloads = downloads
        return workspace

    monkeypatch.setattr(cli, "open_workspace", opened)
    monkeypatch.setattr(installing, "Engine", TrialHere)
    return Terminal(tmp_path / "home", monkeypatch, capsys)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two documents to ask."""
    folder = tmp_path / "Leases"
    folder.mkdir()
    (folder / "first.txt").write_text("The landlord is Anna.")
    (folder / "second.md").write_text("The tenant is Ben.")
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> str:
    path = tmp_path / "checks.txt"
    path.write_text("1. Who is Anna?\n2. Who is Ben?\n")
    return str(path)


@pytest.fixture
def fill_table(command: Command, folder: Path, questions: str) -> Command:
    """Runs `table`: the questions asked of the folder, their answers to be written to a file."""

    def fill(output: Path, *more: str, engine: FakeEngine | None = None) -> tuple[int, str, str]:
        return command(
            "table", questions, "--over", str(folder), "--output", str(output), *more, engine=engine
        )

    return fill
