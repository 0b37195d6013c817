"""The model process as the rest of the app sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import ModelChoice
from app.engine.child import Child
from app.engine.orders import Load, Run
from app.engine.serve import Handler


def start_host() -> Handler:
    """Make the handler of the model process's requests; called in that process only."""
    from app.engine.process import start

    return start()


class Engine:
    """Runs models in a process of their own; nothing here imports torch.

    Called from one thread at a time (`close`, `alive` and `pid` from any). The process starts with the first
    call, and again after it was stopped by force or lost. `log` takes what its libraries print.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._child = Child(start_host, title="model process", log=log)

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        """The result of a request of core.requests; `choice` is the model, None for training.

        Raises SpanlightError for the world's faults, EngineLost where the process died, Stopped where
        `report.check` said so, ChildBug for a bug in the process.
        """
        return self._child.run(Run(request, choice), report)

    def load(self, choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        """Have a model ready; raises as `run` does."""
        loaded: LoadedModel = self._child.run(Load(choice, head), report)
        return loaded

    @property
    def alive(self) -> bool:
        """Whether the model process runs now."""
        return self._child.alive

    @property
    def pid(self) -> int | None:
        """The model process's id, None while there is none."""
        return self._child.pid

    def close(self) -> None:
        """End the model process for good; work under way ends as Stopped."""
        self._child.close()
