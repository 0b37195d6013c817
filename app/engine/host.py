"""The entry point of the model process; light to import, as the process begins by importing this module."""

from __future__ import annotations

from pathlib import Path

from app.core.message import Message
from app.engine.child import Child
from app.engine.serve import Factory, Handler


def start_host() -> Handler:
    """Create the handler of requests; called in the model process only."""
    from app.engine.process import start

    return start()


def model_process(
    log: Path | None = None, factory: Factory = start_host, reads: tuple[str, ...] | None = None
) -> Child:
    """Create the model process, which is not started yet; the arguments are those of Child."""
    return Child(factory, title=Message("model process"), log=log, reads=reads)
