"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from app.core.errors import SpanlightError


def may_write(folder: Path) -> bool:
    """Whether files may be written below a folder, which need not be there yet; nothing is written to find out."""
    there = next((each for each in (folder, *folder.parents) if os.path.exists(each)), folder)  # noqa: PTH110
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)  # noqa: PTH112


def write_atomic(path: Path, data: bytes, *, private: bool = True) -> None:
    """Write the file beside its place and rename it, making folders as needed.

    A reader sees the old file or the new one, never half of one. A `private` file is closed to the computer's other
    users, any other is as open as the files that other programs write. Raises SpanlightError when the disk refuses.
    """
    beside = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        if not private:
            _open_up(Path(beside), path)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as fault:
        if beside:
            Path(beside).unlink(missing_ok=True)
        reason = fault.strerror or "the disk refused"
        raise SpanlightError(
            f"{path} could not be written: {reason}.", "Free some space or check the folder's permissions."
        ) from fault


def _open_up(beside: Path, path: Path) -> None:
    """Give the file the rights of the one that it takes the place of, else those of any new file."""
    if path.exists():
        rights = path.stat().st_mode & 0o777
    else:
        probe = beside.with_suffix(".rights")
        probe.touch()
        rights = probe.stat().st_mode & 0o777
        probe.unlink()
    beside.chmod(rights)
