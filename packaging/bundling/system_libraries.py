"""The libraries of this system that a bundle holds copies of, and the Debian packages that they come in."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

_DOCUMENTATION = Path("/usr/share/doc")


def system_libraries(bundle: Path) -> Iterator[tuple[str, str, str, str]]:
    """Name, version, licence and its text for each package of Debian's whose libraries were copied into a bundle."""
    for package in packages(path.name for path in (bundle / "_internal").glob("lib*.so*")):
        text = (_DOCUMENTATION / package / "copyright").read_text("utf-8", "replace")
        # Only the machine-readable form has names, one for each part of the source, its build scripts too.
        said = re.findall(r"^License:[ \t]*(\S.*)$", text, re.MULTILINE) if text.startswith("Format:") else []
        names = list(dict.fromkeys(each.strip() for each in said))
        licence = ", ".join(names) if 0 < len(names) <= 4 else "see its text"
        version = _said("dpkg-query", "-W", "-f", "${Version}", package)
        yield package, version, licence, text


def packages(libraries: Iterable[str]) -> list[str]:
    """The Debian packages that bring libraries of these names to this system."""
    where = _libraries_of_the_system()
    return sorted({_package(where[name]) for name in libraries if name in where} - {""})


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
