"""The models on this computer: every checkpoint folder below a few given folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.models.card import CONFIG, TOKENIZER, read_card
from app.models.heads import DOES, no_head
from app.models.notes import NOTES
from app.models.weights import INDEX, SINGLE

Signature = tuple[tuple[str, int, int], ...]


class Shelf:
    """The installed models, read off folders that each hold checkpoint folders.

    Earlier folders come first, names in order within one. A folder is read again only when one of
    its files has changed. `refused` maps a broken folder to what is wrong with it, as of the last
    look.
    """

    def __init__(self, folders: Sequence[Path | str]) -> None:
        self._folders = tuple(Path(folder) for folder in folders)
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
        """The installed model of a name, or the one in a folder; it holds `head`.

        Raises SpanlightError naming what is installed where there is none of that name, the folder's
        own refusal where it is broken, and one that says so where the head is not in it.
        """
        wanted = name_or_folder.strip()
        cards = self.cards()
        named = [card for card in cards if card.name == wanted]
        named = named or [card for card in cards if card.name.casefold() == wanted.casefold()]
        card = next((card for card in named if head in card.heads), named[0] if named else None)
        if card is None:
            broken = next(
                (fault for folder, fault in self.refused.items() if Path(folder).name == wanted), None
            )
            if broken is not None:
                raise broken
            if not Path(wanted).expanduser().is_dir():
                raise SpanlightError(f"There is no model {wanted!r}.", self._installed(head))
            card = read_card(Path(wanted).expanduser())
        if head not in card.heads:
            raise no_head(card.name, card.heads, head)
        return card

    def default(self, head: Head) -> ModelCard:
        """The first installed model with a head. Raises SpanlightError where there is none."""
        card = next((card for card in self.cards() if head in card.heads), None)
        if card is None:
            places = " or ".join(str(folder) for folder in self._folders)
            raise SpanlightError(
                f"No model that can {DOES[head]} is installed.", f"Put a model folder into {places}."
            )
        return card

    def _candidates(self) -> list[Path]:
        found: list[Path] = []
        for folder in self._folders:
            if folder.is_dir():
                below = (path for path in folder.iterdir() if not path.name.startswith("."))
                found += sorted(path for path in below if (path / CONFIG).is_file())
        return found

    def _card(self, folder: Path) -> ModelCard | SpanlightError:
        now = signature(folder)
        known = self._read.get(folder)
        if known is not None and known[0] == now:
            return known[1]
        try:
            card: ModelCard | SpanlightError = read_card(folder)
        except SpanlightError as fault:
            card = fault
        self._read[folder] = now, card
        return card

    def _installed(self, head: Head) -> str:
        names = [card.name for card in self.cards() if head in card.heads]
        return (
            f"Installed: {', '.join(names)}."
            if names
            else "No model for this is installed; give a model's folder."
        )


def signature(folder: Path) -> Signature:
    """What tells whether a model folder has changed: its files' sizes and times of change."""
    told = []
    for name in (CONFIG, SINGLE, INDEX, TOKENIZER, NOTES):
        path = folder / name
        if path.is_file():
            stat = path.stat()
            told.append((name, stat.st_size, stat.st_mtime_ns))
    return tuple(told)
