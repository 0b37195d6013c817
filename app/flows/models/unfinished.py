"""Downloads that were begun: one small file each, written before the first byte and gone with the last."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path

from app.core.offers import Passport
from app.core.plain import from_plain, to_plain
from app.models.download.repositories import COMMIT, is_hostile, is_repository
from app.settings.files import write_atomic

_LARGEST = 2**22
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Begun:
    """A download as it was begun: the passport looked up then, and when (ISO 8601, UTC)."""

    passport: Passport
    begun: str


def read_begun(folder: Path, repository: str) -> Begun | None:
    """The unfinished download of a repository, None where there is none that can be read."""
    return _read(_file(folder, repository))


def all_begun(folder: Path) -> tuple[Begun, ...]:
    """All unfinished downloads, the oldest first; files that tell of none are left out."""
    found = [_read(path) for path in sorted(folder.glob("*.json"))] if folder.is_dir() else []
    return tuple(sorted((each for each in found if each is not None), key=lambda each: each.begun))


def write_begun(folder: Path, begun: Begun) -> None:
    """Take down that a download is begun. Raises SpanlightError when the disk refuses."""
    write_atomic(
        _file(folder, begun.passport.repository), json.dumps(to_plain(begun), indent=1).encode("ascii")
    )


def drop_begun(folder: Path, repository: str) -> None:
    """Take an unfinished download off the list. Raises OSError when the disk refuses."""
    _file(folder, repository).unlink(missing_ok=True)


def _file(folder: Path, repository: str) -> Path:
    if not is_repository(repository):
        raise ValueError(f"no repository: {repository!a}")
    return folder / f"{repository.replace('/', '--')}.json"


def _read(path: Path) -> Begun | None:
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("larger than any passport")
        begun = from_plain(Begun, json.loads(path.read_bytes()))
        passport = begun.passport
        sound = (
            is_repository(passport.repository)
            and COMMIT.fullmatch(passport.commit)
            and passport.card is not None
        )
        if not sound or any(
            file.size < 0 or is_hostile(file.name) or "/" in file.name for file in passport.files
        ):
            raise ValueError("no passport of a model")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as fault:
        _log.warning("an unfinished download is left out, %s: %s", path.name, fault)
        return None
    return begun
