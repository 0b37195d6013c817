"""The two files that Spanlight adds to a model's folder: spanlight.json, its additional settings, and origin.json.

origin.json says where an installed model came from; its presence marks the folder as complete.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message, restored, stored
from app.core.models import QaCalibration, is_temperature
from app.core.offers import Origin, Source
from app.core.plain import checked, from_plain
from app.core.reliability import BINS, Reliability
from app.models.disk.names import safe_name
from app.models.disk.weights import parse_object, read_file, read_json, write_json

NOTES = "spanlight.json"
MEAN = "mean"
MOST_LANGUAGES = 500
LONGEST_NOTES = 2**20
# The largest measured figure, such as a number of questions.
MOST = 1e12
ORIGIN = "origin.json"
# Pairs in Origin, objects in the file.
_MAPS = ("sizes", "checksums")


@dataclass(frozen=True, slots=True)
class Notes:
    """A model's notes; every field is optional in the file.

    `window` and `stride` are tokens, 0 for unset; `languages` are ISO 639 codes; `finder` is the name of a folder
    next to the model's: a quicker reader that finds passages of a long text for it. `pooling` is `MEAN` for a model
    trained to embed texts by the mean of their tokens' last states, else empty.
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
    pooling: str = ""


def read_notes(folder: Path | str) -> Notes:
    """The notes of a model folder, the defaults if there is no file.

    Raises SpanlightError if the file is malformed: silently ignoring a calibration would change every
    probability.
    """
    path = Path(folder) / NOTES
    if not path.is_file():
        return Notes()
    found = parse_object(read_file(path, LONGEST_NOTES), NOTES)
    try:
        notes = from_plain(Notes, found)
    except ValueError as error:
        raise _malformed(path, Message("a value of another kind than is foreseen there")) from error
    if fault := _fault(notes):
        raise _malformed(path, fault)
    return replace(notes, description=restored(notes.description))


def write_notes(folder: Path | str, notes: Notes) -> None:
    """Write a model folder's notes atomically. Raises OSError if the folder cannot be written."""
    notes = replace(notes, description=stored(notes.description))
    write_json(Path(folder) / NOTES, asdict(notes), ensure_ascii=False)


def _malformed(path: Path, fault: str) -> SpanlightError:
    return SpanlightError(
        Message("spanlight.json of {name} is malformed: {fault}.", name=path.parent.name, fault=fault),
        Message("Put it right, or delete it to use the defaults."),
    )


def _fault(notes: Notes) -> str:
    """What is out of range in the notes, empty if nothing is."""
    if not notes.calibration.is_sound or not is_temperature(notes.class_temperature):
        return Message("a temperature, threshold or offset out of range")
    if not all(abs(figure) <= MOST for figures in notes.measured.values() for figure in figures.values()):
        return Message("a measured figure out of range")
    if not all(0 <= count < 2**31 for count in (notes.window, notes.stride)):
        return Message("a window or stride out of range")
    for bins in notes.reliability.values():
        if len(bins) != BINS or not all(
            0 <= each.questions < 2**31 and 0 <= each.said <= 1 and 0 <= each.right <= 1 for each in bins
        ):
            return Message("a reliability that is not {n} bins of shares", n=BINS)
    if notes.finder and safe_name(notes.finder) != notes.finder:
        return Message("a finder that is not the name of a folder")
    if notes.pooling not in ("", MEAN):
        return Message("a pooling other than {mean}", mean=MEAN)
    if len(notes.languages) > MOST_LANGUAGES:
        return Message("more than {n} languages", n=MOST_LANGUAGES)
    return ""


def read_origin(folder: Path | str) -> Origin | None:
    """The origin of a model folder, None without one; unknown keys are ignored.

    Raises SpanlightError if the file is malformed: then the model may be incomplete.
    """
    path = Path(folder) / ORIGIN
    if not path.is_file() and not path.is_symlink():
        return None
    try:
        found = read_json(path)
        if found.get("source") not in tuple(Source):  # a newer Spanlight may know more
            found["source"] = Source.UNKNOWN
        return from_plain(Origin, found | {name: _pairs(found.get(name, {})) for name in _MAPS})
    except (SpanlightError, ValueError) as fault:
        raise SpanlightError(
            Message(
                "origin.json of {name} is malformed, so it cannot be told whether the model is whole.",
                name=Path(folder).name,
            ),
            Message("Remove the model, and import or download it again."),
        ) from fault


def write_origin(folder: Path | str, origin: Origin) -> None:
    """Write a model folder's origin atomically. Raises OSError if the folder cannot be written."""
    path = Path(folder) / ORIGIN
    values = asdict(origin)
    write_json(path, values | {name: dict(values[name]) for name in _MAPS})


def _pairs(found: object) -> list[list[object]]:
    return [list(pair) for pair in checked(dict, found).items()]
