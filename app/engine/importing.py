"""Imports of the model process: made faster, possible without sources, tried out, and the versions imported."""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.core.message import Message
from app.core.report import Progress, Report
from app.models.compute.classes import model_class
from app.models.families import FAMILIES


@contextlib.contextmanager
def fast_imports() -> Iterator[None]:
    """Skip three kinds of work for imports in this context.

    Garbage collection, which would walk repeatedly over definitions that stay for good, takes a tenth of the import of
    torch. Source lines, which torch reads for each of its operators to record file and line, take a twenty-fifth.
    Resolving all functions of a library when it is loaded, instead of each at its first call, takes a fifth of the
    loading. Objects that exist at the end of the context are never collected.
    """
    with _without_collection(), _without_source_lines(), _with_lazy_binding():
        yield


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()


@contextlib.contextmanager
def _without_source_lines() -> Iterator[None]:
    """Let `inspect.getframeinfo` return no source lines by default instead of one."""
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
def _with_lazy_binding() -> Iterator[None]:
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
    """In a bundle, make `inspect.getsourcefile` return paths below its `folder`; elsewhere do nothing.

    PyInstaller makes the file names in code objects relative to that folder, but transformers takes a model's name from
    the path of its file. PyTorch warns of functions for its compiler, unused here, whose source it cannot read.
    """
    if not folder:
        return
    original = inspect.getsourcefile

    def getsourcefile(object: Any) -> str | None:  # named as in the original
        file = inspect.getfile(object)
        return original(object) if Path(file).is_absolute() else str(Path(folder, file))

    inspect.getsourcefile = getsourcefile
    warnings.filterwarnings("ignore", "Unable to retrieve source", UserWarning)


def import_faults(names: tuple[str, ...], report: Report) -> dict[str, str]:
    """Import modules and every family's classes; returns the error of each module and family that fails, by name."""
    faults = {}
    for number, name in enumerate(names):
        report.check()
        report.progress(Progress(number, len(names), Message("modules")))
        try:
            importlib.import_module(name)
        except Exception as error:
            faults[name] = f"{type(error).__name__}: {error}"
    for family, known in FAMILIES.items():
        report.check()
        try:
            for head in known.heads_known:
                model_class(known, head)
        except Exception as error:
            faults[family] = f"{type(error).__name__}: {error}"
    return faults


def versions() -> dict[str, str]:
    """Return the versions of the libraries that compute, by name."""
    import numpy
    import safetensors
    import tokenizers
    import torch
    import transformers

    libraries = (torch, transformers, tokenizers, safetensors, numpy)
    return {library.__name__: str(library.__version__) for library in libraries}
