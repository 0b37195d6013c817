"""The installed package: every sub-package and the resources are in it, and the command is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.about import PUBLISHER
from app.flows.second_start import name_of
from tests.conftest import ROOT
from tests.helpers.windows import open_there

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_sub_package_is_listed() -> None:
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "app").rglob("__init__.py")}
    listed = set(PYPROJECT["tool"]["setuptools"]["packages"])
    assert listed == {".".join(folder.parts) for folder in folders} | {"app.resources"}


READER = "resources/models/reader-quick/model.safetensors"
# Modules of the interpreter that runs the tests, torch and Qt among them: nothing is fetched here.
LIBRARIES = sysconfig.get_paths()["purelib"]


def pip(*arguments: str | Path) -> None:
    """Run pip as it works without a network."""
    command = [sys.executable, "-m", "pip", *map(str, arguments), "--quiet", "--no-deps", "--no-index"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source tree, with the weights of one model only: they take long to be packed."""
    source = tmp_path_factory.mktemp("source") / "spanlight"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, source / name)
    for name in ("app", "resources", "packaging", "tests", ".ci"):
        leave = shutil.ignore_patterns("__pycache__", "*.safetensors")
        shutil.copytree(ROOT / name, source / name, ignore=leave)
    shutil.copy(ROOT / READER, source / READER)
    return source


@pytest.fixture(scope="module")
def archive(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive."""
    out = tmp_path_factory.mktemp("archive")
    code = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, out], cwd=source, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return next(out.glob("spanlight-*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as pip builds it of the source archive."""
    out = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "--wheel-dir", out, archive)
    return zipfile.ZipFile(next(out.glob("spanlight-*.whl")))


@pytest.fixture(scope="module")
def installed(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of a fresh environment with the wheel, as pip and pipx make it."""
    folder = tmp_path_factory.mktemp("fresh") / "environment"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True, timeout=100
    )
    scheme = "nt_venv" if os.name == "nt" else "posix_venv"
    places = sysconfig.get_paths(scheme, vars={"base": str(folder), "platbase": str(folder)})
    Path(places["purelib"], "libraries.pth").write_text(f"{LIBRARIES}\n", encoding="utf-8")
    python = Path(places["scripts"]) / ("python.exe" if os.name == "nt" else "python")
    pip("--python", python, "install", Path(wheel.filename or ""))
    return Path(places["scripts"])


def run(command: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [command, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, timeout=200
    )


def test_the_source_archive_is_the_source_tree(source: Path, archive: Path) -> None:
    with tarfile.open(archive) as packed:
        names = {each.name.partition("/")[2] for each in packed.getmembers() if each.isfile()}
    there = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    built = {name for name in there if name.endswith(".pyc") or ".egg-info/" in name}
    assert there - built <= names and {"MANIFEST.in", ".ci/run", "packaging/feed.py"} <= names
    assert names - there <= {"PKG-INFO", "setup.cfg"} and not [
        name for name in names if name.endswith(".pyc")
    ]


def test_the_wheel_holds_the_app_and_its_resources(wheel: zipfile.ZipFile) -> None:
    inside = set(wheel.namelist())
    code = {path.relative_to(ROOT).as_posix() for path in (ROOT / "app").rglob("*.py")}
    resources = {
        "app/" + path.relative_to(ROOT).as_posix()
        for path in (ROOT / "resources").rglob("*")
        if path.is_file() and path.suffix not in (".safetensors", ".pyc") and path.parent.name != "pictures"
    }
    assert code | resources | {f"app/{READER}"} <= inside
    outside = {name for name in inside if not name.startswith(("app/", "spanlight-"))}
    surplus = {name for name in inside - code - resources if name.startswith("app/")}
    assert not outside and surplus == {f"app/{READER}"}


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


def short(text: str) -> str:
    """Without what a licence's name is written with or without."""
    return re.sub(r"[-\s]|License,?|Version", "", text, flags=re.IGNORECASE).casefold()


def test_the_licences_of_all_that_comes_along_are_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    kept = [name.partition("/licenses/")[2] for name in wheel.namelist() if "/licenses/" in name]
    models = {f"resources/models/{each.name}/README.md" for each in (ROOT / "resources" / "models").iterdir()}
    assert set(kept) == models | {"LICENSE", "resources/samples/README.md", "resources/examples/README.md"}
    stated = PYPROJECT["project"]["license"].split(" AND ")
    notes = "".join((ROOT / name).read_text("utf-8") for name in kept)
    assert stated[0] == "Apache-2.0" and all(short(licence) in short(notes) for licence in stated)


def test_the_installed_command_works_away_from_the_source(installed: Path, tmp_path: Path) -> None:
    command = installed / "spanlight"
    (tmp_path / "ü.txt").write_text("The tide is highest at noon.", encoding="utf-8")
    said = run(command, "--version", cwd=tmp_path)
    assert said.returncode == 0 and said.stdout.startswith("Spanlight "), said.stderr
    assert "usage: spanlight" in run(command, "--help", cwd=tmp_path).stdout
    where = run(installed / "python", "-c", "import app; print(app.__file__)", cwd=tmp_path).stdout
    assert Path(where.strip()).is_relative_to(installed.parent)
    said = run(command, "ask", "ü.txt", "--question", "When is the tide highest?", cwd=tmp_path)
    assert said.returncode == 0 and said.stdout.splitlines()[0].endswith("noon"), said.stderr


@pytest.fixture
def window(installed: Path, screen: dict[str, str], spanlight_home: Path, tmp_path: Path) -> Iterator[object]:
    process = subprocess.Popen(
        [installed / "spanlight", "--window"],
        cwd=tmp_path,
        env=screen | {"SPANLIGHT_HOME": str(spanlight_home)},
    )
    yield process
    process.kill()
    process.wait()


@pytest.mark.real_window
def test_the_installed_window_opens(
    window: subprocess.Popen[bytes], installed: Path, spanlight_home: Path, tmp_path: Path
) -> None:
    end = time.monotonic() + 100
    while not Path(name_of(spanlight_home / "data")).exists():
        assert window.poll() is None and time.monotonic() < end, "it never came up"
        time.sleep(0.05)
    (tmp_path / "a b.txt").write_text("The tide is highest at noon.", encoding="utf-8")
    environment = os.environ | {"DISPLAY": ":0"}  # a second start opens nothing there
    assert (
        subprocess.run(
            [installed / "spanlight", "a b.txt"], cwd=tmp_path, env=environment, timeout=60
        ).returncode
        == 0
    )
    while open_there(spanlight_home) != [str(tmp_path / "a b.txt")]:
        assert window.poll() is None and time.monotonic() < end, "it was not opened"
        time.sleep(0.1)
    window.terminate()
    assert window.wait(60) == 0
