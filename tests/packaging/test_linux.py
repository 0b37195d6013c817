"""The Debian package and the archive, made for real around a small bundle; the script that starts it in any system."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from app.__main__ import COMMANDS
from app.core.about import VERSION
from tests.helpers.scripts import script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux has these")
TOOLS = ("dpkg-deb", "dpkg-shlibdeps", "readelf", "xz")
needs_tools = pytest.mark.skipif(
    not all(map(shutil.which, TOOLS)), reason=f"one of {', '.join(TOOLS)} is not installed"
)


@pytest.fixture(scope="module")
def package():
    return script("linux/package.py")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle whose program is a small one of the system's."""
    folder = tmp_path / "dist" / "spanlight"
    (folder / "_internal" / "resources").mkdir(parents=True)
    shutil.copy(shutil.which("true") or "/bin/true", folder / "spanlight")
    (folder / "_internal" / "base_library.zip").write_bytes(b"zip")
    (folder / "_internal" / "libpython3.so.1.0").write_bytes(b"library")
    (folder / "_internal" / "resources" / "words.txt").write_text("words", encoding="utf-8")
    (folder / "_internal" / "resources" / "words.txt").chmod(0o600)
    (folder.parent / "THIRD-PARTY-LICENCES.txt").write_text("Licences", encoding="utf-8")
    return folder


@needs_tools
def test_the_package_holds_the_program_its_command_and_what_desktops_look_for(
    package, bundle: Path, tmp_path: Path
) -> None:
    file = package.make_package(bundle, bundle.parent)
    assert file.name == f"spanlight_{VERSION}_{package.architecture()}.deb"
    root = tmp_path / "root"
    subprocess.run(["dpkg-deb", "--raw-extract", file, root], check=True)
    assert os.access(root / "usr/lib/spanlight/spanlight", os.X_OK)
    assert stat.S_IMODE((root / "usr/lib/spanlight/_internal/resources/words.txt").stat().st_mode) == 0o644
    for name in (
        "usr/bin/spanlight",
        "usr/share/applications/spanlight.desktop",
        "usr/share/metainfo/app.spanlight.Spanlight.metainfo.xml",
        "usr/share/icons/hicolor/48x48/apps/spanlight.png",
        "usr/share/icons/hicolor/scalable/apps/spanlight.svg",
        "usr/share/man/man1/spanlight.1.gz",
        "usr/share/doc/spanlight/copyright",
        "usr/share/doc/spanlight/THIRD-PARTY-LICENCES.txt.gz",
    ):
        assert (root / name).is_file(), name
    said = subprocess.run(["dpkg-deb", "--field", file], check=True, capture_output=True, text=True).stdout
    fields = dict(line.split(": ", 1) for line in said.splitlines() if not line.startswith(" "))
    assert fields["Package"] == "spanlight" and fields["Version"] == VERSION
    assert "libc6 (>= 2." in fields["Depends"] and "tesseract-ocr" in fields["Recommends"]
    sums = subprocess.run(["md5sum", "--check", "--quiet", "DEBIAN/md5sums"], cwd=root, capture_output=True)
    assert sums.returncode == 0, sums.stderr
    # The program starts by way of the command, from where the package puts both.
    assert subprocess.run([root / "usr/bin/spanlight"], check=False).returncode == 0


@needs_tools
def test_the_archive_runs_from_the_folder_it_was_unpacked_into(package, bundle: Path, tmp_path: Path) -> None:
    file = package.make_archive(bundle, bundle.parent)
    with tarfile.open(file) as archive:
        assert {member.uid for member in archive.getmembers()} == {0}
        archive.extractall(tmp_path / "any folder", filter="data")
    folder = tmp_path / "any folder" / f"spanlight-{VERSION}-linux-{platform.machine()}"
    assert subprocess.run([folder / "spanlight"], cwd="/", check=False).returncode == 0
    link = tmp_path / "link"
    link.symlink_to(folder / "spanlight")
    assert subprocess.run([link], check=False).returncode == 0
    assert (folder / "LICENSE").is_file() and (folder / "README.txt").is_file()


@pytest.fixture
def launched(package, bundle: Path, tmp_path: Path):
    """Starts the launcher where the system's own tools say what the keywords have them say."""
    launcher = bundle.parent / "start"
    launcher.write_text(package.launcher(bundle, "spanlight"), encoding="utf-8")

    def launch(**tools: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "tools"
        folder.mkdir(exist_ok=True)
        for name, words in tools.items():
            (folder / name).write_text(f"#!/bin/sh\necho '{words}'\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        variables = os.environ | {"PATH": f"{folder}:/usr/bin:/bin"}
        return subprocess.run(["sh", launcher], env=variables, capture_output=True, text=True, check=False)

    return launch


@needs_tools
def test_an_old_or_another_system_is_told_so_in_one_sentence(package, bundle: Path, launched) -> None:
    major, minor = package.oldest_glibc(bundle)
    assert major == 2
    for has in (f"glibc 2.{minor}", f"glibc 2.{minor + 1}", "glibc 2.100"):
        assert launched(getconf=has).returncode == 0
    for has, said in (
        (f"glibc 2.{minor - 1}", f"here is 2.{minor - 1}."),
        ("glibc 2.9", "2.9."),
        ("", "none."),
    ):
        done = launched(getconf=has)
        assert done.returncode == 2 and done.stdout == ""
        assert f"needs glibc 2.{minor} or newer" in done.stderr and said in done.stderr
        assert done.stderr.count("\n") == 1


@needs_tools
def test_another_kind_of_computer_is_told_so(launched) -> None:
    done = launched(uname="riscv64")
    assert done.returncode == 2 and "riscv64" in done.stderr and platform.machine() in done.stderr


@needs_tools
@pytest.mark.parametrize("gone", ["spanlight", "_internal/base_library.zip", "_internal/libpython3.so.1.0"])
def test_a_bundle_that_is_not_whole_says_so(bundle: Path, launched, gone: str) -> None:
    (bundle / gone).unlink()
    done = launched()
    assert done.returncode == 2 and "not whole" in done.stderr and "Install it again" in done.stderr


def test_the_manual_page_names_every_command(package) -> None:
    page = package.manual()
    assert all(f".B {name}\n" in page for name in COMMANDS)
    assert "@" not in page and f"Spanlight {VERSION}" in page
