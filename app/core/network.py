"""What may be reached over the network, how, and what was."""

from __future__ import annotations

from dataclasses import dataclass

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class Network:
    """How the download process reaches the Hub, handed to it with every order; paths are strings.

    `endpoint` is the Hub's address or a mirror's; `proxy` an address, empty for the system's own; `certificates` a PEM
    file with authorities to trust, empty for the system's own; `cache` is the Hugging Face cache's folder, empty for
    the standard one; `use_token` sends the token that Hugging Face's own tools have saved; `ledger` is the file that
    every request is written to before it is sent.
    """

    endpoint: str = HUB
    proxy: str = ""
    certificates: str = ""
    cache: str = ""
    use_token: bool = False
    ledger: str = ""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One request: when it was sent (ISO 8601, UTC), its method and address without query, and why in a few words.

    `status` is the answer's HTTP status, 0 while there is none or where none came; `error` says why none came;
    `received` counts the answer's bytes, `seconds` is how long it took. The last four are filled in when it ended.
    """

    sent: str
    method: str
    address: str
    why: str
    status: int = 0
    received: int = 0
    seconds: float = 0.0
    error: str = ""
