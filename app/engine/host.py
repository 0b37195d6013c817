"""The entry point of the model process; light to import, as that process starts by importing this file."""

from __future__ import annotations

from pathlib import Path

from app.core.message import Message
from app.engine.child import Child
from app.engine.serve import Factory, Handler


def start_host() -> Handler:
    """Create the handler of the model process's requests; called in that process only."""
    from app.engine.process import start

    return start()


def model_process(
    log: Path | None = None, factory: Factory = start_host, reads: tuple[str, ...] | None = None
) -> Child:
    """The model process, not started yet, as Child has it; `log` takes what its libraries print."""
    return Child(factory, title=Message("model process"), log=log, reads=reads)
