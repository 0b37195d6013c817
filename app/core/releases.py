"""The feed that announces releases: its shape, how versions compare, and which file suits a computer.

The feed is a JSON document; unknown keys and files for unknown systems are ignored:

    {"format": 1, "releases": [{
        "version": "0.2.0", "date": "2027-05-03", "page": "https://...", "notes": "plain text", "files": [{
            "system": "linux", "machine": "x86_64", "kind": "deb",
            "address": "https://...", "size": 310000000, "sha256": "64 hexadecimal digits"}]}]}

Its content is untrusted: notes are made legible, and addresses must be https (http only if the feed itself came from
this computer).
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date as calendar_date
from typing import Any

from app.core.errors import SpanlightError
from app.core.legible import legible_lines
from app.core.message import Message
from app.core.network import is_web_address
from app.core.plain import from_plain

FORMAT = 1
MOST_BYTES = 1 << 20
SYSTEMS = ("linux", "windows", "macos", "any")
MACHINES = ("x86_64", "arm64", "any")
KINDS = ("deb", "archive", "installer", "dmg", "wheel")
# The kinds of files for each system, preferred ones first; and the feed's names of Python's systems and machines.
_KINDS_OF = {"windows": ("installer", "archive"), "macos": ("dmg", "archive")}
_NAMES_OF_SYSTEMS = {"win32": "windows", "darwin": "macos", "linux": "linux"}
_NAMES_OF_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "aarch64": "arm64"}
_MOST_NOTES, _MOST_RELEASES, _MOST_FILES = 20_000, 1000, 100
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
# The versions of Spanlight's own releases: a part of PEP 440, in normal form.
_VERSION = re.compile(
    r"(?P<release>[0-9]{1,6}(?:\.[0-9]{1,6}){0,3})(?:(?P<kind>a|b|rc)(?P<number>[0-9]{1,6}))?"
    r"(?:\.post(?P<post>[0-9]{1,6}))?(?:\.dev(?P<dev>[0-9]{1,6}))?",
    re.ASCII,
)
_FINAL = 3
_STEPS = {"a": 0, "b": 1, "rc": 2}


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A file of a release, for one of SYSTEMS and MACHINES and of one of KINDS; `size` in bytes, `sha256` in hex."""

    system: str
    machine: str
    kind: str
    address: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """The file's name, the last part of its address."""
        return self.address.partition("?")[0].partition("#")[0].rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Release:
    """A release: its version, date (ISO 8601), page, notes in plain text, and files."""

    version: str
    date: str
    page: str
    notes: str = ""
    files: tuple[ReleaseFile, ...] = ()

    @property
    def day(self) -> calendar_date:
        """The date of the release."""
        return calendar_date.fromisoformat(self.date)


@dataclass(frozen=True, slots=True)
class Feed:
    """The releases that a feed announces."""

    format: int
    releases: tuple[Release, ...] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """The result of checking a feed: the newest release after `own`, if any, and its file for this computer."""

    own: str
    feed: str
    newest: Release | None = None
    file: ReleaseFile | None = None


def parse_feed(data: bytes, *, local: bool = False) -> Feed:
    """Parse a feed; `local` is whether it came from this computer.

    Raises SpanlightError for anything that is not a feed, or has a newer format.
    """
    try:
        parsed = json.loads(data, parse_constant=_refuse) if len(data) <= MOST_BYTES else None
        if not isinstance(parsed, dict) or type(parsed.get("format")) is not int or parsed["format"] < 1:
            raise ValueError("no feed")
        if parsed["format"] > FORMAT:
            raise SpanlightError(
                Message("The announcement of new versions is in a newer form than this Spanlight reads."),
                Message("Look on the page that Spanlight came from."),
            )
        feed = from_plain(Feed, parsed)
        if len(feed.releases) > _MOST_RELEASES:
            raise ValueError("too many releases")
        return replace(feed, releases=tuple(_checked(release, local) for release in feed.releases))
    except (ValueError, TypeError, KeyError, RecursionError) as fault:
        raise SpanlightError(
            Message("What is at that address does not announce versions of Spanlight."),
            Message("Check the address."),
        ) from fault


def version_key(version: str) -> tuple[Any, ...]:
    """Return the sort key of a version (PEP 440, "Summary of permitted suffixes and relative ordering").

    Raises ValueError for a version that no release of Spanlight can have.
    """
    found = _VERSION.fullmatch(version)
    if found is None:
        raise ValueError(f"no version: {version!a:.80}")
    numbers = [int(part) for part in found["release"].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    step = (_STEPS[found["kind"]], int(found["number"])) if found["kind"] else (_FINAL, 0)
    if found["dev"] is not None and not found["kind"] and found["post"] is None:
        step = (-1, 0)  # 1.0.dev1 comes before 1.0a1
    post = int(found["post"]) if found["post"] is not None else -1
    dev = int(found["dev"]) if found["dev"] is not None else 10**6
    return tuple(numbers), step, post, dev


def is_preview(version: str) -> bool:
    """Whether a version is a pre-release."""
    found = _VERSION.fullmatch(version)
    return found is not None and (found["kind"] is not None or found["dev"] is not None)


def newest(feed: Feed, own: str) -> Release | None:
    """Return the newest release that is newer than `own`; pre-releases count only if `own` is one."""
    wanted = [each for each in feed.releases if is_preview(own) or not is_preview(each.version)]
    found = max(wanted, key=lambda each: version_key(each.version), default=None)
    return found if found is not None and version_key(found.version) > version_key(own) else None


def this_computer() -> tuple[str, str, tuple[str, ...]]:
    """This computer's system and machine as feeds name them, and the kinds of files for it, preferred ones first."""
    system = _NAMES_OF_SYSTEMS.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    if not getattr(sys, "frozen", False):  # run from source or installed with pip
        kinds: tuple[str, ...] = ("wheel",)
    elif system == "linux":
        kinds = ("deb", "archive") if shutil.which("dpkg") else ("archive",)
    else:
        kinds = _KINDS_OF.get(system, ())
    return system, _NAMES_OF_MACHINES.get(machine, machine), kinds


def file_for_computer(
    release: Release, system: str, machine: str, kinds: Sequence[str]
) -> ReleaseFile | None:
    """Return the release's file for a computer, of the first of `kinds` that it has."""
    for kind in kinds:
        for file in release.files:
            fits = file.system in (system, "any") and file.machine in (machine, "any")
            if file.kind == kind and fits:
                return file
    return None


def _checked(release: Release, local: bool) -> Release:
    version_key(release.version)
    if not _DAY.fullmatch(release.date):
        raise ValueError("no day")
    calendar_date.fromisoformat(release.date)
    if not is_web_address(release.page, local=local):
        raise ValueError("no page")
    if len(release.files) > _MOST_FILES:
        raise ValueError("too many files")
    for file in release.files:
        if not is_web_address(file.address, local=local) or not file.name:
            raise ValueError("no file's address")
        if not 0 < file.size < 2**40 or not _DIGEST.fullmatch(file.sha256):
            raise ValueError("no size or checksum")
    known = (
        each
        for each in release.files
        if each.system in SYSTEMS and each.machine in MACHINES and each.kind in KINDS
    )
    return replace(release, notes=legible_lines(release.notes, _MOST_NOTES).strip(), files=tuple(known))


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
