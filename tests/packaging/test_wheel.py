"""The installed package: every sub-package and the resources are in it, and the command is there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from app.core.about import PUBLISHER
from tests.conftest import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_sub_package_is_listed() -> None:
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "app").rglob("__init__.py")}
    listed = set(PYPROJECT["tool"]["setuptools"]["packages"])
    assert listed == {".".join(folder.parts) for folder in folders} | {"app.resources"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as `pip install .` builds it, without the large models' weights."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    for name in ("app", "resources"):
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.safetensors")
        )
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run(
        [*command, "--quiet", "--wheel-dir", str(out), str(source)],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(next(out.glob("spanlight-*.whl")))


def test_the_wheel_holds_the_app_and_its_resources(wheel: zipfile.ZipFile) -> None:
    inside = set(wheel.namelist())
    code = {path.relative_to(ROOT).as_posix() for path in (ROOT / "app").rglob("*.py")}
    resources = {
        "app/" + path.relative_to(ROOT).as_posix()
        for path in (ROOT / "resources").rglob("*")
        if path.is_file() and path.suffix not in (".safetensors", ".pyc")
    }
    assert code | resources <= inside
    assert not [name for name in inside if name.startswith(("tests/", "packaging/", "resources/"))]


def test_the_wheel_says_what_it_needs_and_offers_the_command(wheel: zipfile.ZipFile) -> None:
    def read(name: str) -> str:
        return wheel.read(next(path for path in wheel.namelist() if path.endswith(name))).decode()

    assert "spanlight = app.__main__:main" in read("dist-info/entry_points.txt")
    metadata = read("dist-info/METADATA")
    assert "License-Expression: Apache-2.0" in metadata
    assert f"Author: {PUBLISHER}" in metadata
    for line in PYPROJECT["project"]["dependencies"]:
        assert f"Requires-Dist: {line.split('>')[0]}" in metadata


def test_the_unpacked_wheel_starts_and_finds_its_resources(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    code = "from app.__main__ import main; from app.settings.paths import default_paths as p; print(p().resources)"
    done = subprocess.run(
        [sys.executable, "-c", code + "; main(['--version'])"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.splitlines()[0]) == tmp_path / "app" / "resources"
    assert done.stdout.splitlines()[1].startswith("Spanlight ")


def test_nothing_shadows_the_packaging_library() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()
    code = "import sys; sys.path.insert(0, '.'); import packaging.version; print(packaging.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert str(ROOT / "packaging") not in done.stdout and done.stdout.strip()
