"""What arguments of a command line mean: file:// URLs, as desktops pass them (RFC 8089), and mistyped words."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

_ADDRESS = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)", re.IGNORECASE | re.DOTALL)
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_DRIVE = re.compile(r"/[A-Za-z][:|](/|$)")


def path_of(argument: str, *, windows: bool = sys.platform == "win32") -> str:
    """The path in a file:// URL; anything else is returned unchanged.

    A URL on another computer is a path only on Windows, which has paths for other computers.
    """
    found = _ADDRESS.fullmatch(argument)
    if found is None:
        return argument
    host, path = found["host"] or "", _plain(found["path"])
    here = host.lower() in ("", "localhost")
    if "\0" in path:
        return argument
    if windows:
        path = path[1:] if here and _DRIVE.match(path) else path
        path = path.replace("|", ":", 1) if path[1:2] == "|" else path
        return (path if here else f"//{host}{path}").replace("/", "\\")
    # Some programs put this computer's name there.
    return path if here or host.lower() == os.uname().nodename.lower() else argument


def _plain(escaped: str) -> str:
    """A path with %XX decoded; bytes that are not valid characters are preserved."""
    data = escaped.encode("utf-8", "surrogateescape")
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), data).decode("utf-8", "surrogateescape")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A suggestion of the nearest known word: "Did you mean classify?".

    Empty if none is near, and for a file's name or path ("train.csv"), which is not a mistyped word.
    """
    if any(mark in word for mark in "./\\"):
        return ""
    from difflib import get_close_matches

    by_case = {each.casefold(): each for each in known}
    near = get_close_matches(word.casefold(), by_case, 1, 0.7)
    return f"Did you mean {by_case[near[0]]}?" if near else ""
