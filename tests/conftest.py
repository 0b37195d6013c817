"""What every test stands on: no screen, no real settings, no surprises from chance."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.flows.fake_engine import FakeEngine
    from tests.helpers.terminal import Command

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"

# Before anything imports Qt or asks where data is kept.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ["HF_HUB_OFFLINE"] = "1"
# Processes share the cores: threads of PyTorch that wait for work leave them to the others.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
_HOME = tempfile.mkdtemp(prefix="spanlight-tests-")
os.environ["SPANLIGHT_HOME"] = _HOME
_numbers = itertools.count()

settings.register_profile(
    "spanlight",
    deadline=None,
    max_examples=25,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("thorough", parent=settings.get_profile("spanlight"), max_examples=100)
settings.register_profile(
    "search", parent=settings.get_profile("spanlight"), derandomize=False, max_examples=2000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "spanlight"))

# What tests write need not outlive a power cut: nothing in this process waits for the disk.
os.fsync = lambda handle: None
_connect = sqlite3.connect


def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
    """SQLite's own, without waiting."""
    connection = _connect(*arguments, **options)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


sqlite3.connect = connect

# A module goes to one process: those that take longest come first, so that none is left alone with one at the end.
LONGEST = (
    "test_style.py",
    "test_offline.py",
    "cli/test_models_download.py",
    "cli/test_real.py",
    "documents/recognition/test_engine.py",
    "flows/teach/test_reader.py",
    "hostile/test_documents.py",
    "hostile/test_kills.py",
    "training/test_trainer.py",
    "ui/accessibility/test_keys.py",
    "ui/accessibility/test_places.py",
    "ui/ask/test_across.py",
    "ui/ask/test_page_recogniser.py",
    "ui/languages/test_pages.py",
    "ui/models/test_offered_section.py",
    "ui/window/test_real_engine.py",
    "ui/window/test_start.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest modules first, all others in their order."""
    first = {ROOT / "tests" / name for name in LONGEST}
    items.sort(key=lambda item: item.path not in first)


# What importing and collecting make stays to the end: no search for garbage goes through it, and later ones are few.
gc.disable()


def pytest_collection_finish() -> None:
    """Search for garbage from here on."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_unconfigure() -> None:
    """Take the tests' own home folder away again; pytest's last searches for garbage find little to go through."""
    gc.freeze()
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(autouse=True)
def spanlight_home(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh place for settings, drafts and models, one for each test; it is made by what writes there first."""
    home = Path(_HOME, str(next(_numbers)))
    monkeypatch.setenv("SPANLIGHT_HOME", str(home))
    return home


@pytest.fixture(scope="session", autouse=True)
def starters_read_once() -> None:
    """What comes along does not change: each home that is opened would take 0.3 s to read its cards."""
    from app.models.disk import installed

    read = installed.read_card
    of_starter = cache(read)
    starters = ROOT / "resources" / "models"
    installed.read_card = lambda folder: (of_starter if Path(folder).parent == starters else read)(folder)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data sets and documents that lies beside the code where the makers work."""
    if not DATA.is_dir():
        pytest.skip(f"needs the data sets in {Path('..') / 'shared' / 'data'}, which are not here")
    return DATA


@pytest.fixture(scope="session")
def screen() -> Iterator[dict[str, str]]:
    """The environment of a process that opens real windows: an X server that nobody looks at."""
    server = shutil.which("Xvfb")
    if not sys.platform.startswith("linux"):
        pytest.skip("real windows are tested on Linux only, on a virtual X server")
    if server is None:
        pytest.skip("real windows were not tested: there is no Xvfb here (apt-get install xvfb)")
    process = subprocess.Popen(
        [server, "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        number = process.stdout.readline().strip()  # written once the server takes connections
        assert number.isdigit(), "Xvfb ended before it had a display"
        environment = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        yield environment | {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process, on an engine without models."""
    from app.cli import main as cli
    from tests.flows.fake_engine import fake_workspace

    def run(*arguments: str, engine: FakeEngine | None = None) -> tuple[int, str, str]:
        workspace = fake_workspace(tmp_path / "home", engine)
        monkeypatch.setattr(cli, "open_workspace", lambda paths, early: workspace)
        code = cli.main(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run
