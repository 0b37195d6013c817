"""Types of names in plain words, and as the few letters shown next to a name."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.legible import legible

_PLAIN = {
    "per": "People", "person": "People", "people": "People",
    "loc": "Places", "location": "Places", "gpe": "Countries and cities", "fac": "Buildings",
    "org": "Organisations", "organization": "Organisations", "organisation": "Organisations",
    "corporation": "Companies", "group": "Groups", "norp": "Peoples, faiths, parties",
    "misc": "Other names", "other": "Other names", "product": "Products", "creative work": "Works",
    "work of art": "Works", "event": "Events", "law": "Laws", "language": "Languages", "date": "Dates",
    "time": "Times", "money": "Sums of money", "percent": "Percentages", "quantity": "Quantities",
    "ordinal": "Ordinal numbers", "cardinal": "Numbers",
}  # fmt: skip
# A word's place in its name, by the letters of the IOB and BILOU schemes.
_PLACES = {
    "B": "first word", "I": "next word", "E": "last word", "L": "last word", "S": "only word", "U": "only word",
}  # fmt: skip
_LETTERS = 3


def plain_type(label: str) -> str:
    """A type's plain name: "People" for PER; an unknown type by its own name."""
    words = legible(label.replace("_", " ").replace("-", " "))
    plain = _PLAIN.get(words.casefold())
    return plain if plain else words[:1].upper() + words[1:] if words else legible(label)


def plain_tag(tag: str) -> str:
    """A word's tag with its meaning: "People, first word (B-PER)", "no name (O)"."""
    where, _, kind = tag.partition("-")
    words = _PLACES.get(where.upper())
    if tag.upper() == "O":
        return f"no name ({tag})"
    return f"{plain_type(kind)}, {words} ({tag})" if kind and words else plain_type(tag)


def short_types(labels: Sequence[str]) -> dict[str, str]:
    """At most three capitals for each type, unique as far as possible: PER, LOC, CRE."""
    found: dict[str, str] = {}
    for label in labels:
        letters = "".join(character for character in label.upper() if character.isalnum()) or "?"
        wanted = [letters[:_LETTERS], *(letters[:2] + each for each in letters[_LETTERS:])]
        wanted += [f"{letters[: _LETTERS - len(str(n))]}{n}" for n in range(2, 100)]
        found[label] = next((each for each in wanted if each not in found.values()), wanted[0])
    return found
