"""A plain-text report for bug reports, in English, without the user's documents and questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

from app.core import wording
from app.core.errors import SpanlightError
from app.core.report import Report
from app.documents.recognition.program import version as tesseract_version
from app.flows.about import about, places
from app.flows.models.installed import installed
from app.flows.workspace import Workspace
from app.settings.paths import short_path, without_home
from app.settings.settings import Settings

_LINES = 60
_MOST_BYTES = 200_000  # read from the end of a log
# Settings whose values are shown; for the others, only that they were changed. `models` is handled separately.
_SHOWN = frozenset(
    "theme device precision unload_minutes offline use_token ask_top_k ask_threshold ask_reading keep_history"
    " text_size document_size classify_lines names_joining last_view".split()
)
# Settings that change with every start, or do not help to find a fault.
_LEFT_OUT = frozenset("geometry splitters recent_files download_speed reading_speed welcomed".split())
_SECRET = re.compile(r"(?<=://)[^/\s@]+(?=@)")


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
            found.append((name, f"{value}" if name in _SHOWN else "changed"))
    return found or [("none", "")]


def redact(settings: Settings, text: str) -> str:
    """Remove the home folder, recent files, private settings, and names and passwords in addresses from the text."""
    own = [getattr(settings, each.name) for each in fields(settings) if each.name not in _SHOWN | _LEFT_OUT]
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
