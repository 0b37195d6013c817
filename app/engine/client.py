"""The model process as the rest of the app sees it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.core.devices import Devices, MemoryUse
from app.core.errors import DeviceLost
from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import ModelChoice
from app.engine.child import Child
from app.engine.orders import ListDevices, Load, Run, TellMemory, Unload
from app.engine.serve import Factory, Handler
from app.models.faults import in_passing


def start_host() -> Handler:
    """Make the handler of the model process's requests; called in that process only."""
    from app.engine.process import start

    return start()


class Engine:
    """Runs models in a process of their own; nothing here imports torch.

    Called from one thread at a time (`close`, `alive` and `pid` from any). The process starts with the first
    call, and again after it was stopped by force or lost. `log` takes what its libraries print.

    Where a GPU breaks down, the process that used it is ended, the work is done again on the CPU, and no GPU is used as
    long as this Engine lives: what a driver says after such a fault is not to be trusted.
    """

    def __init__(self, log: Path | None = None, factory: Factory = start_host) -> None:
        self._child = Child(factory, title="model process", log=log)
        self._avoid = ""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        """The result of a request of core.requests; `choice` is the model, None for training.

        Raises SpanlightError for the world's faults, EngineLost where the process died, Stopped where
        `report.check` said so, ChildBug for a bug in the process.
        """
        return self._ask(lambda avoid: Run(request, choice, avoid), report, again=choice is not None)

    def load(self, choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        """Have a model ready; raises as `run` does."""
        loaded: LoadedModel = self._ask(lambda avoid: Load(choice, head, avoid), report)
        return loaded

    def devices(self, report: Report) -> Devices:
        """Every device of this computer, and what `auto` takes; raises as `run` does."""
        found: Devices = self._ask(ListDevices, report)
        return found

    def memory(self, report: Report) -> MemoryUse:
        """What the process holds in memory; raises as `run` does."""
        use: MemoryUse = self._child.run(TellMemory(), report)
        return use

    def unload(self, report: Report) -> MemoryUse:
        """Have the process let go of all models, and what it holds then; raises as `run` does."""
        use: MemoryUse = self._child.run(Unload(), report)
        return use

    def _ask(self, order: Callable[[str], object], report: Report, *, again: bool = True) -> Any:
        """The answer to an order, made from why no GPU is to be used; where a GPU breaks down, the CPU's."""
        try:
            return self._child.run(order(self._avoid), report)
        except DeviceLost as fault:
            self._child.end()
            if self._avoid:
                raise
            self._avoid = in_passing(fault)
            if not again:
                raise
            report.notice("The GPU broke down: the models now run on the CPU.")
        return self._child.run(order(self._avoid), report)

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
