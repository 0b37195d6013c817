"""Paths below the user's home folder, shown without its name."""

from __future__ import annotations

import os
import re
from pathlib import Path


def short_path(path: Path, home: Path | None = None) -> str:
    """A path as it is shown: with ~ for the home folder if it is below that."""
    home = home or Path.home()
    try:
        within = path.relative_to(home)
    except ValueError:
        return str(path)
    return str(Path("~") / within) if within.parts else "~"


def without_home(text: str, home: Path | None = None) -> str:
    """A text with ~ instead of the home folder, with any separators, but not in longer names that begin with it."""
    parts = re.split(r"[\\/]+", str(home or Path.home()))
    if not [part for part in parts if part and not part.endswith(":")]:
        return text  # a home at the root would be everywhere
    name = r"[\\/]+".join(re.escape(part) for part in parts)
    if not parts[0]:
        name = name.replace("+", "", 1)  # in file:///home the first two are not part of the path
    return re.sub(name + r"(?![\w.-])", "~", text, flags=re.IGNORECASE if os.name == "nt" else 0)
