"""Checks for a newer Spanlight, only on the user's request; nothing is downloaded or run."""

from __future__ import annotations

import platform
import shutil
import sys

from app.core.about import VERSION
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import feed_remark, host_of
from app.core.releases import Update, file_for_computer, newest
from app.core.report import Report
from app.flows.network.online import Online, refuse_offline
from app.flows.workspace import Workspace
from app.models.download.orders import AskFeed, NetworkFault

# The kinds of a release's files by system, preferred ones first.
_KINDS = {"windows": ("installer", "archive"), "macos": ("dmg", "archive")}
_SYSTEMS = {"win32": "windows", "darwin": "macos", "linux": "linux"}
_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "aarch64": "arm64"}
# Seconds beyond the process's own time limit, in case it hangs.
_GRACE = 2.0


def check_for_updates(
    workspace: Workspace, report: Report, *, feed: str = "", seconds: float = 30.0
) -> Update:
    """Look up the newest release in the feed, if it is newer than this version.

    `feed` is the feed's address, empty for the one in the settings. Raises SpanlightError where Spanlight is offline,
    there is no address, or no feed answers within `seconds`; Stopped when cancelled.
    """
    refuse_offline(workspace, Message("Switch that off to check for updates."))
    address = (feed or workspace.settings.updates).strip()
    if not address:
        raise SpanlightError(
            Message("There is no address yet where new versions are announced."),
            Message("Write one under Settings, Updates, when you have it."),
        )
    remark = feed_remark(address)
    if remark.bad:
        raise SpanlightError(remark.words, Message("Check the address."))
    order = AskFeed(address, workspace.network, seconds=seconds)
    late = NetworkFault(
        Message("{host} takes too long to answer.", host=host_of(address)), Message("Try again later.")
    )
    found = workspace.downloads.ask_feed(order, Online(workspace, report, seconds + _GRACE, late))
    release = newest(found, VERSION)
    file = file_for_computer(release, *this_computer()) if release is not None else None
    return Update(VERSION, address, release, file)


def this_computer() -> tuple[str, str, tuple[str, ...]]:
    """This computer's system and machine as feeds name them, and the kinds of files for it, preferred ones first."""
    system = _SYSTEMS.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    if not getattr(sys, "frozen", False):  # run from source or installed with pip
        kinds: tuple[str, ...] = ("wheel",)
    elif system == "linux":
        kinds = ("deb", "archive") if shutil.which("dpkg") else ("archive",)
    else:
        kinds = _KINDS.get(system, ())
    return system, _MACHINES.get(machine, machine), kinds
