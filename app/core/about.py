"""The app's name and version, and how it is started: the one place where the version stands.

Read by Pythons too old for Spanlight, which are told so: plain syntax.
"""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "Spanlight"
VERSION = "0.1.0"
# What installers and the systems' lists of programs say of it.
SUMMARY = "Ask your own documents and see the answer's words light up"
PUBLISHER = "The Spanlight authors"
COPYRIGHT = "Copyright 2026 The Spanlight authors"
_ROOT = Path(__file__).resolve().parent.parent.parent


def command() -> str:
    """What a person types to start Spanlight: its own command where it is installed, Python's in a source tree."""
    tree = (_ROOT / "packaging" / "bootstrap.py").exists()
    return "python3 -m app" if tree and not getattr(sys, "frozen", False) else "spanlight"
