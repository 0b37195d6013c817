"""The user's settings, saved between starts."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from app.core.atomic import write_atomic
from app.core.models import Head
from app.core.plain import json_of

THEMES = ("system", "light", "dark")
READINGS = ("usual", "every", "quick")
MOST_RECENT = 12
# The smallest and the largest value of each number.
_RANGES: dict[str, tuple[float, float]] = {
    "ask_threshold": (0.01, 0.99),
    "ask_top_k": (1, 100),
    "text_size": (75, 200),
    "document_size": (50, 300),
    "page_zoom": (-1.0, 8.0),
    "unload_minutes": (0, 24 * 60),
    "list_library": (0, 2**53),
    "download_speed": (0.0, 1e12),
    "reading_speed": (0.0, 1e18),
    "last_table": (0, 1 << 62),
    "last_labels": (0, 1 << 62),
}
_OLD_MODELS = {"reader_model": Head.QUESTION_ANSWERING, "classifier_model": Head.CLASSIFICATION}

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Settings:
    """Choices and the window's shape; an empty string means that nothing was chosen.

    `device` is one of auto, cpu, cuda, mps; `models` maps a head's value to the name or folder of its model;
    `ask_threshold` is the least probability that the text answers for an answer to be given, None for the reader's own;
    `geometry` is the window's geometry in Base64; `splitters` maps a splitter's name to its sizes in pixels;
    `ask_reading` is how a long document is read: the passages that a quicker reader finds (usual), all of them by the
    careful reader (every), or only the best ones (quick);
    `ask_scope` is what questions are asked of: the document on the page (empty), the open documents (open), or a
    library by its number (library:3);
    `keep_history` is whether every question is saved with its answer;
    `recent_files` are the paths opened last, latest first; `document_list` is whether the list of documents is shown if
    there is room for it, `list_library` the number of the library whose files it shows, 0 for none;
    `motion` is whether animations are allowed: as in the system (system), or never (none);
    `language` is the window's: a two-letter code, or that of the system (system);
    `text_size` is in per cent of the default, `document_size` scales documents' text further; `page_zoom` scales pages:
    1 is their size on paper, 0 fits the width, -1 the whole page; `outline` is whether a document's outline is shown
    beside it;
    `classify_lines` is whether each line is a separate text; `names_joining` is a PieceAggregation;
    `precision` is one of core.models.PRECISIONS; `unload_minutes` is the idle time after which models are unloaded, 0
    for never; `offline` forbids the network; `endpoint`, `proxy`, `certificates`, `hub_cache` and `use_token` are those
    of core.network.Network; `updates` is the address of the feed that announces releases (core.releases), requested
    only when the person asks; `download_speed` is the last one measured, in bytes a second, `reading_speed` that of a
    reader on this computer, in tokens a second times its weights, in which slower readings than before count less;
    `last_table` is the number of the table of answers shown last, `last_labels` that of the labelled table shown last,
    `teach_section` what was taught last: labels or reader;
    `table_paused` is whether filling tables is paused;
    `welcomed` is False only at the very first start; `others` holds keys of other versions, which are written back
    unchanged.
    """

    theme: str = "system"
    device: str = "auto"
    models: dict[str, str] = field(default_factory=dict)
    last_view: str = ""
    geometry: str = ""
    splitters: dict[str, list[int]] = field(default_factory=dict)
    ask_top_k: int = 5
    ask_threshold: float | None = None
    ask_reading: str = "usual"
    ask_scope: str = ""
    keep_history: bool = True
    recent_files: list[str] = field(default_factory=list)
    document_list: bool = True
    list_library: int = 0
    motion: str = "system"
    language: str = "system"
    text_size: int = 100
    document_size: int = 100
    page_zoom: float = 0.0
    outline: bool = False
    classify_lines: bool = False
    names_joining: str = "first"
    precision: str = "auto"
    unload_minutes: int = 15
    offline: bool = False
    endpoint: str = ""
    proxy: str = ""
    certificates: str = ""
    hub_cache: str = ""
    use_token: bool = False
    updates: str = ""
    download_speed: float = 0.0
    reading_speed: float = 0.0
    last_table: int = 0
    last_labels: int = 0
    teach_section: str = ""
    table_paused: bool = False
    welcomed: bool = False
    others: dict[str, object] = field(default_factory=dict)


def load(path: Path) -> Settings:
    """Load the settings of the file, or the defaults if it is missing; values of a wrong type are ignored.

    A file that is not a settings file at all is renamed to `settings.json.broken`.
    """
    return _read(path) or Settings()


def save(settings: Settings, path: Path, before: Settings | None = None) -> None:
    """Write the settings; raises SpanlightError on a disk error.

    With `before`, the settings as this process loaded or last saved them, only changes since then are written: the
    window and a command may run at the same time, and neither may revert the other's changes.
    """
    values = _values(copied(settings))
    there = _read(path) if before is not None else None
    if before is not None and there is not None:
        values = _merged(values, _values(before), _values(there))
    write_atomic(path, (json_of(values, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))


def adopt_changes(settings: Settings, path: Path, before: Settings) -> tuple[str, ...]:
    """Adopt what another process saved since `before`, in the settings and in `before`; returns the changed names.

    A setting that this process changed too keeps its value; models are merged head by head.
    """
    there = _read(path)
    if there is None:
        return ()
    changed = []
    for name in (each.name for each in fields(settings) if each.name != "others"):
        mine, was, other = getattr(settings, name), getattr(before, name), getattr(there, name)
        if isinstance(other, dict):
            other = _merged(mine, was, other)
        elif mine != was:
            continue
        if other != mine:
            setattr(settings, name, other)
            changed.append(name)
        setattr(before, name, getattr(there, name))
    return tuple(changed)


def copied(settings: Settings) -> Settings:
    """Copy the settings, safely while another thread changes them."""
    return replace(
        settings,
        models=dict(settings.models),
        splitters=dict(settings.splitters),
        recent_files=list(settings.recent_files),
        others=dict(settings.others),
    )


def _read(path: Path) -> Settings | None:
    """Read the settings of the file; None if they cannot be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as fault:
        _log.warning("settings not read: %s", fault)
        return None
    try:
        values = json.loads(data.decode("utf-8"))
        if not isinstance(values, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError) as fault:
        _set_aside(path, fault)
        return None
    return _from_values(values)


def _values(settings: Settings) -> dict[str, object]:
    """Return the settings as they are stored in the file."""
    return settings.others | {
        each.name: getattr(settings, each.name) for each in fields(settings) if each.name != "others"
    }


def _merged(
    ours: Mapping[str, object], before: Mapping[str, object], theirs: Mapping[str, object]
) -> dict[str, object]:
    """Return the file's values with this process's changes since `before`; objects are merged key by key."""
    merged = dict(theirs)
    for name in ours.keys() | before.keys():
        mine, was, other = ours.get(name), before.get(name), theirs.get(name)
        if isinstance(mine, dict) and isinstance(was, dict) and isinstance(other, dict):
            merged[name] = _merged(mine, was, other)
        elif name not in ours:
            merged.pop(name, None)
        elif mine != was or name not in before:
            merged[name] = mine
    return merged


def _from_values(values: dict[str, object]) -> Settings:
    settings = Settings(welcomed=True)  # a settings file means that this is not the first start
    known = {each.name for each in fields(Settings) if each.name != "others"}
    for name, value in values.items():
        match name:
            case "reader_model" | "classifier_model":
                # Keys of older versions; the value in `models` is newer.
                if isinstance(value, str) and value:
                    settings.models = {str(_OLD_MODELS[name]): value} | settings.models
            case "ask_quick" | "ask_every":
                # Keys of older versions; the value in `ask_reading` is newer.
                if value is True and "ask_reading" not in values:
                    settings.ask_reading = name.removeprefix("ask_")
            case "models" if isinstance(value, dict):
                settings.models |= {head: model for head, model in value.items() if isinstance(model, str)}
            case "splitters" if isinstance(value, dict):
                settings.splitters = {str(key): sizes for key, sizes in value.items() if _are_sizes(sizes)}
            case "recent_files" if isinstance(value, list):
                settings.recent_files = [path for path in value if isinstance(path, str)][:MOST_RECENT]
            case _ if name not in known:
                settings.others[name] = value
            case _ if _fits(name, value):
                setattr(settings, name, value)
            case _:
                _log.warning("setting %s ignored: %r", name, value)
    return settings


def _fits(name: str, value: object) -> bool:
    """Whether a value of the file is one that the setting, which is neither a list nor an object, can have."""
    default = getattr(Settings(), name)
    if value == default and type(value) is type(default):
        return True
    if name in _RANGES:
        least, most = _RANGES[name]
        return type(value) is type(least) and least <= value <= most
    match name:
        case "theme":
            return value in THEMES
        case "ask_reading":
            return value in READINGS
        # Imported only for other values than the defaults, to start the window without these modules.
        case "precision":
            from app.core.models import PRECISIONS

            return value in PRECISIONS
        case "names_joining":
            from app.core.requests import PieceAggregation

            return value in tuple(PieceAggregation)
    return type(value) is type(default) and isinstance(value, (bool, str))


def _are_sizes(value: object) -> bool:
    return isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)


def _set_aside(path: Path, fault: Exception) -> None:
    _log.warning("settings set aside as broken: %s", fault)
    try:
        os.replace(path, path.with_name(path.name + ".broken"))
    except OSError as refusal:
        _log.warning("broken settings could not be set aside: %s", refusal)
