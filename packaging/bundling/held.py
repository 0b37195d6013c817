"""What a finished bundle holds: the packages and the system's libraries in it, for their licences."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from PyInstaller.archive.readers import CArchiveReader

_DOCUMENTATION = Path("/usr/share/doc")


def write_licences(bundle: Path, application: Path | None = None) -> None:
    """Write the list of licences into a bundle, and one text of them all beside it.

    `application` is the .app of macOS, which PyInstaller has made of the same files by then: it gets the list too.
    """
    spec = importlib.util.spec_from_file_location(
        "licences", Path(__file__).resolve().parent.parent / "licences.py"
    )
    assert spec is not None and spec.loader is not None
    licences = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(licences)
    names, extras = distributions(bundle), list(system_libraries(bundle))
    written = licences.write(names, extras, bundle / "_internal" / "resources")
    if application is not None:
        shutil.copy(written, application / "Contents" / "Resources" / "resources")
    licences.write_text(names, extras, bundle.parent)


def distributions(bundle: Path) -> list[str]:
    """The names of the distributions that have a module in a bundle."""
    program = next(path for path in bundle.iterdir() if path.is_file() and path.stem.lower() == "spanlight")
    archive = CArchiveReader(str(program))
    modules = archive.open_embedded_archive(
        next(name for name in archive.toc if name.lower().endswith(".pyz"))
    )
    tops = {name.partition(".")[0] for name in modules.toc}
    tops |= {path.name.partition(".")[0] for path in (bundle / "_internal").iterdir()}
    by_package = packages_distributions()
    return sorted({name for top in tops for name in by_package.get(top, ())})


def system_libraries(bundle: Path) -> Iterator[tuple[str, str, str, str]]:
    """Name, version, licence and its text for each package of Debian's whose libraries were copied into a bundle."""
    where = _libraries_of_the_system()
    packages = {
        _package(where[path.name]) for path in (bundle / "_internal").glob("lib*.so*") if path.name in where
    }
    for package in sorted(packages - {""}):
        text = (_DOCUMENTATION / package / "copyright").read_text("utf-8", "replace")
        # Only the machine-readable form has names, one for each part of the source, its build scripts too.
        said = re.findall(r"^License:[ \t]*(\S.*)$", text, re.MULTILINE) if text.startswith("Format:") else []
        names = list(dict.fromkeys(each.strip() for each in said))
        licence = ", ".join(names) if 0 < len(names) <= 4 else "see its text"
        version = _said("dpkg-query", "-W", "-f", "${Version}", package)
        yield package, version, licence, text


def _libraries_of_the_system() -> dict[str, str]:
    """The path of each library that the loader knows, by its name; none on a system without its cache."""
    lines = re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", _said("ldconfig", "-p"), re.MULTILINE)
    return dict(reversed(lines))


def _package(library: str) -> str:
    """The Debian package that a library comes in, empty for none."""
    for name in (library, library.removeprefix("/usr"), str(Path(library).resolve())):
        if found := _said("dpkg", "-S", name):
            return found.partition(":")[0]
    return ""


def _said(*command: str) -> str:
    """What a program prints, empty where it fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
