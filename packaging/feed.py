"""The feed of releases (app/core/releases.py), made from the files that were built.

    python packaging/feed.py --version 0.2.0 --page URL --base-url URL FILE... > feed.json

System, machine and kind are read off a file's name, its size and checksum off the file. With `--onto OLD.json` the
release is put before those of an older feed; one of the same version gives way to it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app.core.errors import SpanlightError  # noqa: E402
from app.core.releases import FORMAT, Feed, Release, ReleaseFile, parse_feed, version_key  # noqa: E402

_V = r"(?P<version>[0-9][0-9A-Za-z.]*)"
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "arm64", "aarch64": "arm64"}
_NAMES = (
    ("linux", "deb", re.compile(rf"spanlight_{_V}_(?P<machine>amd64|arm64)\.deb")),
    ("linux", "archive", re.compile(rf"spanlight-{_V}-linux-(?P<machine>x86_64|aarch64)\.tar\.(gz|xz|zst)")),
    ("windows", "installer", re.compile(rf"spanlight-{_V}-windows-(?P<machine>x86_64|arm64)\.exe")),
    ("windows", "archive", re.compile(rf"spanlight-{_V}-windows-(?P<machine>x86_64|arm64)\.zip")),
    ("macos", "dmg", re.compile(rf"spanlight-{_V}-macos-(?P<machine>x86_64|arm64)\.dmg")),
    ("macos", "archive", re.compile(rf"spanlight-{_V}-macos-(?P<machine>x86_64|arm64)\.(zip|tar\.gz)")),
    ("any", "wheel", re.compile(rf"spanlight-{_V}-py3-none-(?P<machine>any)\.whl")),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Write the feed to standard output; 2 where it cannot be made, with one sentence that says why."""
    parser = argparse.ArgumentParser(description="Make the feed of releases from built files.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--version", required=True)
    parser.add_argument("--page", required=True, metavar="URL", help="the release's page")
    parser.add_argument(
        "--base-url", required=True, metavar="URL", help="the folder where the files will lie"
    )
    parser.add_argument("--date", default="", metavar="YYYY-MM-DD", help="the day of the release (today)")
    parser.add_argument("--notes", type=Path, metavar="FILE", help="what is new, in plain text")
    parser.add_argument("--onto", type=Path, metavar="OLD.json", help="an older feed to add to")
    wanted = parser.parse_args(argv)
    try:
        data = feed(wanted)
    except (SpanlightError, ValueError, OSError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    return 0


def feed(wanted: argparse.Namespace) -> bytes:
    """The feed's bytes, read back once. Raises ValueError, SpanlightError and OSError."""
    version_key(wanted.version)
    day = date.fromisoformat(wanted.date) if wanted.date else datetime.now(UTC).date()
    notes = wanted.notes.read_text("utf-8") if wanted.notes else ""
    files = tuple(described(file, wanted.version, wanted.base_url) for file in wanted.files)
    kinds = [(file.system, file.machine, file.kind) for file in files]
    if len(set(kinds)) < len(kinds):
        raise ValueError("Two files are of the same kind for the same computers.")
    release = Release(wanted.version, day.isoformat(), wanted.page, notes, files)
    older = parse_feed(wanted.onto.read_bytes(), local=True).releases if wanted.onto else ()
    kept = [each for each in older if version_key(each.version) != version_key(wanted.version)]
    releases = sorted((release, *kept), key=lambda each: version_key(each.version), reverse=True)
    made = Feed(FORMAT, tuple(releases))
    data = (json.dumps(asdict(made), indent=2, ensure_ascii=False) + "\n").encode()
    read = parse_feed(data, local=wanted.page.startswith("http://"))
    lacking = {file.name for file in files} - {
        file.name for each in read.releases if each.version == wanted.version for file in each.files
    }
    if lacking:
        raise ValueError(f"Not read back: {', '.join(sorted(lacking))}.")
    return data


def described(file: Path, version: str, base: str) -> ReleaseFile:
    """A built file as the feed has it. Raises ValueError for a name that tells nothing, or another version."""
    for system, kind, pattern in _NAMES:
        found = pattern.fullmatch(file.name)
        if found is None:
            continue
        if found["version"] != version:
            raise ValueError(f"{file.name} is not of version {version}.")
        machine = _MACHINES.get(found["machine"], found["machine"])
        with file.open("rb") as data:
            digest = hashlib.file_digest(data, "sha256").hexdigest()
        address = f"{base.rstrip('/')}/{quote(file.name)}"
        return ReleaseFile(system, machine, kind, address, file.stat().st_size, digest)
    raise ValueError(f"The name of {file.name} does not tell what it is for.")


if __name__ == "__main__":
    sys.exit(main())
