"""Why Qt can open no window here, told to a person in one sentence: Qt itself ends the process with a page of words."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QPluginLoader

from app.core.about import command
from app.core.errors import SpanlightError
from app.core.system_libraries import without_library

# Of what Qt says last, before it ends the process.
LAST_WORDS = "no Qt platform plugin could be initialized"
_UNREACHABLE = ("could not connect to display", "Failed to create wl_display")
_NAMES = {"linux": ("qxcb", "qwayland"), "win32": ("qwindows",), "darwin": ("qcocoa",)}


def why_no_window(said: Sequence[str]) -> SpanlightError:
    """What is wrong, from what Qt has said of its platform plugins."""
    instead = f'Ask in the terminal instead: {command()} ask FILE --question "..."'
    if any(words in one for words in _UNREACHABLE for one in said):
        names = [name for name in ("WAYLAND_DISPLAY", "DISPLAY") if os.environ.get(name)]
        where = ", ".join(f"{name} is {os.environ[name]}" for name in names)
        return SpanlightError(
            f"The screen cannot be reached to open a window on ({where or 'nothing names one'}).", instead
        )
    for name in _NAMES.get(sys.platform, ()):
        fault = plugin_fault(name)
        if fault and (told := without_library(fault)):
            return told
    first = next((one for one in said if "plugin" in one and LAST_WORDS not in one), "")
    return SpanlightError(
        f"No window can be opened here{': ' + _line(first).rstrip('.') if first else ''}.", instead
    )


def plugin_fault(name: str) -> str:
    """What is wrong with one of Qt's platform plugins, empty where it can be loaded; it is not started."""
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms"
    file = next((each for each in folder.glob(f"*{name}.*")), None)
    if file is None:
        return f"{name} is not in {folder}"
    loader = QPluginLoader(str(file))
    return "" if loader.load() else loader.errorString() or f"{name} cannot be loaded"


def main_plugins() -> tuple[str, ...]:
    """The names of the plugins that open windows on this system, the most usual first."""
    return _NAMES.get(sys.platform, ())


def _line(words: str) -> str:
    return " ".join(words.split())
