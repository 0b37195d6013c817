"""Runs a script of this folder in another Python, and exchanges lines of JSON with it."""

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
# The script loads a folder, and needs no network.
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


class OtherPython:
    """The process of a script in the interpreter at `python`, killed at the end of a `with` block.

    The script ends when its standard input does. Raises SpanlightError if the interpreter cannot be started.
    """

    def __init__(self, python: str, script: Path, report: Report, *arguments: str) -> None:
        self._python, self._report = python, report
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 closed with the process
        self._lines: queue.Queue[str | None] = queue.Queue()
        try:
            # -I, as the script's folder would otherwise come first, whose files may shadow the standard library.
            self._process = subprocess.Popen(
                [python, "-I", str(script), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
                env=os.environ | ENVIRONMENT,
            )
        except OSError as error:
            self._errors.close()
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
        """Send one line; if the process has ended, the next `receive` raises."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Wait for the next answer, checking the report meanwhile.

        Raises SpanlightError, with the script's own words, if it reports an error or has ended; Stopped when cancelled.
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
                f"“{self._python}” ended: {last_words(self._errors, self._process.wait())}", HINT
            )
        try:
            answer = json.loads(line)
            if not isinstance(answer, dict):
                raise ValueError(line)
        except ValueError:
            raise SpanlightError(f"“{self._python}” is not a Python that can be measured.", HINT) from None
        if "error" in answer:
            raise SpanlightError(str(answer["error"]), HINT)
        return answer

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Send an order and return its answer; raises as `receive` does."""
        self.send(json.dumps(order))
        return self.receive()

    def close(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError, ValueError):
                assert stream is not None
                stream.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):  # closed at the end
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(None)


def last_words(errors: IO[bytes], code: int) -> str:
    """Return why a process ended: the last line of its standard error, else a sentence on its exit code."""
    with contextlib.suppress(OSError, ValueError):
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        if lines:
            return lines[-1].strip()[:200].rstrip(".") + "."
    if code == -9:
        return "the system ended it, most likely because memory ran out."
    return f"exit code {code}."
