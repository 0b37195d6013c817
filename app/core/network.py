"""Network settings, the record of requests, and remarks on addresses while they are typed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.message import Message

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
    """A request: when it was sent (ISO 8601, UTC), its method and address without query, and a short reason.

    `status` is the response's HTTP status, 0 without a response; `error` is why there was none; `received` counts the
    response's bytes, `seconds` is how long it took. These four are set when the request has ended.
    """

    sent: str
    method: str
    address: str
    why: str
    status: int = 0
    received: int = 0
    seconds: float = 0.0
    error: str = ""


# A host name or address, or an IPv6 address in brackets; then a port (RFC 3986, section 3.2).
_HOST = (
    r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
_ENDPOINT = re.compile(rf"(?P<scheme>https?)://{_HOST}(?P<path>/[^\s?#]*)?", re.IGNORECASE)
_PROXY = re.compile(rf"(?:(?P<scheme>https?)://)?(?:(?P<person>[^\s@/]+)@)?{_HOST}/?", re.IGNORECASE)
# The characters allowed in an address, so that it can be shown unchanged and opens nothing else (RFC 3986, section 2).
_WEB = re.compile(rf"(?P<scheme>https?)://{_HOST}(?:[/?#][A-Za-z0-9._~:/?#@!$&()*+,;=%\[\]-]*)?", re.ASCII)
_LONGEST = 2000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_OWN = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark for the user on a typed address; `bad` if it cannot be used."""

    words: str = ""
    bad: bool = False


def endpoint_remark(typed: str) -> Remark:
    """Return the remark on the Hub's address; an empty address means the default Hub."""
    typed = typed.strip()
    if not typed:
        return Remark()
    found = _ENDPOINT.fullmatch(typed)
    if found is None:
        return Remark(_not_usable(typed, "https://huggingface.co"), bad=True)
    if not _port_is_good(found["port"]):
        return Remark(Message("A port is a number from 1 to 65535."), bad=True)
    if found["scheme"].lower() == "http" and found["host"].lower() not in _OWN:
        return Remark(Message("Without https, others on the way can see what is downloaded, and change it."))
    return Remark()


def proxy_remark(typed: str) -> Remark:
    """Return the remark on a proxy's address; an empty address means the system's proxy."""
    typed = typed.strip()
    if not typed:
        return Remark()
    scheme = _SCHEME.match(typed)
    if scheme and scheme[1].lower() not in ("http", "https"):
        return Remark(
            Message(
                "Only proxies that speak http or https can be used, not {scheme}.",
                scheme=scheme[1].lower()[:12],
            ),
            bad=True,
        )
    found = _PROXY.fullmatch(typed)
    if found is None:
        return Remark(_not_usable(typed, "http://proxy.example.org:8080"), bad=True)
    if not _port_is_good(found["port"]):
        return Remark(Message("A port is a number from 1 to 65535."), bad=True)
    if found["person"] and ":" in found["person"]:
        return Remark(Message("The password is kept readable in Spanlight's settings file."))
    return Remark()


def feed_remark(typed: str) -> Remark:
    """Return the remark on the address of the feed of releases; an empty address means no feed."""
    typed = typed.strip()
    if not typed:
        return Remark()
    if is_web_address(typed, local=True):
        return Remark()
    found = _WEB.fullmatch(typed)
    if found is not None and not _port_is_good(found["port"]):
        return Remark(Message("A port is a number from 1 to 65535."), bad=True)
    if found is not None and found["scheme"] == "http":
        return Remark(Message("Without https, others on the way could change what is announced."), bad=True)
    return Remark(_not_usable(typed, "https://example.org/spanlight/feed.json"), bad=True)


def is_web_address(address: str, *, local: bool = False) -> bool:
    """Whether an address may be opened as a page or file: https, with `local` also http on this computer."""
    found = _WEB.fullmatch(address) if len(address) <= _LONGEST else None
    if found is None or not _port_is_good(found["port"]):
        return False
    return found["scheme"] == "https" or (local and found["host"].lower() in _OWN)


def is_own_computer(address: str) -> bool:
    """Whether an address is on this computer."""
    found = _WEB.fullmatch(address)
    return found is not None and found["host"].lower() in _OWN


def host_of(address: str) -> str:
    """Return the host of a web address, safe to show; if it has none, the address without a password."""
    found = _WEB.fullmatch(address)
    return found["host"].lower() if found is not None else without_password(address)


def without_password(address: str) -> str:
    """Return an address without the user name and password before its host, safe to show."""
    scheme, mark, rest = address.rpartition("://")
    return scheme + mark + rest.rpartition("@")[2]


def _port_is_good(port: str | None) -> bool:
    return port is None or 0 < int(port) < 65536


def _not_usable(typed: str, example: str) -> str:
    if any(character.isspace() for character in typed):
        return Message("An address holds no blanks.")
    return Message("This is no address that can be used; it looks like {example}.", example=example)
