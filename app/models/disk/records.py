"""Records about models, each in a small file: when they were last used, their measures, their adjustments."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

from app.core.atomic import write_atomic
from app.core.errors import Busy, SpanlightError
from app.core.locks import Lock
from app.core.measures import Measure
from app.core.message import Message, restored, stored
from app.core.models import Adjustment
from app.core.plain import from_plain, json_of

MOST_KEPT = 300
MOST_ADJUSTED = 300
MOST_BYTES = 64 * 2**20
# Seconds to wait for another process, which may be fitting a few numbers.
_LONGEST_WAIT = 10.0

_log = logging.getLogger(__name__)


class Uses:
    """Times of last use by model folder, in one small file; written at most once a minute for a folder.

    Any thread may call it, and several processes may write the same file. If it cannot be read or written, only the
    times are lost.
    """

    def __init__(self, path: Path, now: Callable[[], datetime] | None = None) -> None:
        self._path = path
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
            self._keep(_read_times(self._path) | {folder: now.isoformat(timespec="seconds")})

    def last(self, folder: str) -> str:
        """When a model was last used (ISO 8601, UTC), empty for never."""
        with self._lock:
            return _read_times(self._path).get(folder, "")

    def forget(self, folder: str) -> None:
        """Delete the record of a removed model."""
        with self._lock:
            self._written.pop(folder, None)
            times = _read_times(self._path)
            if times.pop(folder, None) is not None:
                self._keep(times)

    def _keep(self, times: dict[str, str]) -> None:
        try:
            write_atomic(self._path, (json_of(times, indent=1) + "\n").encode())
        except SpanlightError as fault:
            _log.warning("times of use not kept: %s", fault)


def _read_times(path: Path) -> dict[str, str]:
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


class Measures:
    """The latest `MOST_KEPT` measures in one small file, read each time, as another process may have written it.

    Any thread may call it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def all(self) -> tuple[Measure, ...]:
        """All stored measures, the latest first; unreadable ones are left out."""
        with self._lock:
            return self._read()

    def keep(self, *measures: Measure) -> None:
        """Add measures, or restore deleted ones. Raises SpanlightError if they cannot be written."""
        with self._lock:
            known = self._read()
            self._save([*(one for one in measures if one not in known), *known])

    def forget(self, measure: Measure) -> None:
        """Delete a measure, if it exists. Raises SpanlightError if the file cannot be written."""
        with self._lock:
            known = self._read()
            if measure in known:
                self._save(one for one in known if one != measure)

    def forget_model(self, folder: str) -> None:
        """Delete all measures of a removed model. Raises SpanlightError if the file cannot be written."""
        with self._lock:
            known = self._read()
            if any(one.folder == folder for one in known):
                self._save(one for one in known if one.folder != folder)

    def _save(self, measures: Iterable[Measure]) -> None:
        latest = sorted(measures, key=_moment, reverse=True)[:MOST_KEPT]
        values = {"measures": [asdict(one) | {"data": stored(one.data)} for one in latest]}
        write_atomic(self._path, (json_of(values, indent=1, ensure_ascii=False) + "\n").encode())

    def _read(self) -> tuple[Measure, ...]:
        try:
            if self._path.stat().st_size > MOST_BYTES:
                raise ValueError("larger than any list of measures")
            rows = json.loads(self._path.read_bytes())["measures"]
            found = [one for row in rows if (one := _measure(row)) is not None]
        except FileNotFoundError:
            return ()
        except OSError as fault:
            _log.warning("measures not read: %s", fault)
            return ()
        except (ValueError, KeyError, TypeError, RecursionError) as fault:
            self._set_aside(fault)
            return ()
        return tuple(sorted(found, key=_moment, reverse=True))

    def _set_aside(self, fault: Exception) -> None:
        """Rename a broken file, so that writing the next one does not overwrite it."""
        _log.warning("measures set aside as broken: %s", fault)
        try:
            os.replace(self._path, self._path.with_name(self._path.name + ".broken"))
        except OSError as refusal:
            _log.warning("broken measures could not be set aside: %s", refusal)


def _measure(row: Any) -> Measure | None:
    try:
        found = from_plain(Measure, row)
        found = replace(found, data=restored(found.data))
        _moment(found)
        whole = len(found.right) == found.examples and set(found.right) <= {"0", "1"}
        if not whole or not all(map(isfinite, (found.seconds, *found.figures.values()))):
            raise ValueError("not whole")
    except (ValueError, TypeError, OverflowError) as fault:
        _log.warning("a measure left out: %r", fault)
        return None
    return found


def _moment(measure: Measure) -> float:
    return datetime.fromisoformat(measure.when).timestamp()


@dataclass(frozen=True, slots=True)
class _Since:
    """The adjustment that holds from a moment on, in seconds since 1970; None for the shipped calibration."""

    moment: float
    adjustment: Adjustment | None = None


@dataclass(frozen=True, slots=True)
class _Adjusted:
    """A reader's adjustments, the earliest first; `off` is whether it is to have none."""

    since: tuple[_Since, ...] = ()
    off: bool = False


class Adjustments:
    """The adjustments of readers' calibrations by the fingerprints of their weights, in one small file.

    Earlier adjustments are kept too, the latest `MOST_ADJUSTED`: they tell what earlier probabilities meant. Any thread
    and several processes may call it; the file is read again when another process has written it. If it cannot be read,
    there are none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock, self._writing = threading.Lock(), threading.RLock()
        self._file_lock = Lock(path.with_name(f".{path.name}.lock"))
        self._inside = 0  # how many times `exclusive` was entered
        self._seen = (0, 0, 0)
        self._readers: dict[str, _Adjusted] = {}

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep other threads and processes from changing adjustments inside the context, which may be nested.

        Raises Busy where another process holds the lock for too long.
        """
        with self._writing:
            if not self._inside:
                self._take()
            self._inside += 1
            try:
                yield
            finally:
                self._inside -= 1
                if not self._inside:
                    with suppress(OSError):
                        self._file_lock.release()

    def _take(self) -> None:
        until = time.monotonic() + _LONGEST_WAIT
        with suppress(OSError):  # the file cannot be written then either, and writing it says why
            self._path.parent.mkdir(parents=True, exist_ok=True)
            while not self._file_lock.take():
                if time.monotonic() > until:
                    raise Busy(
                        Message("{path} is being written.", path=str(self._path)),
                        Message("Try again in a moment."),
                    )
                time.sleep(0.01)

    def any(self) -> bool:
        """Whether any reader is adjusted now."""
        return any(each.since and each.since[-1].adjustment for each in self._read().values())

    def now(self, weights: str) -> Adjustment | None:
        """A reader's present adjustment, None for the shipped calibration."""
        since = self._read().get(weights, _Adjusted()).since
        return since[-1].adjustment if since else None

    def at(self, weights: str, moment: float) -> Adjustment | None:
        """A reader's adjustment at a moment, in seconds since 1970; None for the shipped calibration."""
        since = self._read().get(weights, _Adjusted()).since
        return next((each.adjustment for each in reversed(since) if each.moment <= moment), None)

    def put(self, weights: str, adjustment: Adjustment | None, moment: float) -> None:
        """Set a reader's adjustment from a moment on. Raises as `exclusive` does, and if the file cannot be written."""
        with self.exclusive():
            found = self._read().get(weights, _Adjusted())
            if adjustment != self.now(weights):
                since = (*found.since, _Since(moment, adjustment))[-MOST_ADJUSTED:]
                self._save(weights, replace(found, since=since))

    def is_off(self, weights: str) -> bool:
        """Whether adjusting a reader is turned off."""
        return self._read().get(weights, _Adjusted()).off

    def turn(self, weights: str, *, off: bool) -> None:
        """Turn adjusting a reader off or on. Raises as `put` does."""
        with self.exclusive():
            found = self._read().get(weights, _Adjusted())
            if off != found.off:
                self._save(weights, replace(found, off=off))

    def _save(self, weights: str, adjusted: _Adjusted) -> None:
        readers = self._read() | {weights: adjusted}
        values = {name: asdict(each) for name, each in readers.items()}
        write_atomic(self._path, (json_of(values, indent=1) + "\n").encode())

    def _read(self) -> dict[str, _Adjusted]:
        with self._lock:
            try:
                stat = self._path.stat()
                seen = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
                if seen != self._seen:
                    if stat.st_size > MOST_BYTES:
                        raise ValueError("larger than any list of adjustments")
                    found = from_plain(dict[str, _Adjusted], json.loads(self._path.read_bytes()))
                    self._readers = {name: each for name, each in found.items() if _is_sound(each)}
                    self._seen = seen
            except FileNotFoundError:
                self._readers, self._seen = {}, (0, 0, 0)
            except (OSError, ValueError, TypeError, RecursionError) as fault:
                _log.warning("adjustments not read: %s", fault)
                self._readers, self._seen = {}, (0, 0, 0)
            return self._readers


def _is_sound(adjusted: _Adjusted) -> bool:
    return all(each.adjustment is None or each.adjustment.is_sound for each in adjusted.since)
