"""What the operating system says: the texts of its files, and the output of its programs."""

from __future__ import annotations

import subprocess
from pathlib import Path


def text_of(path: str | Path) -> str:
    """A file's text, empty where it cannot be read."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def output_of(*command: str) -> str:
    """What a program prints, without blanks at its ends; empty where it cannot be started."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
