"""Guards for work that needs the network, which the user can switch off at any time."""

from __future__ import annotations

import time

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Relay, Report
from app.flows.workspace import Workspace


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
