"""Command-line arguments: file:// URLs as desktops pass them (RFC 8089), and suggestions for mistyped words."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

_FILE_URL = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)", re.IGNORECASE | re.DOTALL)
_PERCENT_ENCODED = re.compile(rb"%([0-9A-Fa-f]{2})")
_DRIVE = re.compile(r"/[A-Za-z][:|](/|$)")


def path_of(argument: str, *, windows: bool = sys.platform == "win32") -> str:
    """Return the path of a file:// URL; anything else unchanged.

    A URL that names another computer has a path only on Windows, a network share.
    """
    found = _FILE_URL.fullmatch(argument)
    if found is None:
        return argument
    host, path = found["host"] or "", _percent_decoded(found["path"])
    is_local = host.lower() in ("", "localhost")
    if "\0" in path:
        return argument
    if windows:
        path = path[1:] if is_local and _DRIVE.match(path) else path
        path = path.replace("|", ":", 1) if path[1:2] == "|" else path
        return (path if is_local else f"//{host}{path}").replace("/", "\\")
    # Some programs write this computer's own name as the host.
    return path if is_local or host.lower() == os.uname().nodename.lower() else argument


def _percent_decoded(path: str) -> str:
    """Decode %XX; bytes that are not valid UTF-8 are preserved."""
    data = path.encode("utf-8", "surrogateescape")
    return _PERCENT_ENCODED.sub(lambda found: bytes([int(found[1], 16)]), data).decode(
        "utf-8", "surrogateescape"
    )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Suggest the nearest known word: "Did you mean classify?".

    Empty if none is near, and for a file name or path ("train.csv"), which is not a mistyped word.
    """
    if any(mark in word for mark in "./\\"):
        return ""
    from difflib import get_close_matches

    by_case = {each.casefold(): each for each in known}
    near = get_close_matches(word.casefold(), by_case, 1, 0.7)
    return f"Did you mean {by_case[near[0]]}?" if near else ""
