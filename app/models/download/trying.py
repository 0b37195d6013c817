"""Retries after network errors, with waits that are shown and can be stopped."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TypeVar

from app.core.errors import SpanlightError
from app.core.report import Stopped
from app.models.download.conversation import NoAnswer, RequestContext, TooManyRequests
from app.models.download.errors import TRANSIENT, cause_in_words, fault_of, status_of, too_many_requests

T = TypeVar("T")
# Seconds to wait if a server does not say how long.
DEFAULT_PAUSE = 10.0
# This many new bytes reset the count of failures: with fewer, a server could drag it out for ever.
ENOUGH_PROGRESS = 65_536
# Another try would end the same way.
_HOPELESS = ("certificate not trusted", "proxy refused")
_UNREACHED = ("name not found", "no network", "refused")


def with_retries(
    attempt: Callable[[], T],
    context: RequestContext,
    repository: str,
    file: str = "",
    so_far: Callable[[], int] = lambda: 0,
) -> T:
    """The result of `attempt`, retried after transient errors; `so_far` counts the bytes received so far.

    Raises NetworkFault if it failed too often or for good, and Stopped.
    """
    failures, received = 0, so_far()
    while True:
        try:
            return attempt()
        except (SpanlightError, Stopped):
            raise
        except TooManyRequests as error:
            reason, seconds = "The Hub asks to wait", error.seconds if error.seconds >= 0 else DEFAULT_PAUSE
            last = too_many_requests(context.network, error.seconds)
            if seconds > context.limits.longest_wait:
                raise last from error
        except Exception as error:
            last = fault_of(error, context.network, context.limits, repository, file)
            if not _passes(error, context.patient):
                raise last from error
            reason, seconds = last.message.rstrip("."), context.limits.pause * 2**failures
        if so_far() - received >= ENOUGH_PROGRESS:
            failures, received = 0, so_far()
        failures += 1
        if failures >= context.limits.tries:
            raise last
        context.wait(seconds, reason)


def _passes(error: Exception, patient: bool) -> bool:
    """Whether another try may succeed."""
    if isinstance(error, NoAnswer):
        words = cause_in_words(error.cause)
        return words not in _HOPELESS and (patient or words not in _UNREACHED)
    status = status_of(error)
    if status:
        return status in TRANSIENT
    # huggingface_hub reports fewer bytes than expected as an OSError without errno.
    return isinstance(error, OSError) and error.errno in (None, errno.ETIMEDOUT, errno.ECONNRESET)
