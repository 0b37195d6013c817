"""Fetches a feed of releases: one request, made only when the user asks for it."""

from __future__ import annotations

import time
from dataclasses import replace

import httpx2

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import Network, feed_remark, host_of, is_own_computer
from app.core.releases import MOST_BYTES, Feed, parse_feed
from app.core.report import Report, Stopped
from app.core.wording import duration
from app.models.download.client import make_client
from app.models.download.context import NoAnswer, RequestContext, TooManyRequests
from app.models.download.errors import cause_in_words, of_any_status, unanswered
from app.models.download.orders import AskFeed, NetworkFault

WHY = Message("Check for updates")


def ask_feed(order: AskFeed, report: Report) -> Feed:
    """The releases that a feed announces. Raises SpanlightError and Stopped."""
    remark = feed_remark(order.address)
    if remark.bad or not order.address:
        raise SpanlightError(
            remark.words or Message("There is no address to ask."), Message("Check the address.")
        )
    host = host_of(order.address)
    # Errors name this address, and the token is not sent.
    network = replace(order.network, endpoint=order.address, use_token=False)
    context = RequestContext(network, order.limits, report, feed=True)
    context.begin(WHY, most=MOST_BYTES)
    context.set_status(Message("Asking {host}", host=host))
    try:
        data = _answer(order, context, host)
    except (SpanlightError, Stopped):
        raise
    except TooManyRequests as error:
        hint = Message("Try again in some minutes.")
        if error.seconds > 0:
            hint = Message("Try again in {time}.", time=duration(error.seconds))
        raise NetworkFault(Message("{host} has too many requests from here.", host=host), hint) from error
    except NoAnswer as error:
        raise _unanswered(error, context) from error
    except (httpx2.TooManyRedirects, httpx2.InvalidURL, httpx2.RequestError) as error:
        raise NetworkFault(
            Message("{host} sends the request round in circles.", host=host), Message("Check the address.")
        ) from error
    return parse_feed(data, local=is_own_computer(order.address))


def _answer(order: AskFeed, context: RequestContext, host: str) -> bytes:
    end = time.monotonic() + order.seconds
    data = bytearray()
    with (
        make_client(context) as client,
        client.stream("GET", order.address, headers={"accept": "application/json"}) as response,
    ):
        if response.status_code != 200:
            raise _of_status(response.status_code, context.network)
        for chunk in response.iter_raw():
            context.report.check()
            if time.monotonic() > end:
                raise NetworkFault(
                    Message(
                        "{host} did not answer whole within {time}.",
                        host=host,
                        time=duration(order.seconds),
                    ),
                    Message("Try again later."),
                )
            data += chunk
    return bytes(data)


def _of_status(status: int, network: Network) -> NetworkFault:
    host = host_of(network.endpoint)
    match status:
        case 404 | 410:
            return NetworkFault(
                Message("{host} has nothing at that address.", host=host), Message("Check the address.")
            )
        case 401 | 403:
            return NetworkFault(
                Message("{host} does not show that address to everybody.", host=host),
                Message("Check the address."),
            )
    return of_any_status(status, network)


def _unanswered(error: NoAnswer, context: RequestContext) -> NetworkFault:
    cause = error.__cause__
    if not isinstance(cause, httpx2.TransportError) or cause_in_words(cause) == "broken off":
        host = host_of(context.network.endpoint)
        return NetworkFault(Message("The connection to {host} broke off.", host=host), Message("Try again."))
    return unanswered(cause, context.network, context.limits)
