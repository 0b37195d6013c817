"""Imports PyTorch faster, and makes it and transformers work in a bundle, which lacks most of their source files."""

from __future__ import annotations

import contextlib
import gc
import inspect
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def fast_imports() -> Iterator[None]:
    """Imports in this context skip the three things below; afterwards everything is as before.

    Except that objects that exist by then are no longer visited by the garbage collector.

    Python's garbage collector, which would walk repeatedly over definitions that stay for good, takes a tenth of the
    import of torch. Source lines, which torch reads for each of its operators to record file and line, take a
    twenty-fifth. Resolving all functions of a library when it is loaded, instead of each at its first call, takes a
    fifth of that loading.
    """
    with _uncollected(), _without_sources(), _bound_when_called():
        yield


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()


@contextlib.contextmanager
def _without_sources() -> Iterator[None]:
    """Have `inspect.getframeinfo` return no source lines by default instead of one."""
    before = inspect.getframeinfo.__defaults__
    if before != (1,):
        yield
        return
    inspect.getframeinfo.__defaults__ = (0,)
    try:
        yield
    finally:
        inspect.getframeinfo.__defaults__ = before


@contextlib.contextmanager
def _bound_when_called() -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    before = sys.getdlopenflags()
    sys.setdlopenflags(before & ~os.RTLD_NOW | os.RTLD_LAZY)
    try:
        yield
    finally:
        sys.setdlopenflags(before)


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
