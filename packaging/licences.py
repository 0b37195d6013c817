"""The list of all licences of a bundle, and one plain text of them all.

    python packaging/licences.py TARGET            the list that the bundle's own window reads (licences.json)
    python packaging/licences.py --text TARGET     one text, for the package's folder of documentation

TARGET is a file, or a folder that takes it under its usual name.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app.core.errors import SpanlightError  # noqa: E402
from app.core.licences import Component, LicenceText  # noqa: E402 - found by the line above
from app.flows.licences import FILE, as_text, installed_components, to_json, write_file  # noqa: E402
from app.settings.paths import default_paths  # noqa: E402

COMMON = Path("/usr/share/common-licenses")
_COMMON = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])")
TEXT_FILE = "THIRD-PARTY-LICENCES.txt"


class Extra(NamedTuple):
    """Something bundled that is no package, as a library copied from the system; a plain tuple does as well."""

    name: str
    version: str
    licence: str
    text: str


def collect(
    names: Iterable[str] | None = None, extras: Iterable[tuple[str, str, str, str]] = ()
) -> tuple[Component, ...]:
    """Everything bundled: `names` are packages, None for all that run time needs; Spanlight first, then by name."""
    own, *rest = installed_components(default_paths(), names)
    rest += [
        Component(name, version, licence, texts=tuple(_with_common(text)))
        for name, version, licence, text in extras
    ]
    return (own, *sorted(rest, key=lambda one: one.name.casefold()))


def _with_common(text: str) -> Iterator[LicenceText]:
    """A text, then the licences that it names as lying on Debian's systems: who has only the bundle has not those."""
    if text.strip():
        yield LicenceText((), text.strip("\n"))
    for name in dict.fromkeys(_COMMON.findall(text)):
        file = COMMON / name
        if file.is_file():
            yield LicenceText((name,), file.read_text(encoding="utf-8", errors="replace").strip("\n"))


def write(
    names: Iterable[str] | None, extras: Iterable[tuple[str, str, str, str]], target: Path | str
) -> Path:
    """Write the list into a file, or into a folder under its usual name; gives the file. Raises OSError."""
    return _write(to_json(collect(names, extras)), Path(target), FILE)


def write_text(
    names: Iterable[str] | None, extras: Iterable[tuple[str, str, str, str]], target: Path | str
) -> Path:
    """Write one text of all licences, as `write` does."""
    return _write(as_text(collect(names, extras)), Path(target), TEXT_FILE)


def _write(words: str, target: Path, name: str) -> Path:
    file = target / name if target.is_dir() else target
    write_file(file, words)
    return file


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="licences.py", description=__doc__.splitlines()[0])
    parser.add_argument("target", help="a file, or a folder that takes it under its usual name")
    parser.add_argument("--text", action="store_true", help="one plain text in place of the list")
    asked = parser.parse_args(argv)
    try:
        file = (write_text if asked.text else write)(None, (), asked.target)
    except (OSError, SpanlightError) as fault:
        print(f"The licences were not written: {fault}", file=sys.stderr)
        return 2
    print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
