"""Makes the Debian package and the portable archive around a bundle: `package.py BUNDLE OUTPUT`.

The package's dependencies are what the bundle's libraries link to and do not bring along, as dpkg-shlibdeps finds it;
the oldest glibc that it runs on is read off their symbols.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from email.utils import formatdate
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT)]

from bundling.slim import elf_files  # noqa: E402 - found by the line above
from bundling.system_libraries import packages  # noqa: E402

from app.__main__ import COMMANDS  # noqa: E402
from app.core.about import PUBLISHER, VERSION  # noqa: E402

SUMMARY = "answers questions about your own documents where they stand"
DESCRIPTION = """\
Open or paste a document, type a question, and the exact words of the answer
light up where they stand, with the probability that they are right. Texts can
be classified, blanks filled in, names found, and what the model computed can
be looked at. Models of the BERT family do the work on this computer; nothing
of yours is sent anywhere. Four small models for English come along.
"""
# Used where they are there: the desktop's own dialogs, opening a folder or a page in its own program, and recognising
# text in pictures.
RECOMMENDS = "libgtk-3-0 | libgtk-3-0t64, xdg-utils, tesseract-ocr"
SUGGESTS = "fonts-noto-color-emoji, fonts-noto-cjk"  # letters that documents may hold
OPTIONAL = ("libqgtk3.so",)
# Debian wants an address; `.invalid` (RFC 2606) says that this is none.
MAINTAINER = f"{PUBLISHER} <authors@spanlight.invalid>"
TRIPLETS = {"x86_64": "amd64", "aarch64": "arm64"}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="package.py", description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("output", type=Path)
    asked = parser.parse_args(argv)
    bundle, output = asked.bundle.resolve(), asked.output.resolve()
    os.umask(0o022)
    for make in (make_package, make_archive):
        began = time.monotonic()
        file = make(bundle, output)
        print(
            f"{file}: {file.stat().st_size / 1e6:.0f} MB, made in {time.monotonic() - began:.0f} s",
            flush=True,
        )
    return 0


def make_package(bundle: Path, output: Path) -> Path:
    """The .deb around a bundle, below `output`."""
    with tempfile.TemporaryDirectory(dir=output) as folder:
        tree = Path(folder) / "tree"
        program = tree / "usr" / "lib" / "spanlight"
        shutil.copytree(bundle, program, symlinks=True)
        write(tree / "usr/bin/spanlight", launcher(bundle, "../lib/spanlight"), 0o755)
        lay_desktop_files(tree / "usr/share")
        doc = tree / "usr/share/doc/spanlight"
        write(doc / "copyright", (HERE / "copyright").read_text("utf-8"))
        write_packed(doc / "changelog.gz", changelog())
        write_packed(
            doc / "THIRD-PARTY-LICENCES.txt.gz",
            (bundle.parent / "THIRD-PARTY-LICENCES.txt").read_text("utf-8"),
        )
        write_packed(tree / "usr/share/man/man1/spanlight.1.gz", manual())
        write(tree / "usr/share/lintian/overrides/spanlight", (HERE / "lintian-overrides").read_text("utf-8"))
        set_modes(tree)
        write(tree / "DEBIAN/control", control(tree, bundle))
        write(tree / "DEBIAN/md5sums", md5sums(tree))
        write(tree / "DEBIAN/prerm", (HERE / "prerm.sh").read_text("utf-8"), 0o755)
        (tree / "DEBIAN").chmod(0o755)
        file = output / f"spanlight_{VERSION}_{architecture()}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", tree, file],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return file


def make_archive(bundle: Path, output: Path) -> Path:
    """The archive that runs from any folder, below `output`."""
    name = f"spanlight-{VERSION}-linux-{platform.machine()}"
    with tempfile.TemporaryDirectory(dir=output) as folder:
        tree = Path(folder) / name
        shutil.copytree(bundle, tree / "lib", symlinks=True)
        write(tree / "spanlight", launcher(bundle, "lib"), 0o755)
        lay_desktop_files(tree / "share")
        write(tree / "README.txt", (HERE / "archive.txt").read_text("utf-8"))
        for file in (ROOT / "LICENSE", bundle.parent / "THIRD-PARTY-LICENCES.txt"):
            write(tree / file.name, file.read_text("utf-8"))
        set_modes(tree)
        file = output / f"{name}.tar.xz"
        command = [
            "tar",
            "--create",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--sort=name",
            "-I",
            "xz -T0 -2",
            "-f",
            file,
            "-C",
            folder,
            name,
        ]
        subprocess.run(command, check=True)
    return file


def launcher(bundle: Path, folder: str) -> str:
    """The script that starts the program in a folder beside it; it says so where the system is too old for it."""
    major, minor = oldest_glibc(bundle)
    assert major == 2
    said = {
        "FOLDER": folder,
        "MACHINE": platform.machine(),
        "GLIBC_MINOR": str(minor),
        "SYSTEM": system_name(),
    }
    text = (HERE / "launcher.sh").read_text("utf-8")
    for name, words in said.items():
        text = text.replace(f"@{name}@", words)
    return text


def oldest_glibc(bundle: Path) -> tuple[int, int]:
    """The oldest glibc, as two numbers, that has every symbol which a bundle's programs and libraries ask for."""
    newest = (2, 17)
    for path in elf_files(bundle):
        found = subprocess.run(
            ["readelf", "--version-info", "--wide", path], capture_output=True, check=True
        ).stdout
        for major, minor in re.findall(rb"Name: GLIBC_(\d+)\.(\d+)", found):
            newest = max(newest, (int(major), int(minor)))
    return newest


def system_name() -> str:
    """What the system that the bundle is made on calls itself, without its code name."""
    release = platform.freedesktop_os_release()
    return f"{release['NAME']} {release.get('VERSION_ID', '')}".strip()


def architecture() -> str:
    """Debian's name of this machine."""
    return TRIPLETS.get(platform.machine(), platform.machine())


def control(tree: Path, bundle: Path) -> str:
    """The package's control file."""
    size = sum(-(-path.lstat().st_size // 1024) for path in tree.rglob("*") if not path.is_dir())
    fields = {
        "Package": "spanlight",
        "Version": VERSION,
        "Architecture": architecture(),
        "Maintainer": MAINTAINER,
        "Installed-Size": str(size),
        "Depends": dependencies(bundle),
        "Recommends": RECOMMENDS,
        "Suggests": SUGGESTS,
        "Section": "text",
        "Priority": "optional",
        "Description": SUMMARY + "".join(f"\n {line}" for line in DESCRIPTION.splitlines()),
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def dependencies(bundle: Path) -> str:
    """The packages of this system's libraries that a bundle links to and has no copy of, with the oldest versions."""
    files = list(elf_files(bundle))
    private = sorted({str(path.parent) for path in files if ".so" in path.name})
    needed = [str(path) for path in files if path.name not in OPTIONAL]
    with tempfile.TemporaryDirectory() as folder:
        # dpkg-shlibdeps works inside a source package.
        write(Path(folder) / "debian/control", "Source: spanlight\n\nPackage: spanlight\nArchitecture: any\n")
        command = [
            "dpkg-shlibdeps",
            "-O",
            "--ignore-missing-info",
            *(f"-l{each}" for each in private),
            # It would ask for the system's own of a library that the bundle has as well.
            *(f"-x{each}" for each in packages(path.name for path in files)),
            *needed,
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"What the bundle depends on cannot be told:\n{done.stderr}")
    found = done.stdout.strip().removeprefix("shlibs:Depends=")
    if not found.startswith("lib"):
        raise SystemExit(f"dpkg-shlibdeps found no dependencies: {done.stdout}{done.stderr}")
    return found


def md5sums(tree: Path) -> str:
    """The checksums of the package's files, as dpkg keeps them."""
    lines = []
    for path in sorted(tree.rglob("*")):
        if path.is_file() and not path.is_symlink() and "DEBIAN" not in path.parts:
            with path.open("rb") as file:
                lines.append(f"{hashlib.file_digest(file, 'md5').hexdigest()}  {path.relative_to(tree)}\n")
    return "".join(lines)


def changelog() -> str:
    """The package's changelog: each version is a release of its own."""
    date = formatdate(float(os.environ.get("SOURCE_DATE_EPOCH", time.time())), localtime=False)
    return f"spanlight ({VERSION}) stable; urgency=medium\n\n  * Release {VERSION}.\n\n -- {MAINTAINER}  {date}\n"


def manual() -> str:
    """The manual page."""
    commands = "".join(f".TP\n.B {name}\n{what[0].upper()}{what[1:]}.\n" for name, what in COMMANDS.items())
    return (
        (HERE / "spanlight.1")
        .read_text("utf-8")
        .replace("@VERSION@", VERSION)
        .replace("@COMMANDS@\n", commands)
    )


def lay_desktop_files(share: Path) -> None:
    """Put the menu's entry, the description for software centres and the icons below a folder `share`."""
    desktop = ROOT / "packaging" / "desktop"
    for name, folder in (
        ("spanlight.desktop", "applications"),
        ("app.spanlight.Spanlight.metainfo.xml", "metainfo"),
    ):
        write(share / folder / name, (desktop / name).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as icons:
        command = [sys.executable, desktop / "icons.py", icons]
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}
        )
        shutil.copytree(Path(icons) / "hicolor", share / "icons" / "hicolor")


def set_modes(tree: Path) -> None:
    """Give folders and files the modes that installed ones have; libraries are not run, programs are."""
    for path in tree.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
        elif not path.is_symlink():
            runs = path.name in ("spanlight", "torch_shm_manager")
            path.chmod(0o755 if runs and "overrides" not in path.parts else 0o644)


def write(file: Path, text: str, mode: int = 0o644) -> None:
    """Write a text file with its mode; folders above it are made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    file.chmod(mode)


def write_packed(file: Path, text: str) -> None:
    """Write a text packed with gzip, without a time in it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
