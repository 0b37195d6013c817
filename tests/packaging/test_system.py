"""The system's libraries: the list holds all that Qt asks for, and the line to type is right."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from bootstrapping import system

# What every system with Python and pip's wheels has.
EVERYWHERE = {"c", "m", "dl", "rt", "pthread", "resolv", "stdc++", "gcc_s", "z", "zstd", "brotlicommon"}


def needed_by(file: Path) -> set[str]:
    """Names of libraries in an ELF file's string table."""
    return {name.decode() for name in re.findall(rb"\0(lib[\w.+-]+\.so\.\d+)(?=\0)", file.read_bytes())}


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="Linux only: elsewhere Qt brings all it needs"
)
def test_the_list_holds_all_that_qt_links_to() -> None:
    import PySide6

    qt = Path(PySide6.__path__[0]) / "Qt"
    brought = {path.name for path in (qt / "lib").iterdir()}
    libraries = ("Core", "Gui", "Widgets", "DBus", "Svg", "Network", "OpenGL", "XcbQpa", "WaylandClient")
    files = [path for name in libraries for path in (qt / "lib").glob(f"libQt6{name}.so.6")]
    for folder in ("platforms/libqxcb.so", "platforms/libqwayland*.so", "xcbglintegrations/*.so"):
        files += (qt / "plugins").glob(folder)
    for folder in (
        "imageformats",
        "iconengines",
        "wayland-shell-integration",
        "wayland-graphics-integration-client",
    ):
        files += (qt / "plugins" / folder).glob("*.so")
    assert any(path.name == "libqxcb.so" for path in files)
    missing = {}
    for file in files:
        names = needed_by(file) - brought - system.LIBRARIES.keys()
        names = {
            n for n in names if n.removeprefix("lib").split(".so")[0] not in EVERYWHERE and "Qt6" not in n
        }
        if names:
            missing[file.name] = names
    assert not missing


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="Linux only: elsewhere Qt brings all it needs"
)
def test_what_cannot_be_loaded_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(system.LIBRARIES, "libspanlight-none.so.1", "libspanlight-none1")
    assert "libspanlight-none.so.1" in system.is_missing("windows")
    assert "libspanlight-none1" in system.packages_for(system.is_missing("windows"))


def only(monkeypatch: pytest.MonkeyPatch, *tools: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name in tools else None)


def test_the_line_for_debian_names_what_is_missing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "apt-get")
    names = ["libglib-2.0.so.0", "libgthread-2.0.so.0", "libEGL.so.1", "Xvfb"]
    assert system.line_for(names) == "sudo apt-get install libglib2.0-0 libegl1 xvfb"


@pytest.mark.parametrize("tool", ["dnf", "pacman"])
def test_the_line_for_other_families(monkeypatch: pytest.MonkeyPatch, tool: str) -> None:
    only(monkeypatch, tool)
    assert system.line_for(["libEGL.so.1"]) == f"sudo {system.LINES[tool]}"
    assert system.line_for(["Xvfb"]) == f"sudo {system.XVFB[tool]}"
    assert (
        system.line_for(["libEGL.so.1", "Xvfb"]) == f"sudo {system.LINES[tool]} && sudo {system.XVFB[tool]}"
    )


def test_the_line_for_an_unknown_system(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    assert "libEGL.so.1" in system.line_for(["libEGL.so.1"])


def test_lists_are_fetched_when_a_package_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answers = iter([False, True, True])

    def apt(arguments: list[str], log: object) -> bool:
        asked.append(arguments[0])
        return next(answers)

    monkeypatch.setattr(system, "_apt", apt)
    assert system.apt_install(["libegl1"], lambda text: None, lambda text: None)
    assert asked == ["install", "update", "install"]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the driver")
def test_a_driver_counts_only_when_it_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "nvidia-smi"
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    assert not system.nvidia_driver()
    for script, answer in (
        ("echo 'GPU 0: a card'", True),
        ("echo failed; exit 9", False),
        ("echo none", False),
    ):
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        assert system.nvidia_driver() is answer
