"""The user's settings, saved between starts."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from app.core.models import Head
from app.core.plain import json_of
from app.settings.files import write_atomic

THEMES = ("system", "light", "dark")
READINGS = ("usual", "every", "quick")
MOST_RECENT = 12
# The least and the largest value of each number.
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
    `geometry` is the window's place in Base64; `splitters` maps a splitter's name to its sizes in pixels;
    `ask_reading` is how a long document is read: the passages that a quicker reader finds (usual), all of them by the
    careful reader, or only the best ones (quick);
    `ask_scope` is what questions are asked of: the document on the page (empty), those that are open (open), or a
    library by its number (library:3);
    `keep_history` keeps every question and its answer;
    `recent_files` are the paths opened last, the latest first; `document_list` is whether the list of documents is
    shown where there is room for it, `list_library` the number of the library whose files it shows, 0 for none;
    `motion` is whether things may move by themselves: as the system has it (system), or never (none);
    `language` is that of the window: a code of two letters, or that of the system;
    `text_size` is in per cent of the default, `document_size` the further one of documents' text; `page_zoom` is that
    of pages, 1 for their size on paper, 0 to fit the width, -1 to fit the page; `outline` is whether a document's
    outline is shown beside it;
    `classify_lines` is whether each line is a separate text; `names_joining` is a PieceAggregation;
    `precision` is one of core.models.PRECISIONS; `unload_minutes` is after how long without work models leave the
    memory, 0 for never; `offline` forbids the network; `endpoint`, `proxy`, `certificates`, `hub_cache` and `use_token`
    are those of core.network.Network; `updates` is the address of the feed that announces releases (core.releases),
    asked only when the person wishes it; `download_speed` is the last one measured, in bytes a second, `reading_speed`
    that of a reader here, in tokens a second times its weights;
    `last_table` is the number of the table of answers shown last, `last_labels` that of the labelled one,
    `teach_section` what was taught last: labels or reader;
    `table_paused` whether tables are not filled for now;
    `welcomed` is whether this is not the very first start; `others` holds keys of other versions,
    written back as they were read.
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
    """The settings of the file, or the defaults if it is missing; a value of the wrong type is ignored.

    A file that is not a settings file at all is renamed to `settings.json.broken`.
    """
    return _read(path) or Settings()


def save(settings: Settings, path: Path, before: Settings | None = None) -> None:
    """Write the settings; raises SpanlightError on a disk error.

    With `before`, the settings as they were loaded or last saved here, only changes since then are written: the
    window and a command may run at once, and neither must revert the other's changes.
    """
    values = _values(copied(settings))
    there = _read(path) if before is not None else None
    if before is not None and there is not None:
        values = _merged(values, _values(before), _values(there))
    write_atomic(path, (json_of(values, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))


def adopt_changes(settings: Settings, path: Path, before: Settings) -> tuple[str, ...]:
    """Merge changes made elsewhere since `before` into the settings and into `before`; returns the changed names.

    A setting that was also changed here keeps its value from here; models are merged head by head.
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
    """A copy of the settings; safe while another thread changes them."""
    return replace(
        settings,
        models=dict(settings.models),
        splitters=dict(settings.splitters),
        recent_files=list(settings.recent_files),
        others=dict(settings.others),
    )


def _read(path: Path) -> Settings | None:
    """The settings of the file, None if they cannot be read."""
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
    """The settings as in the file."""
    return settings.others | {
        each.name: getattr(settings, each.name) for each in fields(settings) if each.name != "others"
    }


def _merged(
    ours: Mapping[str, object], before: Mapping[str, object], theirs: Mapping[str, object]
) -> dict[str, object]:
    """The file's values with the changes made here since `before`; objects are merged key by key."""
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
                # How older versions wrote two of them; the value in `models` is newer.
                if isinstance(value, str) and value:
                    settings.models = {str(_OLD_MODELS[name]): value} | settings.models
            case "ask_quick" | "ask_every":
                # How older versions wrote it; the value in `ask_reading` is newer.
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
    """Whether a value of the file is one that the setting can have, of those that are no lists and no objects."""
    usual = getattr(Settings(), name)
    if value == usual and type(value) is type(usual):
        return True
    if name in _RANGES:
        least, most = _RANGES[name]
        return type(value) is type(least) and least <= value <= most
    match name:
        case "theme":
            return value in THEMES
        case "ask_reading":
            return value in READINGS
        # Not imported for the usual values: painting the window does not need them.
        case "precision":
            from app.core.models import PRECISIONS

            return value in PRECISIONS
        case "names_joining":
            from app.core.requests import PieceAggregation

            return value in tuple(PieceAggregation)
    return type(value) is type(usual) and isinstance(value, (bool, str))


def _are_sizes(value: object) -> bool:
    return isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)


def _set_aside(path: Path, fault: Exception) -> None:
    _log.warning("settings set aside as broken: %s", fault)
    try:
        os.replace(path, path.with_name(path.name + ".broken"))
    except OSError as refusal:
        _log.warning("broken settings could not be set aside: %s", refusal)
