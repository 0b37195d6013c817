"""The app's name and version, and the command that starts it: the only place where the version is defined.

Pythons too old for Spanlight import this too, to say so: keep to plain syntax.
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
    """Return the command that starts Spanlight: "spanlight", or "python3 -m app" in a source tree."""
    in_source_tree = (_ROOT / "packaging" / "bootstrap.py").exists()
    return "python3 -m app" if in_source_tree and not getattr(sys, "frozen", False) else "spanlight"
