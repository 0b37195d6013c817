"""What a person reads while Spanlight is set up: standard error, plain lines, nothing that blinks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class SetUpFault(Exception):
    """A fault that a person can do something about: one sentence, and the next step."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint


def duration(seconds: float) -> str:
    """`8 s`, `2 min 5 s`."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


class Progress:
    """Numbered steps, what happens inside them, and a sign of life every `every` seconds of silence."""

    def __init__(self, steps: int, log_path: str, every: float = 20.0) -> None:
        self.steps = steps
        self.every = every
        self.number = 0
        self._log_path = log_path
        self._spoke = time.monotonic()

    def say(self, text: str) -> None:
        """One line."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
        self._spoke = time.monotonic()

    def detail(self, text: str) -> None:
        """One line inside a step."""
        self.say("      " + text)

    def log(self, text: str) -> None:
        """Keep what a tool printed, for when it is needed."""
        try:
            with open(self._log_path, "a", encoding="utf-8") as file:
                file.write(text.rstrip("\n") + "\n")
        except OSError:
            pass

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """The next step: says what it is, that it goes on, and how long it took."""
        self.number += 1
        self.say(f"[{self.number}/{self.steps}] {what}")
        self.log(f"== {what}")
        began = time.monotonic()
        over = threading.Event()

        def sign_of_life() -> None:
            while not over.wait(1.0):
                if time.monotonic() - self._spoke >= self.every:
                    self.detail(f"still at it, {duration(time.monotonic() - began)} so far")

        watcher = threading.Thread(target=sign_of_life, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
        self.detail(f"done in {duration(time.monotonic() - began)}")
