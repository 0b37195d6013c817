"""What is said of an address of the Hub or a proxy while it is typed; nothing is reached for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A name or a number of a computer, or an IPv6 number in brackets; then a port (RFC 3986, section 3.2).
_HOST = (
    r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
_ENDPOINT = re.compile(rf"(?P<scheme>https?)://{_HOST}(?P<path>/[^\s?#]*)?", re.IGNORECASE)
_PROXY = re.compile(rf"(?:(?P<scheme>https?)://)?(?:(?P<person>[^\s@/]+)@)?{_HOST}/?", re.IGNORECASE)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_OWN = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person should know of what was typed; `bad` where it cannot be used."""

    words: str = ""
    bad: bool = False


def endpoint_remark(typed: str) -> Remark:
    """What is to be said of the Hub's address; an empty one stands for the Hub's own."""
    typed = typed.strip()
    if not typed:
        return Remark()
    found = _ENDPOINT.fullmatch(typed)
    if found is None:
        return Remark(_not_usable(typed, "https://huggingface.co"), bad=True)
    if not _port_is_good(found["port"]):
        return Remark("A port is a number from 1 to 65535.", bad=True)
    if found["scheme"].lower() == "http" and found["host"].lower() not in _OWN:
        return Remark("Without https, others on the way can see what is downloaded, and change it.")
    return Remark()


def proxy_remark(typed: str) -> Remark:
    """What is to be said of a proxy's address; an empty one stands for the system's own."""
    typed = typed.strip()
    if not typed:
        return Remark()
    scheme = _SCHEME.match(typed)
    if scheme and scheme[1].lower() not in ("http", "https"):
        return Remark(
            f"Only proxies that speak http or https can be used, not {scheme[1].lower()[:12]}.", bad=True
        )
    found = _PROXY.fullmatch(typed)
    if found is None:
        return Remark(_not_usable(typed, "http://proxy.example.org:8080"), bad=True)
    if not _port_is_good(found["port"]):
        return Remark("A port is a number from 1 to 65535.", bad=True)
    if found["person"] and ":" in found["person"]:
        return Remark("The password is kept readable in Spanlight's settings file.")
    return Remark()


def without_password(address: str) -> str:
    """An address without the name and the password before its host, as it may be shown."""
    scheme, mark, rest = address.rpartition("://")
    return scheme + mark + rest.rpartition("@")[2]


def _port_is_good(port: str | None) -> bool:
    return port is None or 0 < int(port) < 65536


def _not_usable(typed: str, example: str) -> str:
    if any(character.isspace() for character in typed):
        return "An address holds no blanks."
    return f"This is no address that can be used; it looks like {example}"
