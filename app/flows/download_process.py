"""The process that reaches the network, as the flows see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.core.errors import EngineLost
from app.core.offers import Passport
from app.core.report import Report
from app.engine.child import Child
from app.models.download.orders import Fetch, Fetched, LookUp
from app.models.download.process import start_downloader


class Downloads:
    """Looks models up and downloads them, in a process of its own, the only one that reaches the network.

    The process starts with the first order and may be ended at any time: what came stays, and nothing half done
    counts. Orders are carried out one by one. `log` is the file that takes what its libraries print.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._child = Child(start_downloader, title="download process", log=log)

    def look_up(self, order: LookUp, report: Report) -> Passport:
        """A repository's passport; raises SpanlightError and Stopped."""
        passport: Passport = self._run(order, report, "Look the model up again.")
        return passport

    def fetch(self, order: Fetch, report: Report) -> Fetched:
        """A passport's files in the Hugging Face cache; raises SpanlightError and Stopped.

        Progress counts bytes; partial results are core.offers.Downloading.
        """
        fetched: Fetched = self._run(order, report, "Go on with it: what was fetched is kept.")
        return fetched

    def _run(self, order: LookUp | Fetch, report: Report, hint: str) -> Any:
        try:
            return self._child.run(order, report)
        except EngineLost as lost:
            raise EngineLost(
                "The download process ended while it was at work.", hint, lost.exit_code
            ) from lost

    @property
    def pid(self) -> int | None:
        """The process's id, None while there is none."""
        return self._child.pid

    def close(self) -> None:
        """End the process for good; work under way ends as Stopped."""
        self._child.close()
