"""Checks the installation in the model process: what cannot be imported there, and its libraries' versions."""

from __future__ import annotations

import importlib

from app.core.message import Message
from app.core.report import Progress, Report
from app.models.compute.classes import model_class
from app.models.families import FAMILIES


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
