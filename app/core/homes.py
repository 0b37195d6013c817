"""Places below a person's home folder, without naming it."""

from __future__ import annotations

import os
import re
from pathlib import Path


def short_path(path: Path, home: Path | None = None) -> str:
    """A path as it is shown: with ~ for the home folder where it lies below that."""
    home = home or Path.home()
    try:
        within = path.relative_to(home)
    except ValueError:
        return str(path)
    return str(Path("~") / within) if within.parts else "~"


def without_home(text: str, home: Path | None = None) -> str:
    """A text with ~ in the place of the home folder, however its separators are written, and of no longer name."""
    parts = re.split(r"[\\/]+", str(home or Path.home()))
    if not [part for part in parts if part and not part.endswith(":")]:
        return text  # a home at the root would be everywhere
    name = r"[\\/]+".join(re.escape(part) for part in parts)
    if not parts[0]:
        name = name.replace("+", "", 1)  # of file:///home the first two belong to no path
    return re.sub(name + r"(?![\w.-])", "~", text, flags=re.IGNORECASE if os.name == "nt" else 0)
