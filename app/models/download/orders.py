"""What is asked of the download process, and what it gives back: plain values that cross between the two."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.network import Network
from app.core.offers import Passport


class NetworkFault(SpanlightError):
    """Nothing could be fetched, or no more of it; another time it may be."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long the network is waited for, in seconds.

    `connect` is for a connection, `read` for the next byte; after `tries` failures without new bytes in between it is
    given up, with `pause` before the second, twice that before the third and so on. `longest_wait` is how long it
    waits where a server asks to (Retry-After); beyond it the person is told.
    """

    connect: float = 15.0
    read: float = 30.0
    tries: int = 4
    pause: float = 1.0
    longest_wait: float = 300.0


@dataclass(frozen=True, slots=True)
class LookUp:
    """What is known of a repository at a commit (empty for the newest); the result is core.offers.Passport."""

    repository: str
    commit: str
    network: Network
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Fetch:
    """Bring a passport's files into the Hugging Face cache; the result is Fetched, partial results Downloading."""

    passport: Passport
    network: Network
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class AskFeed:
    """What releases a feed at an address announces, within so many seconds; the result is core.releases.Feed.

    Of `network` the Hub's address, its cache and the token are not used.
    """

    address: str
    network: Network
    limits: Limits = field(default_factory=lambda: Limits(connect=10.0, read=10.0))
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """A model whose files are whole in the Hugging Face cache, checksums compared.

    `folder` holds them under their own names; `cache` is the cache's folder. `was_cached` tells that nothing had to be
    downloaded, `received` counts the bytes that were, `speed` is bytes a second, 0 where too little came to tell.
    `checksums` maps a file's name to its SHA-256 in hexadecimal digits.
    """

    folder: str
    cache: str
    was_cached: bool
    received: int
    speed: float
    checksums: tuple[tuple[str, str], ...]
