"""The app's name and version, and how it is started: the only place where the version is defined.

Also read by Pythons too old for Spanlight, to say so: only plain syntax.
"""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "Spanlight"
VERSION = "0.1.0"
# The description in installers and the systems' lists of programs.
SUMMARY = "Ask your own documents and see the answer's words light up"
PUBLISHER = "The Spanlight authors"
COPYRIGHT = "Copyright 2026 The Spanlight authors"
_ROOT = Path(__file__).resolve().parent.parent.parent


def command() -> str:
    """The command that starts Spanlight: its own if it is installed, Python's in a source tree."""
    tree = (_ROOT / "packaging" / "bootstrap.py").exists()
    return "python3 -m app" if tree and not getattr(sys, "frozen", False) else "spanlight"
