"""A script of this folder at work in another Python: lines of JSON to it and from it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from app.core.errors import SpanlightError
from app.core.report import Report

TICK = 0.05
HINT = "Make an environment with: python3 -m venv old && old/bin/pip install torch transformers==4.57.6"
# It reaches no network; what it loads is a folder.
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


class OtherPython:
    """The process of a script in the interpreter at `python`, killed at the end of a `with` block.

    The script ends when its standard input does. Raises SpanlightError where the interpreter cannot be started.
    """

    def __init__(self, python: str, script: Path, report: Report, *arguments: str) -> None:
        self._python, self._report = python, report
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 closed with the process
        self._lines: queue.Queue[str | None] = queue.Queue()
        try:
            # Isolated: else the script's folder, whose files have names of the standard library's, comes first.
            self._process = subprocess.Popen(
                [python, "-I", str(script), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                text=True,
                encoding="utf-8",
                env=os.environ | ENVIRONMENT,
            )
        except OSError as error:
            self._said.close()
            raise SpanlightError(f"“{python}” cannot be started: {error.strerror or error}.", HINT) from error
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> OtherPython:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def send(self, line: str) -> None:
        """Send one line; what happens to a process that is gone is told by the next `receive`."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next answer; the report is checked meanwhile.

        Raises SpanlightError with the script's own words where it says that something is wrong, and where it ended;
        Stopped when the report says so.
        """
        while True:
            self._report.check()
            try:
                line = self._lines.get(timeout=TICK)
                break
            except queue.Empty:
                continue
        if line is None:
            raise SpanlightError(
                f"“{self._python}” ended: {last_words(self._said, self._process.wait())}", HINT
            )
        try:
            told = json.loads(line)
            if not isinstance(told, dict):
                raise ValueError(line)
        except ValueError:
            raise SpanlightError(f"“{self._python}” is not a Python that can be measured.", HINT) from None
        if "error" in told:
            raise SpanlightError(str(told["error"]), HINT)
        return told

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """The answer to an order; raises as `receive` does."""
        self.send(json.dumps(order))
        return self.receive()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            with contextlib.suppress(OSError, ValueError):
                assert stream is not None
                stream.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):  # closed at the end
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(None)


def last_words(said: IO[bytes], code: int) -> str:
    """Why a process ended: the last line it wrote to its standard error, else what its exit code tells."""
    with contextlib.suppress(OSError, ValueError):
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").strip().splitlines()
        if lines:
            return lines[-1].strip()[:200].rstrip(".") + "."
    if code == -9:
        return "the system ended it, most likely because memory ran out."
    return f"exit code {code}."
