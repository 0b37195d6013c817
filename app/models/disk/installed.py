"""The installed models: every checkpoint folder directly below the given folders."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message, shipped
from app.core.models import Head, ModelCard
from app.core.offers import Origin, Source
from app.models.disk.card import CHECK_FILES, TOKENIZER_CONFIG, read_card
from app.models.disk.config import CONFIG
from app.models.disk.copying import chunks_of
from app.models.disk.heads import ABILITIES, no_head
from app.models.disk.names import model_name, typed_path
from app.models.disk.notes import NOTES, ORIGIN, read_origin
from app.models.disk.tokenizer import TOKENIZER
from app.models.disk.weights import INDEX, reading

_FILES_READ = frozenset({CONFIG, INDEX, TOKENIZER, TOKENIZER_CONFIG, NOTES, ORIGIN})

# The bundled quick reader finds passages of a long text for English readers with at least this many times its weights:
# compared with their time, its own is small.
_FINDER, _TIMES_LARGER = "reader-quick", 3

Signature = tuple[tuple[str, int, int], ...]

_log = logging.getLogger(__name__)


class Shelf:
    """The installed models: the checkpoint folders directly below `folders`, sorted by name in each.

    A checkpoint folder is read again only when one of its files has changed. `refused` maps a broken one to its error,
    as of the last call of `cards`. `starters` is the folder that holds the bundled models.
    """

    def __init__(self, folders: Sequence[Path | str], starters: Path | str | None = None) -> None:
        self._folders = tuple(Path(folder) for folder in folders)
        self._starters = None if starters is None else Path(starters)
        self._read: dict[Path, tuple[Signature, ModelCard | SpanlightError]] = {}
        self.refused: dict[str, SpanlightError] = {}

    def cards(self) -> tuple[ModelCard, ...]:
        """The cards of all complete models; a folder without config.json is not a model."""
        found: list[ModelCard] = []
        refused: dict[str, SpanlightError] = {}
        for folder in self._candidates():
            card = self._card(folder)
            if isinstance(card, ModelCard):
                found.append(card)
            else:
                refused[str(folder)] = card
        self.refused = refused
        return tuple(found)

    def find(self, name_or_folder: str, head: Head) -> ModelCard:
        """The model with `head` of this name, repository or folder.

        Raises SpanlightError if there is none, naming the installed ones, if it is broken, or if it lacks the head.
        """
        wanted = name_or_folder.strip()
        cards = self.cards()
        named = [card for card in cards if card.name == wanted]
        folded = wanted.casefold()
        named = named or [card for card in cards if card.name.casefold() == folded]
        named = named or [card for card in cards if "/" in wanted and card.repository.casefold() == folded]
        card = next((card for card in named if head in card.heads), named[0] if named else None)
        if card is None:
            broken = next(
                (fault for folder, fault in self.refused.items() if Path(folder).name == wanted), None
            )
            if broken is not None:
                raise broken
            folder = typed_path(wanted)
            with contextlib.suppress(OSError):  # a name that no folder can have
                if folder.is_dir():
                    card = self._with_finder(read_card(folder))
        if card is None:
            raise SpanlightError(
                Message("There is no model {wanted!r}.", wanted=wanted[:80]), self._installed(head)
            )
        if head not in card.heads:
            raise no_head(card.name, card.heads, head)
        return card

    def default(self, head: Head) -> ModelCard:
        """The starter with a head, else the first installed model with it: installing one does not change the default.

        Raises SpanlightError if there is none.
        """
        fitting = [card for card in self.cards() if head in card.heads]
        card = next((card for card in fitting if card.source == Source.STARTER), next(iter(fitting), None))
        if card is None:
            raise SpanlightError(
                Message("No model that can {does} is installed.", does=ABILITIES[head]),
                Message(
                    "Install Spanlight again, which brings one, or put a model's folder into {folder}.",
                    folder=str(self._folders[0]),
                ),
            )
        return card

    def _candidates(self) -> list[Path]:
        found: list[Path] = []
        for folder in self._folders:
            try:
                below = [path for path in folder.iterdir() if not path.name.startswith(".")]
            except OSError:  # missing or not readable
                continue
            found += sorted(path for path in below if _may_hold_model(path))
        return found

    def _card(self, folder: Path) -> ModelCard | SpanlightError:
        now = signature(folder)
        known = self._read.get(folder)
        if known is not None and known[0] == now:
            return known[1]
        try:
            card: ModelCard | SpanlightError = self._read_with_origin(folder)
        except SpanlightError as fault:
            card = fault
        except Exception as fault:  # one folder must not hide the other models
            _log.exception("%s was not read", folder)
            reason = getattr(fault, "strerror", None) or Message("its files hold what no model's do")
            card = SpanlightError(
                Message("{name} cannot be read: {reason}.", name=model_name(folder), reason=reason),
                Message("Remove it, or check its files."),
            )
        self._read[folder] = now, card
        return card

    def _read_with_origin(self, folder: Path) -> ModelCard:
        """Read a folder's card, completed by its origin file."""
        origin = read_origin(folder)
        _refuse_dangling(folder, origin)
        card = read_card(folder)
        if origin is None:
            if folder.parent == self._starters:
                card = replace(card, source=str(Source.STARTER), description=shipped(card.description))
            return self._with_finder(card)
        return self._with_finder(
            replace(
                card,
                source=str(origin.source),
                repository=origin.repository,
                licence=card.licence or origin.licence,
                languages=card.languages or origin.languages,
            )
        )

    def _with_finder(self, card: ModelCard) -> ModelCard:
        """The card, with the bundled quick reader as finder if it is a slower reader without one."""
        reads = Head.QUESTION_ANSWERING in card.heads and card.languages == ("en",)
        if self._starters is None or card.finder or not reads or card.name == _FINDER:
            return card
        quick = self._card(self._starters / _FINDER)
        if isinstance(quick, SpanlightError) or card.parameters < _TIMES_LARGER * quick.parameters:
            return card
        return replace(card, finder=quick.folder)

    def _installed(self, head: Head) -> str:
        names = [card.name for card in self.cards() if head in card.heads]
        if not names:
            return Message("No model for this is installed; give a model's folder.")
        return Message("Installed: {names}.", names=", ".join(names))


def _may_hold_model(folder: Path) -> bool:
    """Whether a folder has a config.json, which may be a dangling link."""
    try:
        return (folder / CONFIG).is_file() or (folder / CONFIG).is_symlink()
    except OSError:  # no permission; reading the card reports that
        return True


def _refuse_dangling(folder: Path, origin: Origin | None) -> None:
    """Refuse a folder with dangling links among the model's files: their targets have been removed."""
    name = model_name(folder)
    with reading(name, CHECK_FILES):
        if all(path.exists() for path in folder.iterdir() if path.is_symlink() and _is_read(path.name)):
            return
    if origin is not None and origin.source is Source.HUB:
        raise SpanlightError(
            Message("The files of {name} are gone from the Hugging Face cache.", name=name),
            Message("Download it again, or remove it."),
        )
    raise SpanlightError(
        Message("The files that {name} links to are gone.", name=name),
        Message("Put them back, or remove the model and import it again."),
    )


def _is_read(name: str) -> bool:
    """Whether a file of this name is one that a model is read from."""
    return name in _FILES_READ or name.endswith(".safetensors")


def fingerprint(folder: Path) -> str:
    """A digest of the files that a model computes with, 16 hexadecimal digits: copies of a model have the same.

    Raises SpanlightError if its files cannot be read.
    """
    with reading(model_name(folder), CHECK_FILES):
        return _digest(folder, signature(folder))


@lru_cache(maxsize=16)
def _digest(folder: Path, files: Signature) -> str:
    digest = hashlib.sha256()
    for name, _, _ in files:
        if name not in (NOTES, ORIGIN):
            digest.update(name.encode())
            for chunk in chunks_of(folder / name):
                digest.update(chunk)
    return digest.hexdigest()[:16]


def last_changed(folder: Path) -> float:
    """When a file that a model computes with was last created or changed, in seconds since 1970; inf if unknown."""
    names = [name for name, _, _ in signature(folder) if name not in (NOTES, ORIGIN)]
    with contextlib.suppress(OSError):
        # A copy may keep its original's modification time.
        stats = [(folder / name).stat() for name in names]
        return max((max(stat.st_mtime, stat.st_ctime) for stat in stats), default=0.0)
    return math.inf


def signature(folder: Path) -> Signature:
    """The name, size and modification time of each file that a model is read from, links followed."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_read(entry.name):
                    try:
                        stat = entry.stat()
                    except OSError:  # a dangling link
                        found.append((entry.name, -1, -1))
                    else:
                        found.append((entry.name, stat.st_size, stat.st_mtime_ns))
    except OSError:
        return ()
    return tuple(sorted(found))
