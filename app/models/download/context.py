"""The context of an order's requests: the network's settings, their reason, their limits, and retries."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import Network
from app.core.report import Progress, Report, Stopped
from app.core.wording import duration
from app.models.download.errors import (
    KEPT,
    TRANSIENT,
    cause_in_words,
    fault_of,
    status_of,
    too_many_requests,
)
from app.models.download.orders import Limits, NetworkFault

T = TypeVar("T")
MOST_ANSWER = 32 * 2**20
# Seconds to wait if a server does not say how long.
DEFAULT_PAUSE = 10.0
# This many new bytes reset the count of failures: for fewer, a server could drag a download out for ever.
ENOUGH_PROGRESS = 65_536
# Causes for which another try would end the same way.
_HOPELESS = ("certificate not trusted", "proxy refused")
_UNREACHED = ("name not found", "no network", "refused")


class NoAnswer(Exception):
    """A request was sent and no complete response came; the error of httpx2 is its cause.

    huggingface_hub retries httpx2's own errors by itself; this one is left to `RequestContext.retried`, which shows
    every retry and can be stopped.
    """


class TooManyRequests(Exception):
    """A server answered 429: wait `seconds` before the next request, -1 if it does not say how long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass
class RequestContext:
    """What the client needs to know for an order's requests; it reads this before each.

    `why` goes into the ledger. `most` is the largest response in bytes, None for no limit. `feed` is whether a feed of
    releases is requested and not a Hub: then only by https, and without a token. If `patient`, a Hub that cannot be
    reached at all is tried again: a download may wait for the network, a look-up does not. `on_status` shows what is
    being done together with a download's progress.
    """

    network: Network
    limits: Limits
    report: Report
    patient: bool = False
    feed: bool = False
    why: str = ""
    most: int | None = MOST_ANSWER
    on_status: Callable[[str], None] | None = None

    @property
    def token(self) -> str | bool:
        """The token to send: the one saved by Hugging Face's own tools if the user allows it, else False."""
        from huggingface_hub import get_token

        return (get_token() or False) if self.network.use_token else False

    def set_status(self, what: str) -> None:
        """Show the user what is being done."""
        if self.on_status is not None:
            self.on_status(what)
        else:
            self.report.progress(Progress(0, 0, what))

    def begin(self, why: str, *, most: int | None = MOST_ANSWER) -> None:
        """Set the reason and the limit of the next requests; raises Stopped when the work is to stop."""
        self.report.check()
        self.why, self.most = why, most

    def retried(
        self, attempt: Callable[[], T], repository: str, file: str = "", so_far: Callable[[], int] = lambda: 0
    ) -> T:
        """The result of `attempt`, which is retried after transient errors; `so_far` gives the bytes received so far.

        Raises NetworkFault if it failed too often or for good, and Stopped.
        """
        failures, received = 0, so_far()
        while True:
            try:
                return attempt()
            except (SpanlightError, Stopped):
                raise
            except TooManyRequests as error:
                reason: str = Message("The Hub asks to wait.")
                seconds = error.seconds if error.seconds >= 0 else DEFAULT_PAUSE
                last = self._with_hint(too_many_requests(self.network, error.seconds))
                if seconds > self.limits.longest_wait:
                    raise last from error
            except Exception as error:
                last = self._with_hint(fault_of(error, self.network, self.limits, repository, file))
                if not self._is_transient(error):
                    raise last from error
                reason, seconds = last.message, self.limits.pause * 2**failures
            if so_far() - received >= ENOUGH_PROGRESS:
                failures, received = 0, so_far()
            failures += 1
            if failures >= self.limits.tries:
                raise last
            self._wait(seconds, reason)

    def _with_hint(self, fault: NetworkFault) -> NetworkFault:
        """The fault, of a download with the hint that it will be resumed, if that can be."""
        if not self.patient or not fault.resumes:
            return fault
        return NetworkFault(fault.message, Message("{hint} {kept}", hint=fault.hint, kept=KEPT), resumes=True)

    def _is_transient(self, error: Exception) -> bool:
        """Whether another try may succeed."""
        if isinstance(error, NoAnswer):
            words = cause_in_words(error)
            return words not in _HOPELESS and (self.patient or words not in _UNREACHED)
        status = status_of(error)
        if status:
            return status in TRANSIENT
        # huggingface_hub reports fewer bytes than expected as an OSError without errno.
        return isinstance(error, OSError) and error.errno in (None, errno.ETIMEDOUT, errno.ECONNRESET)

    def _wait(self, seconds: float, reason: str) -> None:
        """Wait, showing for how long; raises Stopped when the work is to stop."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.report.check()
            time_left = duration(max(1, round(left)))
            self.set_status(Message("{reason} Again in {time}.", reason=reason, time=time_left))
            time.sleep(min(left, 0.1))
