"""Names of models, as they are shown, and as folder names that are valid on every file system."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message

MOST_LETTERS, MOST_BYTES = 80, 160
LONGEST_NAME = 96
NAMELESS = "model"
_RESERVED = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"]
)
_FORBIDDEN = frozenset('<>:"/\\|?*')


def model_name(folder: Path) -> str:
    """The display name of the model in a folder: the folder's name, or the repository's in a Hugging Face cache."""
    repository = folder.parent.parent.name
    name = folder.name or folder.resolve().name
    if folder.parent.name == "snapshots" and repository.startswith("models--"):
        name = repository.split("--")[-1]
    # A foreign name must not control a terminal or change a sentence's writing direction.
    name = "".join(sign if sign.isprintable() else "?" for sign in name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def safe_name(wanted: str) -> str:
    """The name nearest to `wanted` that can be a folder's on Linux, macOS and Windows; never empty or hidden.

    Windows' rules: "Naming Files, Paths, and Namespaces" in Microsoft's documentation.
    """
    letters = []
    for letter in unicodedata.normalize("NFC", wanted):
        category = unicodedata.category(letter)
        if letter in _FORBIDDEN or category in ("Zl", "Zp"):
            letters.append("-")
        elif category == "Zs":
            letters.append(" ")
        elif category[0] != "C":  # control, format, surrogate, private, unassigned
            letters.append(letter)
    name = _trimmed("".join(letters)[:MOST_LETTERS])
    while len(name.encode()) > MOST_BYTES:
        name = _trimmed(name[:-1])
    if name.split(".")[0].rstrip(" ").upper() in _RESERVED:
        name = f"{NAMELESS}-{name}"
    # Cutting off the end may have separated a letter from its accents.
    return unicodedata.normalize("NFC", name) or NAMELESS


def key_of(name: str) -> str:
    """A key that is equal for names that some file system treats as one: it ignores case and encodings of accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def free_name(wanted: str, taken: Collection[str], *others: str) -> str:
    """The first of `wanted` and `others`, made safe, that is not in `taken`; else `wanted` with a number, from 2 on."""
    keys = {key_of(name) for name in taken}
    names = [safe_name(name) for name in (wanted, *others)]
    number = 1
    while True:
        for name in names:
            if key_of(name) not in keys:
                return name
        number += 1
        # Cut so that the number fits even after the longest name.
        names = [safe_name(f"{_cut(safe_name(wanted))}-{number}")]


def check_name(name: str) -> str:
    """A name given by the user, stripped. Raises SpanlightError if no folder can have it."""
    name = unicodedata.normalize("NFC", name.strip())
    safe = safe_name(name)
    if safe != name:
        raise SpanlightError(
            Message("A model cannot be called {name!r}.", name=ascii(name[:80])[1:-1]),
            Message("Call it {safe}, say.", safe=safe),
        )
    return name


def typed_path(typed: str) -> Path:
    """A path as it was typed, with a leading "~" expanded where that user exists."""
    try:
        return Path(typed).expanduser()
    except RuntimeError:
        return Path(typed)


def _cut(name: str) -> str:
    name = name[: MOST_LETTERS - 8]
    while len(name.encode()) > MOST_BYTES - 8:
        name = name[:-1]
    return name


def _trimmed(name: str) -> str:
    """The name without characters that hide a folder, that Windows drops, or that a command line would misread."""
    return name.lstrip(".-~ ").rstrip(". ")
