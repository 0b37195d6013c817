"""resources/models.json: the models offered for download."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.offers import OfferedModel
from app.models.families import FAMILIES

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_COMMIT = re.compile(r"[0-9a-f]{40}|")
_LANGUAGE = re.compile(r"[a-z]{2,3}|multi")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_log = logging.getLogger(__name__)


def read_catalogue(path: Path) -> tuple[OfferedModel, ...]:
    """The catalogue's models, by head and then by size; a malformed or repeated entry is logged and left out.

    Raises SpanlightError if the file cannot be read or is not a catalogue.
    """
    try:
        entries = json.loads(path.read_bytes())["models"]
        if not isinstance(entries, list):
            raise TypeError("its models are no list")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as fault:
        _log.warning("catalogue not read: %s", fault)
        raise SpanlightError(
            f"The catalogue {path.name} cannot be read.", "Install Spanlight again, or type a model's name."
        ) from fault
    found: dict[str, OfferedModel] = {}
    for number, entry in enumerate(entries):
        try:
            model = read_entry(entry)
            if model.repository.casefold() in found:
                raise ValueError("it is there twice")
            found[model.repository.casefold()] = model
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            _log.warning("catalogue: entry %d left out: %r", number, fault)
    return tuple(sorted(found.values(), key=_order))


def read_entry(entry: dict[str, object]) -> OfferedModel:
    """One entry of the file as a model; raises KeyError, TypeError or ValueError if it is malformed."""
    if unknown := entry.keys() - OfferedModel.__dataclass_fields__.keys():
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    no_answer = entry.get("no_answer")
    model = OfferedModel(
        repository=_matching(entry["repository"], _REPOSITORY),
        title=_line(entry["title"]),
        heads=tuple(Head(_line(head)) for head in _list(entry["heads"])),
        line=_line(entry["line"]),
        family=_line(entry["family"]),
        size=_count(entry["size"]),
        parameters=_count(entry["parameters"]),
        licence=_line(entry["licence"]),
        languages=tuple(_matching(each, _LANGUAGE) for each in _list(entry["languages"])),
        max_length=_count(entry["max_length"]),
        labels=tuple(_line(label) for label in _list(entry.get("labels", []))),
        no_answer=no_answer if isinstance(no_answer, bool) else None,
        squad2_f1=_per_cent(entry.get("squad2_f1", 0.0)),
        commit=_matching(entry.get("commit", ""), _COMMIT),
        source=_line(entry["source"]),
        checked=_matching(entry["checked"], _DAY),
    )
    if model.family not in FAMILIES:
        raise ValueError(f"{model.family} is no family that is read")
    if not model.heads or not model.languages:
        raise ValueError("no head, or no language")
    if (Head.QUESTION_ANSWERING in model.heads) != (model.no_answer is not None):
        raise ValueError("no_answer goes with readers, and with them only")
    return model


def _order(model: OfferedModel) -> tuple[int, int, str]:
    return list(Head).index(model.heads[0]), model.size, model.repository


def _line(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable() or value != " ".join(value.split()) or not value:
        raise ValueError(f"{value!r} is no line of text")
    return value


def _matching(value: object, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError(f"{value!r} is malformed")
    return value


def _count(value: object) -> int:
    if type(value) is not int or value <= 0:
        raise ValueError(f"{value!r} is no count")
    return value


def _per_cent(value: object) -> float:
    if not isinstance(value, float) or not 0 <= value <= 100:
        raise ValueError(f"{value!r} is no figure in per cent")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is no list")
    return value
