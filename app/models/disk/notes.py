"""spanlight.json: a model's additional settings, which only Spanlight reads."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.models import QaCalibration
from app.core.reliability import BINS, Bins, Reliability, ReliabilityBin, TextKind
from app.models.disk.weights import read_json

NOTES = "spanlight.json"
MOST_LANGUAGES = 500


@dataclass(frozen=True, slots=True)
class Notes:
    """A model's notes; every field is optional in the file.

    `window` and `stride` are tokens, 0 for unset; `languages` are ISO 639 codes; `finder` is the name of a folder
    next to the model's: a quicker reader that finds passages of a long text for it.
    """

    description: str = ""
    licence: str = ""
    languages: tuple[str, ...] = ()
    window: int = 0
    stride: int = 0
    calibration: QaCalibration = field(default_factory=QaCalibration)
    class_temperature: float = 1.0
    measured: dict[str, dict[str, float]] = field(default_factory=dict)
    reliability: Reliability = field(default_factory=dict)
    finder: str = ""


def read_notes(folder: Path | str) -> Notes:
    """The notes of a model folder, the defaults if there is no file.

    Raises SpanlightError if the file is malformed: silently ignoring a calibration would change every
    probability.
    """
    path = Path(folder) / NOTES
    if not path.is_file():
        return Notes()
    found = read_json(path)
    try:
        calibration = found.get("calibration", {})
        numbers = {
            f.name: _number(calibration[f.name]) for f in fields(QaCalibration) if f.name in calibration
        }
        notes = Notes(
            description=_text(found.get("description", "")),
            licence=_text(found.get("licence", "")),
            languages=tuple(_text(code) for code in _list(found.get("languages", []))),
            window=_count(found.get("window", 0)),
            stride=_count(found.get("stride", 0)),
            calibration=QaCalibration(**numbers),
            class_temperature=_number(found.get("class_temperature", 1.0)),
            finder=_name(found.get("finder", "")),
            measured={
                str(data): {str(name): _number(figure) for name, figure in figures.items()}
                for data, figures in found.get("measured", {}).items()
            },
            reliability={TextKind(kind): _bins(bins) for kind, bins in found.get("reliability", {}).items()},
        )
        temperatures = (
            notes.calibration.temperature,
            notes.calibration.answer_temperature,
            notes.class_temperature,
        )
        limits = notes.calibration.threshold, notes.calibration.absent
        long = notes.calibration.long_answer_temperature
        if min(temperatures) <= 0 or long < 0 or not 0 <= min(limits) <= max(limits) <= 1:
            raise ValueError("a temperature or threshold out of range")
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SpanlightError(
            f"{NOTES} of {path.parent.name} is malformed: {error}.",
            "Put it right, or delete it to use the defaults.",
        ) from error
    return notes


def write_notes(folder: Path | str, notes: Notes) -> None:
    """Write a model folder's notes atomically. Raises OSError if the folder cannot be written."""
    path = Path(folder) / NOTES
    partial = path.with_suffix(".json.part")
    partial.write_text(json.dumps(asdict(notes), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(partial, path)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError(f"{str(value)[:40]!r} is not a number")
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError(f"{str(value)[:40]!r} is not a count")
    return int(value)


def _share(value: Any) -> float:
    if not 0 <= (share := _number(value)) <= 1:
        raise ValueError(f"{share} is not a share of 1")
    return share


def _bins(value: Any) -> Bins:
    if not isinstance(value, list) or len(value) != BINS:
        raise ValueError(f"{str(value)[:40]!r} is not a list of {BINS} bins")
    return tuple(
        ReliabilityBin(_count(each.get("questions")), _share(each.get("said")), _share(each.get("right")))
        for each in value
    )


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_LANGUAGES:
        raise ValueError(f"{str(value)[:40]!r} is no list of languages")
    return value


def _name(value: Any) -> str:
    if Path(_text(value)).name != value:
        raise ValueError(f"{str(value)[:40]!r} is not the name of a folder")
    return str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{str(value)[:40]!r} is not a text")
    return value
