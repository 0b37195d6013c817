"""Where models run on this computer, and the memory that they take."""

from __future__ import annotations

from app.core.devices import Devices, MemoryUse
from app.core.report import Report
from app.flows.workspace import Workspace
from app.models.compute import memory as memory_of


def devices(workspace: Workspace, report: Report) -> Devices:
    """Every device with whether models can run on it and why not, and what `auto` takes.

    Starts the model process where it does not run. Raises SpanlightError where PyTorch cannot be loaded, EngineLost
    when the process died, Stopped when the report says so.
    """
    return workspace.engine.devices(report)


def memory(workspace: Workspace, report: Report) -> MemoryUse:
    """What the model process holds; nothing is started to tell it. Raises as `devices` does."""
    return workspace.engine.memory(report) if workspace.engine.alive else _nothing_held()


def unload(workspace: Workspace, report: Report) -> MemoryUse:
    """Have the model process let go of its models, and tell what it holds then; nothing is started for it.

    Raises as `devices` does.
    """
    return workspace.engine.unload(report) if workspace.engine.alive else _nothing_held()


def _nothing_held() -> MemoryUse:
    total, free = memory_of.computer()
    return MemoryUse((), 0, total, free)
