"""What is missing or out of reach is said in one sentence, whatever was started: no traceback, exit code 2."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

KNOWN = ROOT / "resources" / "check" / "lighthouse.txt"
ASK = ("ask", str(KNOWN), "-q", "Who built the lighthouse?")
Start = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as it is installed: without the set-up of a source tree."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(ROOT / "app", folder / "app")  # with what Python has compiled of it
    (folder / "resources").mkdir()
    for entry in (ROOT / "resources").iterdir():
        (folder / "resources" / entry.name).symlink_to(entry)
    return folder


@pytest.fixture
def start(whole: Path) -> Iterator[Start]:
    """Starts the program without some of its files, which are put back afterwards."""
    held: list[tuple[Path, Path]] = []

    def run(
        *arguments: str, without: tuple[str, ...] = (), **environ: str
    ) -> subprocess.CompletedProcess[str]:
        for name in without:
            held.append((whole / name, whole / f"{name}.held"))
            (whole / name).rename(whole / f"{name}.held")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("DISPLAY",))}
        return subprocess.run(
            [sys.executable, "-m", "app", *arguments],
            cwd=whole,
            env=environment | {"QT_QPA_PLATFORM": "offscreen"} | environ,
            capture_output=True,
            text=True,
            timeout=100,
        )

    yield run
    for place, beside in held:
        beside.rename(place)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("app/ui/window/window.py", ()),
        ("app/core/errors.py", ()),
        ("app/core/about.py", ("--help",)),
        ("app/cli/main.py", ASK),
        ("app/engine/process.py", ASK),
        ("app/tasks/qa/spans.py", ASK),
        ("app/documents/plain_text.py", ASK),
        ("app/flows/check/run.py", ("--check",)),
    ],
)
def test_a_missing_module_is_named(start: Start, name: str, arguments: tuple[str, ...]) -> None:
    done = start(*arguments, without=(name,))
    module = name.removesuffix(".py").replace("/", ".")
    assert done.stderr == f"Spanlight is not whole: {module} is missing. Install it again.\n"
    assert (done.returncode, done.stdout) == (2, "")


def test_a_missing_library_is_named(start: Start, tmp_path: Path) -> None:
    (tmp_path / "charset_normalizer.py").write_text("raise ModuleNotFoundError('gone', name=__name__)\n")
    (tmp_path / "a.txt").write_bytes(
        "Caf\xe9 na\xefve \xfcber \xe0 la carte, gar\xe7on.".encode("latin-1") * 9
    )
    done = start("text", str(tmp_path / "a.txt"), PYTHONPATH=str(tmp_path))
    assert done.stderr == "Spanlight is not whole: charset_normalizer is missing. Install it again.\n"
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("resources/samples", (), "Spanlight's own resources are missing. Install it again."),
        ("resources/samples", ("--check",), "Spanlight's own resources are missing. Install it again."),
        ("resources/themes", (), "light.toml is missing. Install it again."),
        ("resources/models", ASK, "No model that can answer questions is installed. Install Spanlight again"),
        ("resources/models.json", ("models", "offered"), "Install Spanlight again"),
    ],
)
def test_missing_resources_are_told(start: Start, name: str, arguments: tuple[str, ...], said: str) -> None:
    done = start(*arguments, without=(name,))
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a screen has a name on Linux only")
@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {"QT_QPA_PLATFORM": "", "DISPLAY": ":4711"},
            "cannot be reached to open a window on (DISPLAY is :4711)",
        ),
        ({"QT_QPA_PLATFORM": "nothing"}, 'Could not find the Qt platform plugin "nothing"'),
        ({"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}, "There is no screen here"),
    ],
)
def test_no_window_is_told_with_what_can_be_done(start: Start, environ: dict[str, str], said: str) -> None:
    done = start(**environ)
    assert said in done.stderr and "spanlight ask FILE" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.returncode == 2


def test_without_a_home_that_can_be_written_to_a_question_is_answered(start: Start, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, which not even root can make folders in")
    done = start(*ASK, SPANLIGHT_HOME=str(tmp_path / "home"))
    assert done.stdout.startswith("Agnes Thorburn\n") and done.returncode == 0
    assert "The history in " in done.stderr and len(done.stderr.splitlines()) == 1
