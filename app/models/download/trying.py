"""Trying again what failed on the way, with waits that are told and can be stopped."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TypeVar

from app.core.errors import SpanlightError
from app.core.report import Stopped
from app.models.download.conversation import AskedToWait, Conversation, NoAnswer
from app.models.download.errors import PASSING, asked_to_wait, cause_in_words, in_words, status_of

T = TypeVar("T")
# Waits of a server that says nothing of how long.
PAUSE_ASKED = 10.0
# So many new bytes make up for a failure: less would let a server drag it out for ever.
MAKES_UP = 65_536
# Another try would end as this one did.
_HOPELESS = ("certificate not trusted", "proxy refused")
_UNREACHED = ("name not found", "no network", "refused")


def keep_trying(
    deed: Callable[[], T],
    talk: Conversation,
    repository: str,
    file: str = "",
    so_far: Callable[[], int] = lambda: 0,
) -> T:
    """What `deed` gives, tried again where it failed on the way; `so_far` counts the bytes that are kept of it.

    Raises NetworkFault where it failed too often or for good, and Stopped.
    """
    failures, kept = 0, so_far()
    while True:
        try:
            return deed()
        except (SpanlightError, Stopped):
            raise
        except AskedToWait as wish:
            reason, seconds = "The Hub asks to wait", wish.seconds if wish.seconds >= 0 else PAUSE_ASKED
            last = asked_to_wait(talk.network, wish.seconds)
            if seconds > talk.limits.longest_wait:
                raise last from wish
        except Exception as error:
            last = in_words(error, talk.network, talk.limits, repository, file)
            if not _passes(error, talk.patient):
                raise last from error
            reason, seconds = last.message.rstrip("."), talk.limits.pause * 2**failures
        if so_far() - kept >= MAKES_UP:
            failures, kept = 0, so_far()
        failures += 1
        if failures >= talk.limits.tries:
            raise last
        talk.wait(seconds, reason)


def _passes(error: Exception, patient: bool) -> bool:
    """Whether another try may end better."""
    if isinstance(error, NoAnswer):
        words = cause_in_words(error.cause)
        return words not in _HOPELESS and (patient or words not in _UNREACHED)
    status = status_of(error)
    if status:
        return status in PASSING
    # huggingface_hub's word for fewer bytes than there should be is an OSError of no number.
    return isinstance(error, OSError) and error.errno in (None, errno.ETIMEDOUT, errno.ECONNRESET)
