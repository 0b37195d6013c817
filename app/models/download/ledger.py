"""The network ledger: a file with a line before every request and one after it ended; standard library only."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from app.core.atomic import replacing
from app.core.errors import SpanlightError
from app.core.locks import Lock
from app.core.message import Message, restored, stored
from app.core.network import LedgerEntry
from app.core.plain import from_plain, json_of

# Bytes of the file; beyond that its older half is deleted.
MOST = 2 * 2**20


class Ledger:
    """Writes the ledger file; with an empty path nothing is written. Only used by the download process."""

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None
        self._lock = threading.Lock()
        self._numbers = count(1)
        # Several processes may write, so a request's number alone is not unique.
        self._process_id = f"{os.getpid()}-{time.time_ns():x}"

    def sending(self, method: str, address: str, why: str) -> str:
        """Record a request that is about to be sent; returns its name, to be given to `ended`.

        Raises SpanlightError if the file cannot be written: no request is sent without a record.
        """
        name = f"{self._process_id}-{next(self._numbers)}"
        sent = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            self._write({"id": name, "sent": sent, "method": method, "address": address, "why": stored(why)})
        except OSError as fault:
            raise SpanlightError(
                Message(
                    "The network ledger cannot be written: {reason}.", reason=fault.strerror or str(fault)
                ),
                Message(
                    "Nothing is sent without it. Make room on the disk, or check {path}.",
                    path=str(self._path),
                ),
            ) from fault
        return name

    def ended(self, name: str, status: int, received: int, seconds: float, error: str = "") -> None:
        """Record how a request ended: its status (0 if no response came), the bytes received, and the seconds taken."""
        with contextlib.suppress(OSError):
            line = {"id": name, "status": status, "received": received, "seconds": round(seconds, 3)}
            self._write(line | ({"error": stored(error)} if error else {}))

    def _write(self, line: dict[str, Any]) -> None:
        if self._path is None:
            return
        data = (json_of(line, ensure_ascii=False) + "\n").encode()
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _shorten(self._path)
            # This line must not continue one that a killed process left unfinished.
            if not _ends_with_newline(self._path):
                data = b"\n" + data
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                if os.write(handle, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            finally:
                os.close(handle)


def _ends_with_newline(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return True
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
    except FileNotFoundError:
        return True


def _shorten(path: Path) -> None:
    """Delete the older half of a file that is too large, unless another process is doing so."""
    if not path.exists() or path.stat().st_size <= MOST:
        return
    lock = Lock(path.with_name(f".{path.name}.lock"))
    if not lock.take():
        return
    try:
        if path.stat().st_size > MOST:
            with replacing(path) as part:
                part.write_bytes(path.read_bytes()[-MOST // 2 :].partition(b"\n")[2])
    finally:
        lock.release()


def read_ledger(path: Path | str) -> tuple[LedgerEntry, ...]:
    """The requests in a ledger file, the latest first; malformed lines are ignored.

    Raises OSError if the file exists and cannot be read.
    """
    try:
        lines = Path(path).read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    sent: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            record = json.loads(line)
            name = record["id"]
            if "method" in record:
                sent[name] = record
            elif name in sent:
                sent[name] |= record
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    return tuple(filter(None, map(_entry, reversed(sent.values()))))


def _entry(record: dict[str, Any]) -> LedgerEntry | None:
    try:
        entry = from_plain(LedgerEntry, record)
    except ValueError:
        return None
    return replace(entry, why=restored(entry.why), error=restored(entry.error))
