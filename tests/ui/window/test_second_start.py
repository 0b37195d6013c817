"""Two real starts under a real window manager: one window, with the files of both."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.flows.second_start import name_of
from tests.conftest import ROOT
from tests.helpers.windows import open_there

# A window of another program, which the person is at work in.
OTHER = """
from PySide6.QtWidgets import QApplication, QLineEdit
application = QApplication([])
line = QLineEdit()
line.setWindowTitle("Other")
line.resize(1500, 900)
line.show()
application.exec()
"""
pytestmark = pytest.mark.real_window


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


class Desktop:
    """A screen with a window manager, and starts of Spanlight on it."""

    def __init__(self, environment: dict[str, str], home: Path) -> None:
        self._environment = environment | {
            "SPANLIGHT_HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "PYTHONFAULTHANDLER": "1",
        }
        self.home = home
        self.processes: list[subprocess.Popen[bytes]] = []
        self._manager: subprocess.Popen[bytes] | None = None

    def run(self, *command: str) -> str:
        return subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=20
        ).stdout

    def open(self, *command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, env=self._environment, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def start(self, *files: str, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-m", "app", *files], cwd=cwd, env=self._environment)
        self.processes.append(process)
        return process

    def manage(self) -> None:
        """Have the window manager at work; an X server that has just lost its last window may refuse it at first."""

        def managed() -> bool:
            if self._manager is None or self._manager.poll() is not None:
                self._manager = subprocess.Popen(
                    ["openbox"], env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            return "#" in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")

        until(managed)

    def close(self) -> None:
        """End all that was started, the window manager last."""
        for process in self.processes:
            process.kill()
            process.wait()
        assert self._manager is not None
        self._manager.terminate()
        self._manager.wait()

    def windows(self) -> list[str]:
        """The names of all windows that are managed."""
        listed = self.run("xprop", "-root", "_NET_CLIENT_LIST").partition("#")[2]
        ids = [each.strip() for each in listed.split(",") if each.strip()]
        return [
            self.run("xprop", "-id", each, "WM_NAME").partition("= ")[2].strip().strip('"') for each in ids
        ]

    def active(self) -> str:
        """The name of the window that the person is in."""
        found = self.run("xprop", "-root", "_NET_ACTIVE_WINDOW").partition("#")[2].strip()
        return self.run("xprop", "-id", found, "WM_NAME").partition("= ")[2].strip().strip('"')

    def opened(self) -> list[str]:
        """The files opened, in their order, once all windows are closed."""
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            process.wait(60)
        file = self.home / "config" / "settings.json"
        return list(reversed(json.loads(file.read_text("utf-8"))["recent_files"])) if file.exists() else []


@pytest.fixture
def desktop(screen: dict[str, str], spanlight_home: Path) -> Iterator[Desktop]:
    for program in ("openbox", "xprop"):
        if shutil.which(program) is None:
            pytest.skip(f"a window manager's doing was not tested: there is no {program} here")
    made = Desktop({name: value for name, value in screen.items() if "STARTUP" not in name}, spanlight_home)
    made.manage()
    yield made
    made.close()


def names(*files: Path) -> list[Path]:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("The tide is highest at noon.", encoding="utf-8")
    return list(files)


def test_a_second_start_hands_over_and_the_window_comes_up(desktop: Desktop, tmp_path: Path) -> None:
    beside, named, plain = names(
        tmp_path / "a folder/a b ü 😀.txt", tmp_path / "100% #1.md", tmp_path / "c.txt"
    )
    window = desktop.start(str(plain))
    until(lambda: "Spanlight" in desktop.windows())
    other = desktop.open(sys.executable, "-c", OTHER)
    until(lambda: desktop.active() == "Other")
    assert desktop.start(beside.name, cwd=beside.parent).wait(20) == 0
    until(lambda: desktop.active() == "Spanlight")
    began = time.monotonic()
    assert desktop.start(named.as_uri(), cwd=Path("/")).wait(20) == 0
    # 0.12 s on an idle machine; what it must not do is to open a window first.
    assert time.monotonic() - began < 3
    assert desktop.windows().count("Spanlight") == 1 and window.poll() is None and other.poll() is None
    until(lambda: open_there(desktop.home) == [str(plain), str(beside), str(named)])


def test_two_starts_at_the_same_moment_are_one_window(desktop: Desktop, tmp_path: Path) -> None:
    files = names(*(tmp_path / f"{name}.txt" for name in "abc"))
    starts = [desktop.start(str(file)) for file in files]
    until(lambda: sum(start.poll() is not None for start in starts) == 2)
    until(lambda: "Spanlight" in desktop.windows())
    assert desktop.windows().count("Spanlight") == 1
    assert sorted(start.returncode or 0 for start in starts) == [0, 0, 0]
    until(lambda: sorted(open_there(desktop.home)) == [str(file) for file in files])


def test_a_killed_window_leaves_its_place_and_a_stuck_one_does_not(desktop: Desktop, tmp_path: Path) -> None:
    (file,) = names(tmp_path / "a.txt")
    killed = desktop.start()
    until(lambda: "Spanlight" in desktop.windows())
    killed.kill()
    killed.wait()
    stuck = desktop.start()
    until(lambda: "Spanlight" in desktop.windows())
    assert desktop.start().wait(20) == 0  # it listens
    stuck.send_signal(signal.SIGSTOP)
    beside = desktop.start(str(file))
    until(lambda: desktop.windows().count("Spanlight") == 2)
    stuck.send_signal(signal.SIGCONT)
    assert desktop.start().wait(20) == 0 and beside.poll() is None  # the first one still has the name
    stuck.terminate()
    assert stuck.wait(60) == 0
    settings = json.loads((desktop.home / "config" / "settings.json").read_text("utf-8"))
    assert not settings["recent_files"]  # it was not handed what the other one opened
    until(Path(name_of(desktop.home / "data")).exists)  # the other one has it now
    assert desktop.start().wait(20) == 0 and desktop.windows().count("Spanlight") == 1
    assert desktop.opened() == [str(file)]


def test_the_second_start_imports_no_window(desktop: Desktop) -> None:
    desktop.start()
    until(lambda: "Spanlight" in desktop.windows())
    code = "import sys; from app.__main__ import main; print(main([]), *sorted(sys.modules))"
    done = desktop.run(sys.executable, "-c", code).split()
    assert done[0] == "0" and "app.flows.second_start" in done
    assert not [name for name in done if name.startswith(("PySide6", "app.ui", "ssl"))]
