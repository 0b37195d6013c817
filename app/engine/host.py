"""The model process's main part, named for its start; light to import, as that process begins with this file."""

from __future__ import annotations

from pathlib import Path

from app.engine.child import Child
from app.engine.serve import Factory, Handler


def start_host() -> Handler:
    """Make the handler of the model process's requests; called in that process only."""
    from app.engine.process import start

    return start()


def model_process(log: Path | None = None, factory: Factory = start_host) -> Child:
    """The model process, not started yet; `log` takes what its libraries print."""
    return Child(factory, title="model process", log=log)
