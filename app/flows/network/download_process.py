"""The client of the processes that use the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.core.errors import EngineLost
from app.core.message import Message
from app.core.offers import Passport
from app.core.releases import Feed
from app.core.report import Report
from app.engine.child import Child
from app.models.download.orders import AskFeed, Fetch, Fetched, LookUp
from app.models.download.process import start_downloader


class Downloads:
    """Looks up models and releases, and downloads models, in the only two processes that use the network.

    One looks up and one downloads, so neither waits for the other. Each starts with its first order and may be ended at
    any time: complete files stay, incomplete ones are not used. `log` is the file for their libraries' output.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._looking = Child(start_downloader, title=Message("look-up process"), log=log)
        self._fetching = Child(start_downloader, title=Message("download process"), log=log)

    def look_up(self, order: LookUp, report: Report) -> Passport:
        """Look up a repository's passport; raises SpanlightError and Stopped."""
        passport: Passport = self._run(self._looking, order, report, Message("Look the model up again."))
        return passport

    def fetch(self, order: Fetch, report: Report) -> Fetched:
        """Fetch a passport's files into the Hugging Face cache; raises SpanlightError and Stopped.

        Progress counts bytes; partial results are core.offers.Downloading.
        """
        fetched: Fetched = self._run(
            self._fetching, order, report, Message("Go on with it: what was fetched is kept.")
        )
        return fetched

    def ask_feed(self, order: AskFeed, report: Report) -> Feed:
        """Fetch a feed of releases; raises SpanlightError and Stopped."""
        feed: Feed = self._run(self._looking, order, report, Message("Check again."))
        return feed

    def _run(self, child: Child, order: LookUp | Fetch | AskFeed, report: Report, hint: str) -> Any:
        try:
            return child.run(order, report)
        except EngineLost as lost:
            raise EngineLost(
                Message("The process that reaches the network ended while it was at work."),
                hint,
                lost.exit_code,
            ) from lost

    @property
    def pids(self) -> tuple[int | None, int | None]:
        """The ids of the look-up and the download process, None where one is not running."""
        return self._looking.pid, self._fetching.pid

    def close(self) -> None:
        """End both processes for good; work under way ends as Stopped."""
        self._looking.close()
        self._fetching.close()
