"""A first start for real, in a folder of its own, with wheels of a few lines in place of the large packages."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import ROOT


def make_wheel(folder: Path, name: str, version: str, module: str, needs: tuple[str, ...] = ()) -> Path:
    """A wheel with one module that says its version."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        *(f"Requires-Dist: {n}" for n in needs),
    ]
    files = {
        f"{module}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": "\n".join(lines) + "\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for inside, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(inside, text)
    return path


PYPROJECT = """
[project]
name = "spanlight"
dependencies = [
    "torch>=2.10,<3",
    "transformers>=5.5,<6",
    "PySide6-Essentials>=6.8,<7,!=6.12.0; python_version < '3.99'",
    "PySide6-Essentials>=99; python_version >= '3.99'",
    "spanlight-probe>={probe}",
]
[project.optional-dependencies]
test = ["spanlight-test-probe>=1"]
[tool.spanlight]
tested = ["torch==2.13.0", "transformers==5.23.0", "PySide6-Essentials==6.11.3"]
"""
CLI = """
import sys
def main(argv, early):
    import spanlight_probe, torch
    print("ran", argv, torch.VERSION, spanlight_probe.VERSION, sys.prefix)
    return 7
"""


# Every address is behind a proxy that is not there.
NOWHERE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
Done = subprocess.CompletedProcess[str]


class House:
    """A copy of what a start needs, with a command line that says where it ran."""

    def __init__(self, folder: Path, wheels: Path) -> None:
        self.root = folder
        self.wheels = wheels
        self.venv = folder / ".venv"
        for inside in ("app/__init__.py", "app/__main__.py", "app/core/__init__.py", "app/core/about.py"):
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / inside, folder / inside)
        shutil.copytree(
            ROOT / "packaging", folder / "packaging", ignore=shutil.ignore_patterns("__pycache__")
        )
        (folder / "app" / "cli").mkdir()
        (folder / "app" / "cli" / "main.py").write_text(CLI)
        (folder / "app" / "flows").mkdir()
        (folder / "app" / "flows" / "early.py").write_text("def begin(arguments):\n    return None\n")
        self.ask_for_probe("1")

    def ask_for_probe(self, version: str) -> None:
        (self.root / "pyproject.toml").write_text(PYPROJECT.format(probe=version))

    def environment(self, offline: bool = False) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        environment |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
        if offline:
            environment |= NOWHERE
        else:
            environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)}
        return environment

    def start(self, *argv: str, python: str = sys.executable, offline: bool = False) -> Done:
        command = [python, "-m", "app", *(argv or ("models", "--json"))]
        environment = self.environment(offline)
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=200
        )


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for version in ("2.9.0", "2.13.0+cpu", "2.15.0"):
        make_wheel(folder, "torch", version, "torch")
    make_wheel(folder, "transformers", "5.23.0", "transformers", ("torch",))
    make_wheel(folder, "PySide6-Essentials", "6.11.3", "PySide6")
    for version in ("1.0", "2.0"):
        make_wheel(folder, "spanlight-probe", version, "spanlight_probe")
    return folder


@pytest.fixture(scope="module")
def set_up(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> tuple[House, Done]:
    """A house whose first start has been."""
    house = House(tmp_path_factory.mktemp("house"), wheels)
    return house, house.start()


def test_the_first_start_sets_up_and_hands_over(set_up: tuple[House, Done]) -> None:
    house, first = set_up
    assert first.returncode == 7, first.stderr
    # The tested version, not the newest; nothing but the command's own words on standard output.
    assert first.stdout == f"ran ['models', '--json'] 2.13.0+cpu 2.0 {house.venv}\n"
    assert "[1/3]" in first.stderr and "[3/3]" in first.stderr and "set up" in first.stderr
    assert (house.venv / "spanlight-ready").read_text().count("\n") == 2
    assert not (house.venv / "spanlight-unfinished").exists()


def test_later_starts_install_nothing_and_say_nothing(set_up: tuple[House, Done]) -> None:
    house, _ = set_up
    before = (house.venv / "spanlight-ready").stat().st_mtime_ns
    again = house.start("ask", "x", "--question", "a b")
    assert (again.returncode, again.stderr) == (7, "")
    assert again.stdout.startswith("ran ['ask', 'x', '--question', 'a b']")
    assert (house.venv / "spanlight-ready").stat().st_mtime_ns == before


def test_from_inside_its_own_environment(set_up: tuple[House, Done]) -> None:
    house, _ = set_up
    own = str(house.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    inside = house.start(python=own)
    assert (inside.returncode, inside.stderr) == (7, "")


def test_another_environment_that_has_everything_is_used(set_up: tuple[House, Done], tmp_path: Path) -> None:
    first, _ = set_up
    other = House(tmp_path, first.wheels)
    own = str(first.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    done = other.start(python=own)
    assert (done.returncode, done.stderr) == (7, "")
    assert str(first.venv) in done.stdout
    assert not other.venv.exists()


def test_a_lost_stamp_costs_no_download(set_up: tuple[House, Done]) -> None:
    house, _ = set_up
    (house.venv / "spanlight-ready").unlink()
    done = house.start(offline=True)
    assert (done.returncode, done.stderr) == (7, "")


def test_changed_needs_are_met_and_torch_stays(set_up: tuple[House, Done]) -> None:
    house, _ = set_up
    make_wheel(house.wheels, "spanlight-probe", "3.0", "spanlight_probe")
    house.ask_for_probe("3")
    done = house.start()
    assert done.returncode == 7, done.stderr
    assert "2.13.0+cpu 3.0" in done.stdout
    assert "bringing the environment up to date" in done.stderr


def test_a_half_made_environment_is_made_afresh(set_up: tuple[House, Done]) -> None:
    house, _ = set_up
    (house.venv / "spanlight-unfinished").touch()
    (house.venv / "left over").mkdir()
    done = house.start()
    assert done.returncode == 7, done.stderr
    assert "half made" in done.stderr
    assert not (house.venv / "left over").exists()


def test_two_starts_at_once(tmp_path: Path, wheels: Path) -> None:
    house = House(tmp_path, wheels)
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: house.start(), range(2)))
    assert [one.returncode for one in done] == [7, 7], [one.stderr for one in done]
    assert sum("[1/3]" in one.stderr for one in done) == 1
    assert any("Another start is setting Spanlight up" in one.stderr for one in done)


def test_without_a_network_one_sentence_and_the_next_step(tmp_path: Path, wheels: Path) -> None:
    house = House(tmp_path, wheels)
    done = house.start(offline=True)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-2:] == [
        "PyTorch could not be fetched: the internet cannot be reached from here.",
        "Connect, then run the same command again; what has been fetched is kept.",
    ]
    assert "Traceback" not in done.stderr
    assert house.start().returncode == 7


@pytest.mark.skipif(os.name == "nt", reason="on Windows a lock cannot be handed to a child")
def test_a_killed_set_up_holds_the_next_one_until_its_pip_has_ended(tmp_path: Path, wheels: Path) -> None:
    house = House(tmp_path, wheels)
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # a proxy that takes calls and never answers
        proxy = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        environment = house.environment(offline=True) | dict.fromkeys(NOWHERE, proxy)
        killed = subprocess.Popen(
            [sys.executable, "-m", "app", "models"],
            cwd=house.root,
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        call, _ = deaf.accept()  # pip is at work
        killed.kill()
        killed.wait()
        with ThreadPoolExecutor(1) as pool:
            second = pool.submit(house.start)
            time.sleep(3)
            assert not second.done()
            call.close()
            deaf.close()
            done = second.result()
    assert done.returncode == 7, done.stderr
    assert "Another start is setting Spanlight up" in done.stderr and "half made" in done.stderr


def test_a_place_that_cannot_be_written_to(tmp_path: Path, wheels: Path) -> None:
    house = House(tmp_path, wheels)
    house.venv.write_text("in the way")
    done = house.start()
    assert done.returncode == 1
    assert "could not be set up" in done.stderr and "Traceback" not in done.stderr


def test_version_and_help_need_no_set_up(tmp_path: Path, wheels: Path) -> None:
    house = House(tmp_path, wheels)
    for option in ("--version", "--help"):
        assert house.start(option).returncode == 0
    assert not house.venv.exists()
