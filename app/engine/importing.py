"""PyTorch imported in less time: without what its import has done and nobody here looks at."""

from __future__ import annotations

import contextlib
import gc
import inspect
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def quickly() -> Iterator[None]:
    """While this lasts, modules are imported without the three things below; then all is as it was.

    But for one: what is there by then is not looked at by the collector any more.

    Python's collector, which would walk again and again over what modules define and never goes, is a tenth of the
    import of torch. The source around a place in the code, which torch has read for each of its operators to note
    file and line, is a twenty-fifth. Looking up all functions of a library as it is loaded, instead of each at its
    first call, is a fifth of that loading.
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
    """Have `inspect.getframeinfo` give no lines of source where nobody asks for them: its default is one."""
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
