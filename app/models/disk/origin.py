"""origin.json: where an installed model came from; its presence marks the folder as complete."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.offers import Origin, Source
from app.core.plain import checked, from_plain
from app.models.disk.weights import read_json, write_json

ORIGIN = "origin.json"
# Pairs in Origin, objects in the file.
_MAPS = ("sizes", "checksums")


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
