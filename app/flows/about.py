"""Versions, the computer, and the folders that Spanlight uses."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from app.core.about import NAME, VERSION
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.flows.licences import licences
from app.flows.workspace import Workspace
from app.models.compute import memory, processor
from app.models.compute.graphics import cards

# The titles of components, in the order shown, and their names in the list of licences.
_SHOWN = {
    "Python": "Python",
    "PyTorch": "torch",
    "transformers": "transformers",
    "tokenizers": "tokenizers",
    "safetensors": "safetensors",
    "NumPy": "numpy",
    "PDFium": "PDFium",
    "SQLite": "SQLite",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that Spanlight uses, and what it holds."""

    title: str
    folder: Path


@dataclass(frozen=True, slots=True)
class About:
    """Versions of Spanlight and its components, and properties of this computer.

    `memory` and `free` are bytes, 0 where not known. `bundled` is whether an installer has put everything into one
    folder.
    """

    versions: tuple[tuple[str, str], ...]
    system: str
    processor: str
    cores: int
    memory: int
    free: int
    graphics: tuple[str, ...]
    bundled: bool


def about(workspace: Workspace, report: Report) -> About:
    """Collect versions and properties of this computer. Raises Stopped when cancelled."""
    try:
        found = {part.name.casefold(): part.version for part in licences(workspace, report)}
    except SpanlightError:  # the page with the licences shows it
        found = {}
    versions = [(title, found.get(name.casefold(), "")) for title, name in _SHOWN.items()]
    total, free = memory.computer()
    return About(
        versions=((NAME, VERSION), *((title, version) for title, version in versions if version)),
        system=system(),
        processor=processor.name(),
        cores=processor.physical_cores(),
        memory=total,
        free=free,
        graphics=tuple(card.title for card in cards()),
        bundled=bool(getattr(sys, "frozen", False)),
    )


def places(workspace: Workspace) -> tuple[Place, ...]:
    """The folders with the user's own data."""
    paths = workspace.paths
    return (
        Place(Message("Settings"), paths.config),
        Place(Message("Texts, drafts, history"), paths.data),
        Place(Message("Models"), paths.models),
        Place(Message("Logs"), paths.logs),
    )


def system() -> str:
    """The operating system, its version and the kind of machine: "Debian GNU/Linux 12, Linux 6.1, x86_64"."""
    machine = platform.machine()
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}, {machine}"
    named = ""
    if sys.platform.startswith("linux"):
        try:
            named = platform.freedesktop_os_release().get("PRETTY_NAME", "")
        except OSError:
            named = ""
    whole = f"{platform.system()} {platform.release()}"
    return ", ".join(part for part in (named, whole, machine) if part)
