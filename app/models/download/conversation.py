"""What one order is about while it is carried out: how the network is reached, why, and what must come back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.network import Network
from app.core.report import Progress, Report
from app.core.wording import duration
from app.models.download.orders import Limits

MOST_ANSWER = 32 * 2**20


class NoAnswer(Exception):
    """A request was sent and no whole answer came; `cause` says how. Other than httpx2's own errors nobody
    but `keep_trying` sends it again, so that every repetition can be stopped and is told.
    """

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class AskedToWait(Exception):
    """A server answered 429: it wants no request for so many seconds, -1 where it does not say how long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass
class Conversation:
    """One order's dealings with the network; the client asks it before every request and tells it of every byte.

    `why` goes into the ledger. `most` bytes an answer may have, None for any number. `etag` and `commit` are what a
    HEAD request must answer, where they are set. `feed` tells that no Hub is asked but a feed of releases: nowhere but
    by https, and not who is asking. `arrived` is told of each piece's bytes. `patient` has a Hub that
    cannot be reached at all asked again: a download may wait for the network, who looks a model up does not.
    """

    network: Network
    limits: Limits
    report: Report
    why: str = ""
    patient: bool = False
    most: int | None = MOST_ANSWER
    etag: str = ""
    commit: str = ""
    feed: bool = False
    arrived: Callable[[int], None] = field(default=lambda count: None)
    # Says what is being done; a download says its bytes with it.
    teller: Callable[[str], None] | None = None

    def say(self, what: str) -> None:
        """Tell the person what is being done."""
        if self.teller is not None:
            self.teller(what)
        else:
            self.report.progress(Progress(0, 0, what))

    def begin(self, why: str, most: int | None = MOST_ANSWER) -> None:
        """What follows is done for another reason; raises Stopped when the work is to stop."""
        self.report.check()
        self.why, self.most, self.etag, self.commit = why, most, "", ""

    def wait(self, seconds: float, reason: str) -> None:
        """Wait, saying for how long; raises Stopped when the work is to stop."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.report.check()
            self.say(f"{reason}: again in {duration(max(1, round(left)))}")
            time.sleep(min(left, 0.1))


def changed(what: str) -> SpanlightError:
    """What a person is told where an answer is about other files than those looked up."""
    return SpanlightError(
        f"{what} is not the file any more that was looked up.", "Look the model up again, then download it."
    )
