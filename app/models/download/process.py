"""What the download process does, the only one with the network; light to import, as it starts with this file."""

from __future__ import annotations

import os
from typing import Any

from app.core.report import Report
from app.models.download.orders import AskFeed, Fetch, Fetched, LookUp, NetworkFault

# Set before huggingface_hub is imported, which reads them then.
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "0",
    "TRANSFORMERS_OFFLINE": "0",
    "HF_HUB_DISABLE_XET": "1",  # its own protocol knows neither ranges nor this process's ledger
    "HF_HUB_DISABLE_SHARED_BLOBS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_SYMLINKS_WARNING": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
UNSET = ("HF_ENDPOINT", "HF_DEBUG", "HF_HUB_USER_AGENT_ORIGIN", "HF_HUB_ENABLE_HF_TRANSFER")
# Bytes: what a cut costs at most, and how often a stop is looked for.
PIECE = 65_536


def start_downloader() -> Downloader:
    """Make this process ready for huggingface_hub, and give the handler of its orders."""
    os.environ |= ENVIRONMENT
    for name in UNSET:
        os.environ.pop(name, None)
    return Downloader()


class Downloader:
    """Carries out orders one by one, each with a client of its own."""

    def __call__(self, order: LookUp | Fetch | AskFeed, report: Report) -> Any:
        """Passport for LookUp, Fetched for Fetch, Feed for AskFeed. Raises SpanlightError and Stopped."""
        if isinstance(order, AskFeed):  # which has nothing to do with the Hub and its library
            from app.models.download.releases import ask_feed

            return ask_feed(order, report)
        from huggingface_hub import close_session, constants, set_client_factory

        from app.models.download.client import check_endpoint, make_client
        from app.models.download.conversation import Conversation

        constants.DOWNLOAD_CHUNK_SIZE = PIECE
        check_endpoint(order.network.endpoint)
        talk = Conversation(order.network, order.limits, report, patient=isinstance(order, Fetch))
        client = make_client(talk)  # here, so that what is wrong with the settings is told at once
        client.close()
        set_client_factory(lambda: make_client(talk))
        try:
            return self._carry_out(order, talk)
        finally:
            close_session()

    def _carry_out(self, order: LookUp | Fetch, talk: Any) -> Any:
        match order:
            case LookUp():
                from app.models.download.errors import nothing_kept
                from app.models.download.look_up import look_up

                try:
                    return look_up(order, talk)
                except NetworkFault as fault:
                    raise nothing_kept(fault) from fault
            case Fetch():
                from app.models.download.fetch import fetch

                fetched: Fetched = fetch(order, talk)
                return fetched
        raise TypeError(f"no order: {type(order).__name__}")
