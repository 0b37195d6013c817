"""Drafts: texts that a person typed, saved for the next start."""

from __future__ import annotations

import logging
import re
from pathlib import Path

from app.core.atomic import write_atomic
from app.settings.paths import may_write

# Drafts are saved at this interval while a person types, so that killing the process loses no more than that.
SAVE_EVERY_MS = 1000

_log = logging.getLogger(__name__)


class Drafts:
    """Texts by name, each in its own file; names are lower-case words joined by dots or hyphens."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, name: str) -> str:
        """Return the text saved under this name, character for character; empty if there is none."""
        try:
            return self._file(name).read_bytes().decode("utf-8", "surrogatepass")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as fault:
            _log.warning("draft %s not read: %s", name, fault)
            return ""

    def save(self, name: str, text: str) -> None:
        """Save the text; an empty one deletes the draft. Raises SpanlightError on a disk error.

        If the folder is not writable, nothing is saved: `Workspace.storage_fault` reports that once.
        """
        if text and not may_write(self._folder):
            _log.info("draft %s not kept: %s cannot be written to", name, self._folder)
        elif text:
            write_atomic(self._file(name), text.encode("utf-8", "surrogatepass"))
        else:
            self.clear(name)

    def clear(self, name: str) -> None:
        """Delete the text saved under this name."""
        try:
            self._file(name).unlink(missing_ok=True)
        except OSError as fault:
            _log.warning("draft %s not removed: %s", name, fault)

    def _file(self, name: str) -> Path:
        if not re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", name):
            raise ValueError(f"not a draft's name: {name!r}")
        return self._folder / f"{name}.txt"
