"""origin.json: where an installed model came from; it also marks its folder as complete."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.offers import Origin, Source
from app.core.plain import checked
from app.models.disk.weights import read_json

ORIGIN = "origin.json"
_TEXTS = ("repository", "commit", "endpoint", "path", "added", "cache", "licence")


def read_origin(folder: Path | str) -> Origin | None:
    """The origin of a model folder, None without one; unknown keys are ignored.

    Raises SpanlightError if the file is malformed: then the model may be incomplete.
    """
    path = Path(folder) / ORIGIN
    if not path.is_file() and not path.is_symlink():
        return None
    try:
        found = read_json(path)
        source = found.get("source")
        return Origin(
            # A newer Spanlight may know more sources.
            Source(source) if source in tuple(Source) else Source.UNKNOWN,
            **{key: checked(str, found.get(key, "")) for key in _TEXTS},
            linked=checked(bool, found.get("linked", False)),
            languages=tuple(checked(str, each) for each in checked(list, found.get("languages", []))),
            sizes=tuple(
                (name, checked(int, size)) for name, size in checked(dict, found.get("sizes", {})).items()
            ),
            checksums=tuple(
                (name, checked(str, sha256))
                for name, sha256 in checked(dict, found.get("checksums", {})).items()
            ),
        )
    except (SpanlightError, ValueError, TypeError) as fault:
        raise SpanlightError(
            f"{ORIGIN} of {Path(folder).name} is malformed, so it cannot be told whether the model is whole.",
            "Remove the model, and import or download it again.",
        ) from fault


def write_origin(folder: Path | str, origin: Origin) -> None:
    """Write a model folder's origin atomically and flush it to disk.

    Raises OSError if the folder cannot be written.
    """
    path = Path(folder) / ORIGIN
    values = asdict(origin)
    values |= {"sizes": dict(origin.sizes), "checksums": dict(origin.checksums)}
    partial = path.with_suffix(".json.part")
    with partial.open("w", encoding="ascii") as file:
        file.write(json.dumps(values, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
