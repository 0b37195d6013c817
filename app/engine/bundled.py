"""What PyTorch and transformers expect of their own source files, in a bundle, which has few of them."""

from __future__ import annotations

import inspect
import sys
import warnings
from pathlib import Path
from typing import Any


def stand_in(folder: str = getattr(sys, "_MEIPASS", "")) -> None:
    """In a bundle, have code's source files told as they would lie below its `folder`; elsewhere nothing is done.

    PyInstaller shortens the files' names in the code to begin at that folder. transformers finds a model's name in the
    path of its file; PyTorch warns of functions for its compiler, unused here, whose source cannot be read.
    """
    if not folder:
        return
    told = inspect.getsourcefile

    def getsourcefile(object: Any) -> str | None:  # named as in the original
        file = inspect.getfile(object)
        return told(object) if Path(file).is_absolute() else str(Path(folder, file))

    inspect.getsourcefile = getsourcefile
    warnings.filterwarnings("ignore", "Unable to retrieve source", UserWarning)
