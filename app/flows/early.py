"""Starts the model process before anything else is imported, since PyTorch takes longer to load than all the rest."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.engine.child import Child as Child

# The commands that need the model process.
_WITH_MODELS = frozenset({"ask", "classify", "fill", "next", "tokens", "inspect", "table"})
_HELP = frozenset({"-h", "--help"})


def begin(arguments: Sequence[str]) -> Child | None:
    """Start the model process without waiting if this command line will need it, else return None.

    If the start fails, the first request raises the error.
    """
    if not arguments or arguments[0] not in _WITH_MODELS or not _HELP.isdisjoint(arguments):
        return None
    from app.core.errors import SpanlightError
    from app.engine.host import model_process
    from app.settings.paths import default_paths

    try:
        logs = default_paths().logs
    except SpanlightError:
        return None
    with contextlib.suppress(OSError):
        logs.mkdir(parents=True, exist_ok=True)
    child = model_process(logs / "engine.log")
    child.begin()
    return child
