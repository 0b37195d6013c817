"""Network settings, and the record of requests."""

from __future__ import annotations

from dataclasses import dataclass

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class Network:
    """How the download process reaches the Hub, passed to it with every order; paths are strings.

    `endpoint` is the Hub's address or a mirror's; `proxy` an address, empty for the system's; `certificates` a PEM file
    with trusted authorities, empty for the system's; `cache` is the Hugging Face cache's folder, empty for the standard
    one; `use_token` sends the token saved by Hugging Face's own tools; `ledger` is the file in which every request is
    logged before it is sent.
    """

    endpoint: str = HUB
    proxy: str = ""
    certificates: str = ""
    cache: str = ""
    use_token: bool = False
    ledger: str = ""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One request: when it was sent (ISO 8601, UTC), its method and address without query, and a short reason.

    `status` is the response's HTTP status, 0 if none has come; `error` is why none came; `received` counts the
    response's bytes, `seconds` is how long it took. The last four are set when it has ended.
    """

    sent: str
    method: str
    address: str
    why: str
    status: int = 0
    received: int = 0
    seconds: float = 0.0
    error: str = ""
