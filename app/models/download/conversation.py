"""The context of one order's requests: how the network is reached, why, and what the response must be."""

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
    """A request was sent and no complete response came, because of `cause`. Unlike httpx2's own errors, only
    `with_retries` retries it, so that every retry can be stopped and is reported.
    """

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class TooManyRequests(Exception):
    """A server answered 429: wait `seconds` before the next request, -1 if it does not say how long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass
class RequestContext:
    """One order's network state; the client reads it before every request and reports every byte to it.

    `why` goes into the ledger. `most` is the largest response in bytes, None for no limit. `etag` and `commit` are what
    a HEAD request must answer, if set. `feed` is whether a feed of releases is requested instead of a Hub: only by
    https, and without a token. `arrived` is called with each piece's bytes. `patient` retries a Hub that cannot be
    reached at all: a download may wait for the network, a look-up does not.
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
    # Shows what is being done; a download adds its progress in bytes.
    on_status: Callable[[str], None] | None = None

    def set_status(self, what: str) -> None:
        """Show the user what is being done."""
        if self.on_status is not None:
            self.on_status(what)
        else:
            self.report.progress(Progress(0, 0, what))

    def begin(self, why: str, most: int | None = MOST_ANSWER) -> None:
        """Start requests for another reason; raises Stopped when the work is to stop."""
        self.report.check()
        self.why, self.most, self.etag, self.commit = why, most, "", ""

    def wait(self, seconds: float, reason: str) -> None:
        """Wait, showing for how long; raises Stopped when the work is to stop."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.report.check()
            self.set_status(f"{reason}: again in {duration(max(1, round(left)))}")
            time.sleep(min(left, 0.1))


def changed(what: str) -> SpanlightError:
    """The error if a response is about other files than those looked up."""
    return SpanlightError(
        f"{what} is not the file any more that was looked up.", "Look the model up again, then download it."
    )
