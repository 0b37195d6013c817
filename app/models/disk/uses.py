"""When each model was last used."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

_log = logging.getLogger(__name__)


class Uses:
    """Times of last use by model folder, in one small file; written at most once a minute for a folder.

    May be called from any thread; commands that run at the same time write to the same file. If it cannot be read or
    written, only the times are lost.
    """

    def __init__(
        self, path: Path, write: Callable[[Path, bytes], None], now: Callable[[], datetime] | None = None
    ) -> None:
        self._path, self._write = path, write
        self._now = now or (lambda: datetime.now(UTC))
        self._lock = threading.Lock()
        self._written: dict[str, datetime] = {}

    def used(self, folder: str) -> None:
        """Record that a model is used now."""
        now = self._now()
        with self._lock:
            last = self._written.get(folder)
            if last is not None and 0 <= (now - last).total_seconds() < 60:
                return
            self._written[folder] = now
            self._keep(_read(self._path) | {folder: now.isoformat(timespec="seconds")})

    def last(self, folder: str) -> str:
        """When a model was last used (ISO 8601, UTC), empty for never."""
        with self._lock:
            return _read(self._path).get(folder, "")

    def forget(self, folder: str) -> None:
        """Forget a removed model."""
        with self._lock:
            self._written.pop(folder, None)
            times = _read(self._path)
            if times.pop(folder, None) is not None:
                self._keep(times)

    def _keep(self, times: dict[str, str]) -> None:
        try:
            self._write(self._path, (json.dumps(times, indent=1) + "\n").encode())
        except Exception as fault:
            _log.warning("times of use not kept: %s", fault)


def _read(path: Path) -> dict[str, str]:
    try:
        if path.stat().st_size > 2**20:
            raise ValueError("larger than any list of models")
        found = json.loads(path.read_bytes())
        return {str(folder): _time(time) for folder, time in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError) as fault:
        _log.warning("times of use not read: %s", fault)
        return {}


def _time(value: object) -> str:
    time = datetime.fromisoformat(str(value))
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).isoformat(timespec="seconds")
