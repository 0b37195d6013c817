"""The versions of all that works together, and what it works on."""

from __future__ import annotations

import platform
import sys

from app.core.about import NAME, VERSION, command
from app.core.report import Report
from app.documents.library_versions import library_versions
from app.flows.models.devices import devices
from app.flows.workspace import Workspace


def form() -> str:
    """What kind of installation this is."""
    if getattr(sys, "frozen", False):
        return "bundle"
    return "source" if command() != "spanlight" else "installed into Python"


def own_versions() -> dict[str, str]:
    """Of what needs no process to tell."""
    libc = "".join(platform.libc_ver())
    return {
        NAME: f"{VERSION} ({form()})",
        "Python": platform.python_version(),
        "system": platform.platform() + (f", {libc}" if libc and libc not in platform.platform() else ""),
        "machine": platform.machine(),
        **library_versions(),
    }


def engine_versions(workspace: Workspace, report: Report) -> dict[str, str]:
    """Of what computes, and the device that is taken; raises as the model process does."""
    found = devices(workspace, report)
    chosen = next((one.title for one in found.options if one.key == found.auto.device), "")
    told = f"{found.auto.device}, {found.auto.dtype}" + (f" ({chosen})" if chosen else "")
    return workspace.engine.versions(report) | {"device": told}
