"""Fetches a feed of releases: one request, made only when the user wants it, complete or an error."""

from __future__ import annotations

import time
from dataclasses import replace
from urllib.parse import urlsplit

import httpx2

from app.core.addresses import feed_remark, is_own_computer
from app.core.errors import SpanlightError
from app.core.releases import MOST_BYTES, Feed, parse_feed
from app.core.report import Report, Stopped
from app.core.wording import duration
from app.models.download.client import make_client
from app.models.download.context import NoAnswer, RequestContext, TooManyRequests
from app.models.download.errors import cause_in_words, of_any_status, unanswered, without_resume_hint
from app.models.download.orders import AskFeed, NetworkFault

WHY = "Check for updates"


def ask_feed(order: AskFeed, report: Report) -> Feed:
    """The releases that a feed announces. Raises SpanlightError and Stopped."""
    remark = feed_remark(order.address)
    if remark.bad or not order.address:
        raise SpanlightError(remark.words or "There is no address to ask.", "Check the address.")
    host = urlsplit(order.address).hostname or order.address
    # Errors name this address, and the token is not sent.
    network = replace(order.network, endpoint=order.address, use_token=False)
    context = RequestContext(network, order.limits, report, feed=True)
    context.begin(WHY, most=MOST_BYTES)
    context.set_status(f"Asking {host}")
    try:
        data = _answer(order, context, host)
    except (SpanlightError, Stopped):
        raise
    except TooManyRequests as error:
        when = f"in {duration(error.seconds)}" if error.seconds > 0 else "in some minutes"
        raise NetworkFault(f"{host} has too many requests from here.", f"Try again {when}.") from error
    except NoAnswer as error:
        raise _unanswered(error, host, context) from error
    except (httpx2.TooManyRedirects, httpx2.InvalidURL, httpx2.RequestError) as error:
        raise NetworkFault(f"{host} sends the request round in circles.", "Check the address.") from error
    return parse_feed(data, local=is_own_computer(order.address))


def _answer(order: AskFeed, context: RequestContext, host: str) -> bytes:
    end = time.monotonic() + order.seconds
    data = bytearray()
    with (
        make_client(context) as client,
        client.stream("GET", order.address, headers={"accept": "application/json"}) as response,
    ):
        if response.status_code != 200:
            raise _of_status(response.status_code, host)
        for piece in response.iter_raw():
            context.report.check()
            if time.monotonic() > end:
                raise NetworkFault(
                    f"{host} did not answer whole within {duration(order.seconds)}.", "Try again later."
                )
            data += piece
    return bytes(data)


def _of_status(status: int, host: str) -> NetworkFault:
    match status:
        case 404 | 410:
            return NetworkFault(f"{host} has nothing at that address.", "Check the address.")
        case 401 | 403:
            return NetworkFault(f"{host} does not show that address to everybody.", "Check the address.")
    return without_resume_hint(of_any_status(status, host))


def _unanswered(error: NoAnswer, host: str, context: RequestContext) -> NetworkFault:
    cause = error.__cause__
    if not isinstance(cause, httpx2.TransportError) or cause_in_words(cause) == "broken off":
        return NetworkFault(f"The connection to {host} broke off.", "Try again.")
    return without_resume_hint(unanswered(cause, host, context.network, context.limits))
