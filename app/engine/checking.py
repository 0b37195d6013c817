"""What tells whether the model process has all that it ever needs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from app.core.report import Progress, Report
from app.engine.orders import ImportModules, MakeModel, TellVersions


def checked(order: ImportModules | MakeModel | TellVersions, report: Report) -> Any:
    """Answer one of these orders, as each tells."""
    match order:
        case ImportModules():
            return _imported(order.names, report)
        case MakeModel():
            from app.models.compute.small import write_small

            return write_small(Path(order.folder), order.family, order.tokens, order.padding)
        case TellVersions():
            return _versions()


def _imported(names: tuple[str, ...], report: Report) -> dict[str, str]:
    faults = {}
    for number, name in enumerate(names):
        report.check()
        report.progress(Progress(number, len(names), "modules"))
        try:
            importlib.import_module(name)
        except Exception as error:
            faults[name] = f"{type(error).__name__}: {error}"
    return faults


def _versions() -> dict[str, str]:
    import numpy
    import safetensors
    import tokenizers
    import torch
    import transformers

    libraries = (torch, transformers, tokenizers, safetensors, numpy)
    return {library.__name__: str(library.__version__) for library in libraries}
