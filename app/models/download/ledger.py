"""The network ledger: a file with a line before every request and a line when it ended; standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.network import LedgerEntry
from app.models.disk.locks import Lock

# Bytes; beyond it the older half goes.
MOST = 2 * 2**20


class Ledger:
    """Writes the ledger file; with an empty path nothing is written. Used by the download process alone."""

    def __init__(self, path: str, most: int = MOST) -> None:
        self._path = Path(path) if path else None
        self._most = most
        self._lock = threading.Lock()
        self._numbers = count(1)
        # Two processes may write by turns, so a request's number alone would not tell whose it is.
        self._own = f"{os.getpid()}-{time.time_ns():x}"

    def sending(self, method: str, address: str, why: str) -> str:
        """Take down a request that is about to be sent; gives the name that `ended` wants.

        Raises SpanlightError where the file cannot be written: nothing is sent that is not in it.
        """
        name = f"{self._own}-{next(self._numbers)}"
        sent = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            self._write({"id": name, "sent": sent, "method": method, "address": address, "why": why})
        except OSError as fault:
            raise SpanlightError(
                f"The network ledger cannot be written: {fault.strerror or fault}.",
                f"Nothing is sent without it. Make room on the disk, or check {self._path}.",
            ) from fault
        return name

    def ended(self, name: str, status: int, received: int, seconds: float, error: str = "") -> None:
        """Take down how a request ended: its status, 0 where no answer came, the bytes of the answer, and the time."""
        with contextlib.suppress(OSError):
            line = {"id": name, "status": status, "received": received, "seconds": round(seconds, 3)}
            self._write(line | ({"error": error} if error else {}))

    def _write(self, line: dict[str, Any]) -> None:
        if self._path is None:
            return
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode()
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._shorten_alone()
            # A line that a killed process left half written must not swallow this one.
            if not self._ends_whole():
                data = b"\n" + data
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                if os.write(handle, data) != len(data):
                    raise OSError(28, "No space left on device")
            finally:
                os.close(handle)

    def _ends_whole(self) -> bool:
        assert self._path is not None
        try:
            with self._path.open("rb") as file:
                if file.seek(0, os.SEEK_END) == 0:
                    return True
                file.seek(-1, os.SEEK_END)
                return file.read(1) == b"\n"
        except FileNotFoundError:
            return True

    def _shorten_alone(self) -> None:
        """Take the older half away where there is too much, unless another process is doing that now."""
        assert self._path is not None
        if not self._path.exists() or self._path.stat().st_size <= self._most:
            return
        lock = Lock(self._path.with_name(f".{self._path.name}.lock"))
        if lock.take():
            try:
                self._shorten()
            finally:
                lock.release()

    def _shorten(self) -> None:
        assert self._path is not None
        if self._path.stat().st_size <= self._most:
            return
        kept = self._path.read_bytes()[-self._most // 2 :].partition(b"\n")[2]
        beside = self._path.with_name(self._path.name + ".part")
        beside.write_bytes(kept)
        os.replace(beside, self._path)


def read_ledger(path: Path | str) -> tuple[LedgerEntry, ...]:
    """The requests that a ledger file tells of, the latest first; lines that are not whole count as absent.

    Raises OSError where the file is there and cannot be read.
    """
    try:
        lines = Path(path).read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    sent: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            told = json.loads(line)
            name = told["id"]
            if "method" in told:
                sent[name] = told
            elif name in sent:
                sent[name] |= told
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    return tuple(filter(None, map(_entry, reversed(sent.values()))))


def _entry(told: dict[str, Any]) -> LedgerEntry | None:
    try:
        return LedgerEntry(
            sent=str(told["sent"]),
            method=str(told["method"]),
            address=str(told["address"]),
            why=str(told["why"]),
            status=int(told.get("status", 0)),
            received=int(told.get("received", 0)),
            seconds=float(told.get("seconds", 0.0)),
            error=str(told.get("error", "")),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
