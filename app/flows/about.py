"""Versions, the computer, and the folders that Spanlight uses; and a plain-text report of them for bug reports."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from app.core import wording
from app.core.about import NAME, VERSION
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.documents.recognition.program import version as tesseract_version
from app.flows.licences import licences
from app.flows.models.installed import installed
from app.flows.workspace import Workspace
from app.models.compute import memory, processor
from app.models.compute.graphics import cards
from app.settings.paths import short_path, without_home
from app.settings.settings import Settings

# The titles of components, in the order shown, and their names in the list of licences.
_SHOWN = {
    "Python": "Python",
    "PyTorch": "torch",
    "transformers": "transformers",
    "tokenizers": "tokenizers",
    "safetensors": "safetensors",
    "NumPy": "numpy",
    "PDFium": "PDFium",
    "SQLite": "SQLite",
}
_LINES = 60
_MOST_BYTES = 200_000  # read from the end of a log
# Settings whose values are shown; for the others, only that they were changed. `models` is handled separately.
_SHOWN_SETTINGS = frozenset(
    "theme device precision unload_minutes offline use_token ask_top_k ask_threshold ask_reading keep_history"
    " text_size document_size classify_lines names_joining last_view".split()
)
# Settings that change with every start, or do not help to find a fault.
_LEFT_OUT = frozenset("geometry splitters recent_files download_speed reading_speed welcomed".split())
_SECRET = re.compile(r"(?<=://)[^/\s@]+(?=@)")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that Spanlight uses, and what it holds."""

    title: str
    folder: Path


@dataclass(frozen=True, slots=True)
class About:
    """Versions of Spanlight and its components, and properties of this computer.

    `memory` and `free` are bytes, 0 where not known. `bundled` is whether an installer has put everything into one
    folder.
    """

    versions: tuple[tuple[str, str], ...]
    system: str
    processor: str
    cores: int
    memory: int
    free: int
    graphics: tuple[str, ...]
    bundled: bool


def about(workspace: Workspace, report: Report) -> About:
    """Collect versions and properties of this computer. Raises Stopped when cancelled."""
    try:
        found = {part.name.casefold(): part.version for part in licences(workspace, report)}
    except SpanlightError:  # the page with the licences shows it
        found = {}
    versions = [(title, found.get(name.casefold(), "")) for title, name in _SHOWN.items()]
    total, free = memory.computer()
    return About(
        versions=((NAME, VERSION), *((title, version) for title, version in versions if version)),
        system=system(),
        processor=processor.name(),
        cores=processor.physical_cores(),
        memory=total,
        free=free,
        graphics=tuple(card.title for card in cards()),
        bundled=bool(getattr(sys, "frozen", False)),
    )


def places(workspace: Workspace) -> tuple[Place, ...]:
    """The folders with the user's own data."""
    paths = workspace.paths
    return (
        Place(Message("Settings"), paths.config),
        Place(Message("Texts, drafts, history"), paths.data),
        Place(Message("Models"), paths.models),
        Place(Message("Logs"), paths.logs),
    )


def system() -> str:
    """The operating system, its version and the kind of machine: "Debian GNU/Linux 12, Linux 6.1, x86_64"."""
    machine = platform.machine()
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}, {machine}"
    named = ""
    if sys.platform.startswith("linux"):
        try:
            named = platform.freedesktop_os_release().get("PRETTY_NAME", "")
        except OSError:
            named = ""
    whole = f"{platform.system()} {platform.release()}"
    return ", ".join(part for part in (named, whole, machine) if part)


def diagnostics(workspace: Workspace, window: Sequence[tuple[str, str]], report: Report) -> str:
    """Compose the report: versions, system, `window` (names with values), settings, models and the ends of logs.

    The home folder is replaced by ~; recent files, and names and passwords in addresses, by an ellipsis. Raises Stopped
    when cancelled.
    """
    here, confined = about(workspace, report), workspace.documents.confined
    installation = (
        "installed, with everything in one folder" if here.bundled else "run by a Python of its own"
    )
    computer = [
        ("System", here.system),
        ("Processor", f"{here.processor}, {here.cores} {'core' if here.cores == 1 else 'cores'}"),
        ("Memory", f"{wording.size(here.memory)}, {wording.size(here.free)} free"),
        *(("Graphics", card) for card in here.graphics),
        ("Documents", "none has been read yet" if confined is None else f"are read {confined}"),
        ("Tesseract", tesseract_version()),
        *window,
    ]
    parts = [
        _section("Versions", [*here.versions, ("Installation", installation)]),
        _section("Computer", computer),
        _section("Folders", [(place.title, short_path(place.folder)) for place in places(workspace)]),
        _section("Settings that were changed", changed_settings(workspace.settings)),
        _section("Models", _models(workspace)),
    ]
    report.check()
    for log in (workspace.paths.log_file, workspace.paths.logs / "engine.log"):
        if lines := last_lines(log):
            parts.append("\n".join([f"The end of {log.name}", *(f"  {line}" for line in lines)]))
    return redact(workspace.settings, "\n\n".join(parts)) + "\n"


def changed_settings(settings: Settings) -> list[tuple[str, str]]:
    """The settings that differ from the defaults, with their values unless these may be private."""
    defaults, found = Settings(), []
    for name in (each.name for each in fields(Settings)):
        value = getattr(settings, name)
        if name in _LEFT_OUT or value == getattr(defaults, name):
            continue
        if name == "models":
            # A folder's path is private; its last part is the model's name.
            found += [(f"model for {head}", Path(model).name) for head, model in value.items() if model]
        elif name == "others":
            found += [(str(other), "changed, of another version") for other in value]
        else:
            found.append((name, f"{value}" if name in _SHOWN_SETTINGS else "changed"))
    return found or [("none", "")]


def redact(settings: Settings, text: str) -> str:
    """Remove the home folder, recent files, private settings, and names and passwords in addresses from the text."""
    own = [
        getattr(settings, each.name)
        for each in fields(settings)
        if each.name not in _SHOWN_SETTINGS | _LEFT_OUT
    ]
    for value in own:
        if isinstance(value, str) and len(value) > 2:
            text = text.replace(value, "…")
    for path in settings.recent_files:
        for name in (path, Path(path).name):
            if len(name) > 2:
                text = text.replace(name, "…")
    return without_home(_SECRET.sub("…", text))


def last_lines(log: Path) -> list[str]:
    """The last lines of a log; none if there is no such file."""
    try:
        with log.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _MOST_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()[-_LINES:]
    except OSError:
        return []


def _models(workspace: Workspace) -> list[tuple[str, str]]:
    try:
        cards = installed(workspace)
    except SpanlightError as fault:
        return [("not read", fault.message)]
    found = [(card.name, f"{card.family}, {wording.size(card.size)}") for card in cards]
    broken = [(Path(folder).name, fault.message) for folder, fault in workspace.shelf.refused.items()]
    return found + broken or [("none", "")]


def _section(title: str, rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join([title, *(f"  {name}: {value}" if value else f"  {name}" for name, value in rows)])
