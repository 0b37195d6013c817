"""origin.json: where an installed model came from, and the mark that its folder is whole."""

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
_SWITCHES = ("linked", "was_cached")


def read_origin(folder: Path | str) -> Origin | None:
    """The mark of a model folder, None where it has none; keys that are not known count for nothing.

    Raises SpanlightError where the file is there and is no mark: then nothing tells that the model is whole.
    """
    path = Path(folder) / ORIGIN
    if not path.is_file() and not path.is_symlink():
        return None
    try:
        found = read_json(path)
        source = found.get("source")
        return Origin(
            # A newer Spanlight may know more of them.
            Source(source) if source in tuple(Source) else Source.UNKNOWN,
            **{key: checked(str, found.get(key, "")) for key in _TEXTS},
            **{key: checked(bool, found.get(key, False)) for key in _SWITCHES},
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
    """Write a model folder's mark, beside and renamed, and have it reach the disk.

    Raises OSError where the folder cannot be written.
    """
    path = Path(folder) / ORIGIN
    values = asdict(origin)
    values |= {"sizes": dict(origin.sizes), "checksums": dict(origin.checksums)}
    beside = path.with_suffix(".json.part")
    with beside.open("w", encoding="ascii") as file:
        file.write(json.dumps(values, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
