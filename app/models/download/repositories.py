"""Names of repositories and of their files: which are valid, and which files a model needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import HUB
from app.models.disk.copying import SETTINGS, files_to_copy, is_text
from app.models.disk.notes import NOTES
from app.models.disk.weights import INDEX, SHARD

COMMIT = re.compile(r"[0-9a-f]{40}", re.ASCII)
DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
# As the Hub has them: letters, digits, and single . _ - between them, at most 96 characters in all.
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_]|[.-](?![.-]))*"
_NAME = re.compile(rf"(?:{_PART}/)?{_PART}", re.ASCII)
_LONGEST = 96
_ADDRESS = re.compile(r"https?://", re.ASCII | re.IGNORECASE)


def repository_of(typed: str, endpoint: str = HUB) -> str:
    """The name of a repository, `name` or `org/name`, from typed or pasted text.

    The address of a page at the Hub or at `endpoint` is accepted too, whatever follows the name in it. Raises
    SpanlightError for anything else.
    """
    name = typed.strip()
    if _ADDRESS.match(name) or name.lower().startswith(("huggingface.co/", "hf.co/")):
        name = _of_address(name if _ADDRESS.match(name) else f"https://{name}", endpoint)
    if not is_repository(name):
        raise SpanlightError(
            Message("{name} is no name of a model on the Hub.", name=shown(typed.strip()))
            if typed.strip()
            else Message("Nothing is no name of a model on the Hub."),
            Message("Names look like deepset/roberta-base-squad2: owner, slash, model."),
        )
    return name


def is_repository(name: str) -> bool:
    """Whether this can be the name of a repository."""
    wrong = name.endswith((".git", ".", "-")) or "--" in name or ".." in name
    return len(name) <= _LONGEST and not wrong and _NAME.fullmatch(name) is not None


def _of_address(address: str, endpoint: str) -> str:
    try:
        parts = urlsplit(address)
        hosts = {"huggingface.co", "www.huggingface.co", "hf.co", urlsplit(endpoint).hostname}
        known = parts.hostname in hosts
    except ValueError:
        return ""
    if not known:
        return ""
    words = [word for word in parts.path.split("/") if word]
    if words and words[0] in ("datasets", "spaces", "api", "docs", "collections", "papers"):
        return ""
    # `tree`, `blob` and `resolve` follow the name; a path of one word is a model without an owner.
    return "/".join(
        words[:2] if len(words) > 1 and words[1] not in ("tree", "blob", "resolve") else words[:1]
    )


def is_hostile(name: str) -> bool:
    """Whether a file's name could lead out of its folder on some system, or hide what it is."""
    parts = name.split("/")
    odd = any(not part or part in (".", "..") for part in parts)
    return odd or any(letter in "\\:" or not letter.isprintable() for letter in name) or len(name) > 1000


def needed(names: Iterable[str]) -> tuple[str, ...]:
    """The names of a repository's files to fetch, without shards; the weights come last.

    If there is no tokenizer.json, the files that it can be built from are included.
    """
    return tuple(name for name in files_to_copy(set(names)) if name != NOTES)


def may_be_fetched(name: str) -> bool:
    """Whether a file of this name may be fetched."""
    known = name in (*SETTINGS, INDEX) or is_text(name) or SHARD.fullmatch(name) is not None
    return known and "/" not in name and not is_hostile(name)


def shown(text: str) -> str:
    """Foreign text, cleaned and shortened for a sentence."""
    printable = "".join(letter for letter in text[:81] if letter.isprintable())
    return printable[:80] + ("…" if len(text) > 80 else "")
