"""Orders to the download process and their results: plain values that cross between the processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.network import Network
from app.core.offers import Passport


class NetworkFault(SpanlightError):
    """Fetching failed or broke off; it may succeed another time.

    `resumes` is whether a download can then go on from where it was, and need not be looked up again.
    """

    def __init__(self, message: str, hint: str = "", resumes: bool = False) -> None:
        super().__init__(message, hint)
        self.resumes = resumes


@dataclass(frozen=True, slots=True)
class Limits:
    """Timeouts and retries, in seconds.

    `connect` is the time for a connection, `read` that for the next byte. After `tries` failures without new bytes in
    between a request is given up; `pause` is the wait before the second try, and doubles with each. `longest_wait` is
    the longest wait that a server may ask for (Retry-After); beyond it an error is raised.
    """

    connect: float = 15.0
    read: float = 30.0
    tries: int = 4
    pause: float = 1.0
    longest_wait: float = 300.0


@dataclass(frozen=True, slots=True)
class LookUp:
    """Look up a repository at a commit (empty for the newest); the result is core.offers.Passport."""

    repository: str
    commit: str
    network: Network
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Fetch:
    """Download a passport's files into the Hugging Face cache; the result is Fetched, partial results Downloading."""

    passport: Passport
    network: Network
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class AskFeed:
    """Fetch a feed of releases from an address within `seconds`; the result is core.releases.Feed.

    The Hub's address, the cache and the token in `network` are not used.
    """

    address: str
    network: Network
    limits: Limits = field(default_factory=lambda: Limits(connect=10.0, read=10.0))
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """A model whose files are complete in the Hugging Face cache, checksums verified.

    `folder` holds them under their own names; `cache` is the cache's folder. `received` is the number of downloaded
    bytes, `speed` in bytes a second, 0 if too few came to measure. `checksums` maps a file's name to its SHA-256 in
    hexadecimal digits.
    """

    folder: str
    cache: str
    received: int
    speed: float
    checksums: tuple[tuple[str, str], ...]
