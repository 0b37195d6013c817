"""Lists this computer's devices for models, and the memory that models use."""

from __future__ import annotations

from app.core.models import Devices, MemoryUse
from app.core.report import Report
from app.flows.workspace import Workspace
from app.models.compute import memory as memory_of


def devices(workspace: Workspace, report: Report) -> Devices:
    """List every device with whether models can run on it or why not, and the choice of `auto`.

    Starts the model process if it is not running. Raises SpanlightError where PyTorch cannot be loaded, EngineLost when
    the process died, Stopped when cancelled.
    """
    return workspace.engine.devices(report)


def memory(workspace: Workspace, report: Report) -> MemoryUse:
    """The memory that the model process uses; the process is not started for this. Raises as `devices` does."""
    return workspace.engine.memory(report) if workspace.engine.alive else _nothing_loaded()


def unload(workspace: Workspace, report: Report) -> MemoryUse:
    """Have the model process unload its models, and return the memory that it still uses.

    The process is not started for this. Raises as `devices` does.
    """
    return workspace.engine.unload(report) if workspace.engine.alive else _nothing_loaded()


def _nothing_loaded() -> MemoryUse:
    total, free = memory_of.computer()
    return MemoryUse((), 0, total, free)
