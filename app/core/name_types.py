"""Types of names (entity labels) in plain words, and as the few letters shown next to a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.core.legible import legible
from app.core.message import Message

_PLAIN = {
    "per": Message("People"), "person": Message("People"), "people": Message("People"),
    "loc": Message("Places"), "location": Message("Places"), "gpe": Message("Countries and cities"),
    "fac": Message("Buildings"), "org": Message("Organisations"), "organization": Message("Organisations"),
    "organisation": Message("Organisations"), "corporation": Message("Companies"), "group": Message("Groups"),
    "norp": Message("Peoples, faiths, parties"), "misc": Message("Other names"),
    "other": Message("Other names"), "product": Message("Products"), "creative work": Message("Works"),
    "work of art": Message("Works"), "event": Message("Events"), "law": Message("Laws"),
    "language": Message("Languages"), "date": Message("Dates"), "time": Message("Times"),
    "money": Message("Sums of money"), "percent": Message("Percentages"), "quantity": Message("Quantities"),
    "ordinal": Message("Ordinal numbers"), "cardinal": Message("Numbers"),
}  # fmt: skip
# A word's position in its name, by the letters of the IOB and BILOU schemes.
_PLACES = {
    "B": Message("first word"), "I": Message("next word"), "E": Message("last word"),
    "L": Message("last word"), "S": Message("only word"), "U": Message("only word"),
}  # fmt: skip
# B begin, I and M inside, E and L last, S and U single: BIO, IOB, BIOES, BIOLU (BILOU), BMES.
_MARKED = re.compile(r"([BIMELSU])[-_](.+)", re.IGNORECASE)
_OUTSIDE = re.compile(r"o|out|outside|none|null|x|pad|_|[\[<]\w+[\]>]|", re.IGNORECASE)
_LETTERS = 3


def marks_and_types(labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return the mark and the type that each label of a model has: ("B", "PER") for B-PER, ("", "") outside names.

    Where most labels carry a mark (B-PER, I_LOC, S-ORG), marks are read; else every label is a type, marked I (IO).
    "O" and similar labels mean that a word is outside names.
    """
    inside = [label for label in labels if not _OUTSIDE.fullmatch(label)]
    marked = 2 * sum(_MARKED.fullmatch(label) is not None for label in inside) > len(inside)
    return [_mark_and_type(label, marked) for label in labels]


def _mark_and_type(label: str, marked: bool) -> tuple[str, str]:
    if _OUTSIDE.fullmatch(label):
        return "", ""
    found = _MARKED.fullmatch(label) if marked else None
    return (found[1].upper(), found[2]) if found else ("I", label)


def types_of_tags(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the types of names that a model's labels mark, in the order they first occur: PER, LOC."""
    return tuple(dict.fromkeys(kind for _, kind in marks_and_types(labels) if kind))


def plain_type(label: str) -> str:
    """Return a type in plain words: "People" for PER; an unknown type by its own name."""
    words = legible(label.replace("_", " ").replace("-", " "))
    plain = _PLAIN.get(words.casefold())
    return plain if plain else words[:1].upper() + words[1:] if words else legible(label)


def plain_tag(tag: str) -> str:
    """Return a word's tag with its meaning: "People, first word (B-PER)", "no name (O)"."""
    where, _, kind = tag.partition("-")
    words = _PLACES.get(where.upper())
    if tag.upper() == "O":
        return Message("no name ({tag})", tag=tag)
    if kind and words:
        return Message("{type}, {place} ({tag})", type=plain_type(kind), place=words, tag=tag)
    return plain_type(tag)


def short_types(labels: Sequence[str]) -> dict[str, str]:
    """Abbreviate each type to at most three capitals, unique as far as possible: PER, LOC, CRE."""
    found: dict[str, str] = {}
    for label in labels:
        letters = "".join(character for character in label.upper() if character.isalnum()) or "?"
        wanted = [letters[:_LETTERS], *(letters[:2] + each for each in letters[_LETTERS:])]
        wanted += [f"{letters[: _LETTERS - len(str(n))]}{n}" for n in range(2, 100)]
        found[label] = next((each for each in wanted if each not in found.values()), wanted[0])
    return found
