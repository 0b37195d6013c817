"""The network as a person sets, sees and switches it: remarks on settings, the ledger, offline, the check for updates.

A newer Spanlight is looked for on the user's request only; nothing is downloaded or run.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from app.core.about import VERSION
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import LedgerEntry, Network, Remark, feed_remark, host_of
from app.core.releases import Update, file_for_computer, newest, this_computer
from app.core.report import Relay, Report
from app.flows.workspace import Workspace
from app.models.download.cache import cache_folder
from app.models.download.ledger import read_ledger
from app.models.download.orders import AskFeed, NetworkFault

_MOST_CERTIFICATES = 16 * 2**20  # bytes
_BEGIN = b"-----BEGIN "
# Seconds beyond the process's own time limit, in case it hangs.
_GRACE = 2.0


def standard_cache() -> Path:
    """The default folder of the Hugging Face cache."""
    return cache_folder(Network())


def certificates_remark(typed: str) -> Remark:
    """The remark on a file of certificates; an empty path means the system's certificates."""
    if not typed.strip():
        return Remark()
    path = Path(typed.strip()).expanduser()
    try:
        if not path.is_file():
            return Remark(Message("There is no such file."), bad=True)
        if path.stat().st_size > _MOST_CERTIFICATES:
            return Remark(Message("The file is too large to be one of certificates."), bad=True)
        data = path.read_bytes()
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        return Remark(Message("The file cannot be read: {reason}.", reason=reason), bad=True)
    if _BEGIN + b"CERTIFICATE-----" in data or _BEGIN + b"TRUSTED CERTIFICATE-----" in data:
        return Remark(Message("Only the authorities in this file are trusted, not the system's own."))
    return Remark(Message("The file holds no certificates in the PEM form."), bad=True)


def cache_remark(typed: str) -> Remark:
    """The remark on a folder for the cache; an empty path means the default folder."""
    if not typed.strip():
        return Remark()
    path = Path(typed.strip()).expanduser()
    try:
        if not path.is_absolute():
            return Remark(Message("Write the folder's whole path."), bad=True)
        if path.is_dir():
            good = os.access(path, os.W_OK | os.X_OK)
            return Remark() if good else Remark(Message("Nothing can be written into this folder."), bad=True)
        if path.exists():
            return Remark(Message("This is a file, not a folder."), bad=True)
        above = next(folder for folder in path.parents if folder.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            return Remark(
                Message("The folder is not there and cannot be made in {folder}.", folder=str(above)),
                bad=True,
            )
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        return Remark(Message("The folder cannot be used: {reason}.", reason=reason), bad=True)
    return Remark(Message("The folder is made with the first download."))


def ledger(workspace: Workspace, report: Report) -> tuple[LedgerEntry, ...]:
    """The recorded requests, latest first, except for old ones. Raises SpanlightError."""
    report.check()
    path = workspace.paths.ledger_file
    try:
        return read_ledger(path)
    except OSError as fault:
        raise SpanlightError(
            Message("The network ledger cannot be read: {reason}.", reason=fault.strerror or str(fault)),
            Message("Check {path}.", path=str(path)),
        ) from fault


def has_ledger(workspace: Workspace, report: Report) -> bool:
    """Whether any request was ever recorded, even if the ledger was cleared since."""
    return workspace.paths.ledger_file.exists()


def clear_ledger(workspace: Workspace, report: Report) -> None:
    """Clear the ledger; an empty file stays, so that `has_ledger` stays true. Raises SpanlightError."""
    report.check()
    path = workspace.paths.ledger_file
    try:
        if path.exists():
            path.write_bytes(b"")
    except OSError as fault:
        raise SpanlightError(
            Message("The network ledger cannot be cleared: {reason}.", reason=fault.strerror or str(fault)),
            Message("Check {path}.", path=str(path)),
        ) from fault


def refuse_offline(
    workspace: Workspace, hint: str = Message("Switch that off to look for models on the network.")
) -> None:
    """Raise SpanlightError if the network is switched off, even in another Spanlight process."""
    workspace.take_up_settings()
    if workspace.settings.offline:
        raise SpanlightError(Message("Spanlight is offline."), hint)


class Online(Relay):
    """The Report of work that needs the network: `check` ends the work if the user goes offline.

    If `late` is given, `check` raises it after `seconds`.
    """

    def __init__(
        self,
        workspace: Workspace,
        report: Report,
        seconds: float = float("inf"),
        late: SpanlightError | None = None,
    ) -> None:
        super().__init__(report)
        self._workspace = workspace
        self._end, self._late = time.monotonic() + seconds, late

    def check(self) -> None:
        """Raise Stopped when the work is to stop, SpanlightError when Spanlight is offline or it takes too long."""
        super().check()
        self._workspace.take_up_settings()
        if self._workspace.settings.offline:
            raise SpanlightError(
                Message("Spanlight is offline now."), Message("Switch that off to go on: nothing is lost.")
            )
        if self._late is not None and time.monotonic() > self._end:
            raise self._late


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
