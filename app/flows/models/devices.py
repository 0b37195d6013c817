"""The devices of this computer for models, and the memory in use."""

from __future__ import annotations

from app.core.models import Devices, MemoryUse
from app.core.report import Report
from app.flows.workspace import Workspace
from app.models.compute import memory as memory_of


def devices(workspace: Workspace, report: Report) -> Devices:
    """Every device, whether models can run on it and why not, and what `auto` chooses.

    Starts the model process where it is not running. Raises SpanlightError where PyTorch cannot be loaded, EngineLost
    when the process died, Stopped when cancelled.
    """
    return workspace.engine.devices(report)


def memory(workspace: Workspace, report: Report) -> MemoryUse:
    """The memory that the model process uses; it is not started for this. Raises as `devices` does."""
    return workspace.engine.memory(report) if workspace.engine.alive else _nothing_loaded()


def unload(workspace: Workspace, report: Report) -> MemoryUse:
    """Have the model process unload its models; the memory that it uses then. It is not started for this.

    Raises as `devices` does.
    """
    return workspace.engine.unload(report) if workspace.engine.alive else _nothing_loaded()


def _nothing_loaded() -> MemoryUse:
    total, free = memory_of.computer()
    return MemoryUse((), 0, total, free)
