"""The lists of licences that a bundle takes along, by their command and from a build."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from app.flows.licences import from_json
from tests.conftest import ROOT

SCRIPT = ROOT / "packaging" / "licences.py"


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("packaging_licences", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_command_writes_the_list_and_the_text(tmp_path: Path) -> None:
    done = run(tmp_path, "licences.json")
    assert (done.returncode, done.stderr) == (0, "")
    found = from_json((tmp_path / "licences.json").read_text(encoding="utf-8"))
    assert {"Spanlight", "torch", "Qt", "Python", "reader-quick"} <= {one.name for one in found}
    assert not {"pytest", "pyinstaller"} & {one.name.casefold() for one in found}
    done = run(tmp_path, "--text", ".")
    assert (done.returncode, done.stderr) == (0, "")
    written = (tmp_path / "THIRD-PARTY-LICENCES.txt").read_text(encoding="utf-8")
    for one in found:
        assert one.whole_text() in written


def test_a_build_names_its_packages_and_adds_what_it_copied(licences: ModuleType, tmp_path: Path) -> None:
    extra = ("libxcb-cursor0", "0.1.1-4", "MIT", "Copyright the people of XCB\n")
    file = licences.write(
        ["numpy", "no-such-package"], [extra, licences.Extra("libz", "1", "Zlib", "")], tmp_path
    )
    assert file == tmp_path / "licences.json"
    found = {one.name: one for one in from_json(file.read_text(encoding="utf-8"))}
    assert "numpy" in found and not {"torch", "Qt", "PDFium"} & found.keys(), (
        "nor parts of what is not bundled"
    )
    assert found["libxcb-cursor0"].whole_text().endswith("Copyright the people of XCB")
    assert found["libz"].texts == ()
    text = licences.write_text(["numpy"], [extra], tmp_path / "deep" / "all.txt")
    assert "Copyright the people of XCB" in text.read_text(encoding="utf-8")


def test_licences_that_lie_on_debian_only_come_along(
    licences: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(licences, "COMMON", tmp_path)
    (tmp_path / "GPL-2").write_text("the whole GPL\n")
    common = "/usr/share/common-licenses"
    text = f"see `{common}/GPL-2'. Again: {common}/GPL-2, and {common}/not-here.\n"
    found = licences.collect([], [("libbz2", "1.0.8", "BSD-variant", text)])
    library = next(one for one in found if one.name == "libbz2")
    assert [(one.names, one.text) for one in library.texts] == [
        ((), text.strip()),
        (("GPL-2",), "the whole GPL"),
    ]


def test_where_it_cannot_write_it_says_so_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run(tmp_path, "file/licences.json")
    assert done.returncode == 2
    assert done.stderr.startswith("The licences were not written: ") and done.stderr.count("\n") == 1
