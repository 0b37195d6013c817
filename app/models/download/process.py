"""The download process, the only one with network access; quick to import, as the process starts with this module."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from app.core.memory_limit import limit_memory
from app.core.report import Report
from app.models.download.orders import AskFeed, Fetch, LookUp

# Set before huggingface_hub is imported, because it reads them then.
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "0",
    "TRANSFORMERS_OFFLINE": "0",
    "HF_HUB_DISABLE_XET": "1",  # its protocol supports neither ranges nor this process's ledger
    "HF_HUB_DISABLE_SHARED_BLOBS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_SYMLINKS_WARNING": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
UNSET = ("HF_ENDPOINT", "HF_DEBUG", "HF_HUB_USER_AGENT_ORIGIN", "HF_HUB_ENABLE_HF_TRANSFER")
# Bytes. What a Hub sends is written to disk as it comes; checking the largest header of weights takes 0.6 GB.
MEMORY = 1_500_000_000
# Bytes: the most that a broken connection loses, and after which a stop is checked for.
CHUNK = 16_384


def start_downloader() -> Callable[[LookUp | Fetch | AskFeed, Report], Any]:
    """Set this process up for huggingface_hub, and return the function that carries out its orders."""
    limit_memory(MEMORY)
    os.environ |= ENVIRONMENT
    for name in UNSET:
        os.environ.pop(name, None)
    return carry_out


def carry_out(order: LookUp | Fetch | AskFeed, report: Report) -> Any:
    """Carry out an order with a client of its own: a LookUp gives a Passport, a Fetch Fetched, an AskFeed a Feed.

    Raises SpanlightError and Stopped.
    """
    if isinstance(order, AskFeed):  # needs neither the Hub nor its library
        from app.models.download.releases import ask_feed

        return ask_feed(order, report)
    from huggingface_hub import close_session, constants, set_client_factory

    from app.models.download.client import check_endpoint, make_client
    from app.models.download.context import RequestContext

    constants.DOWNLOAD_CHUNK_SIZE = CHUNK
    check_endpoint(order.network.endpoint)
    context = RequestContext(order.network, order.limits, report, patient=isinstance(order, Fetch))
    client = make_client(context)  # so that wrong settings are reported at once
    client.close()
    set_client_factory(lambda: make_client(context))
    try:
        if isinstance(order, Fetch):
            from app.models.download.fetch import fetch

            return fetch(order, context)
        from app.models.download.look_up import look_up

        return look_up(order, context)
    finally:
        close_session()
