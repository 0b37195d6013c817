"""Makes PyTorch and transformers work in a bundle, which lacks most of their source files."""

from __future__ import annotations

import inspect
import sys
import warnings
from pathlib import Path
from typing import Any


def patch_source_lookup(folder: str = getattr(sys, "_MEIPASS", "")) -> None:
    """In a bundle, make `inspect.getsourcefile` give paths below its `folder`; elsewhere do nothing.

    PyInstaller shortens the files' names in the code to begin at that folder. transformers finds a model's name in the
    path of its file; PyTorch warns of functions for its compiler, unused here, whose source cannot be read.
    """
    if not folder:
        return
    original = inspect.getsourcefile

    def getsourcefile(object: Any) -> str | None:  # named as in the original
        file = inspect.getfile(object)
        return original(object) if Path(file).is_absolute() else str(Path(folder, file))

    inspect.getsourcefile = getsourcefile
    warnings.filterwarnings("ignore", "Unable to retrieve source", UserWarning)
