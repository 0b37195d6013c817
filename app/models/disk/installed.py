"""The models on this computer: every checkpoint folder below a few given folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.core.offers import Origin, Source
from app.models.disk.card import CONFIG, TOKENIZER, TOKENIZER_CONFIG, model_name, read_card
from app.models.disk.heads import DOES, no_head
from app.models.disk.notes import NOTES
from app.models.disk.origin import ORIGIN, read_origin
from app.models.disk.weights import INDEX

_TELLING = frozenset({CONFIG, INDEX, TOKENIZER, TOKENIZER_CONFIG, NOTES, ORIGIN})

# The reader that comes along finds passages of a long text for English ones with so many times its weights: beside them
# it takes little time.
_FINDER, _TIMES = "reader-quick", 3

Signature = tuple[tuple[str, int, int], ...]


class Shelf:
    """The installed models, read off folders that each hold checkpoint folders.

    Earlier folders come first, names in order within one. A folder is read again only when one of
    its files has changed. `refused` maps a broken folder to what is wrong with it, as of the last
    look. `starters` is the one of the folders whose models came along.
    """

    def __init__(self, folders: Sequence[Path | str], starters: Path | str | None = None) -> None:
        self._folders = tuple(Path(folder) for folder in folders)
        self._starters = None if starters is None else Path(starters)
        self._read: dict[Path, tuple[Signature, ModelCard | SpanlightError]] = {}
        self.refused: dict[str, SpanlightError] = {}

    def cards(self) -> tuple[ModelCard, ...]:
        """The cards of all whole models; a folder without config.json is none."""
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
        """The installed model of a name or a repository, or the one in a folder; it holds `head`.

        Raises SpanlightError naming what is installed where there is none of that name, the folder's
        own refusal where it is broken, and one that says so where the head is not in it.
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
            if not Path(wanted).expanduser().is_dir():
                raise SpanlightError(f"There is no model {wanted!r}.", self._installed(head))
            card = self._with_finder(read_card(Path(wanted).expanduser()))
        if head not in card.heads:
            raise no_head(card.name, card.heads, head)
        return card

    def default(self, head: Head) -> ModelCard:
        """The starter with a head, else the first installed model with it: nothing new is used unasked.

        Raises SpanlightError where there is none.
        """
        fitting = [card for card in self.cards() if head in card.heads]
        card = next((card for card in fitting if card.source == Source.STARTER), next(iter(fitting), None))
        if card is None:
            raise SpanlightError(
                f"No model that can {DOES[head]} is installed.",
                f"Install Spanlight again, which brings one, or put a model's folder into {self._folders[0]}.",
            )
        return card

    def _candidates(self) -> list[Path]:
        found: list[Path] = []
        for folder in self._folders:
            try:
                below = [path for path in folder.iterdir() if not path.name.startswith(".")]
            except OSError:  # not there, or not for us to read
                continue
            # A config that is a link to nothing is one whose file has gone since.
            found += sorted(p for p in below if (p / CONFIG).is_file() or (p / CONFIG).is_symlink())
        return found

    def _card(self, folder: Path) -> ModelCard | SpanlightError:
        now = signature(folder)
        known = self._read.get(folder)
        if known is not None and known[0] == now:
            return known[1]
        try:
            card: ModelCard | SpanlightError = self._marked(folder)
        except SpanlightError as fault:
            card = fault
        self._read[folder] = now, card
        return card

    def _marked(self, folder: Path) -> ModelCard:
        """A folder's card, with what its mark says of where it came from."""
        origin = read_origin(folder)
        _refuse_dangling(folder, origin)
        card = read_card(folder)
        if origin is None:
            came_along = folder.parent == self._starters
            return self._with_finder(replace(card, source=str(Source.STARTER)) if came_along else card)
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
        """A card; a slower reader's that names no finder with the quick one that comes along."""
        reads = Head.QUESTION_ANSWERING in card.heads and card.languages == ("en",)
        if self._starters is None or card.finder or not reads or card.name == _FINDER:
            return card
        quick = self._card(self._starters / _FINDER)
        if isinstance(quick, SpanlightError) or card.parameters < _TIMES * quick.parameters:
            return card
        return replace(card, finder=quick.folder)

    def _installed(self, head: Head) -> str:
        names = [card.name for card in self.cards() if head in card.heads]
        return (
            f"Installed: {', '.join(names)}."
            if names
            else "No model for this is installed; give a model's folder."
        )


def _refuse_dangling(folder: Path, origin: Origin | None) -> None:
    """Refuse a folder whose links lead nowhere where the model needs them: what they led to was cleared away."""
    name = model_name(folder)
    try:
        if all(path.exists() for path in folder.iterdir() if path.is_symlink() and _tells(path.name)):
            return
    except OSError as error:
        raise SpanlightError(
            f"{name} cannot be read: {error.strerror or type(error).__name__}.", "Check its files."
        ) from error
    if origin is not None and origin.source is Source.HUB:
        raise SpanlightError(
            f"The files of {name} are gone from the Hugging Face cache.", "Download it again, or remove it."
        )
    raise SpanlightError(
        f"The files that {name} links to are gone.", "Put them back, or remove the model and import it again."
    )


def _tells(name: str) -> bool:
    """Whether a model is read from the file of this name."""
    return name in _TELLING or name.endswith(".safetensors")


def signature(folder: Path) -> Signature:
    """What tells whether a model folder has changed: its files' sizes and times of change, through links."""
    told = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _tells(entry.name):
                    try:
                        stat = entry.stat()
                    except OSError:  # a link to nothing
                        told.append((entry.name, -1, -1))
                    else:
                        told.append((entry.name, stat.st_size, stat.st_mtime_ns))
    except OSError:
        return ()
    return tuple(sorted(told))
