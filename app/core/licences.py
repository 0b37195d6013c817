"""The components of Spanlight with their licences, and names of licences in words."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.message import Message

LIBRARY, MODEL, DATA = "library", "model", "data"
KINDS = (LIBRARY, MODEL, DATA)


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence's full text, and the names of the files with it: several may have the same text."""

    names: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Component:
    """A component of Spanlight; `licence` is an SPDX expression if there is one, `kind` is one of KINDS.

    `page` is its web page, `note` what the user should know besides the texts.
    """

    name: str
    version: str = ""
    licence: str = ""
    page: str = ""
    note: str = ""
    kind: str = LIBRARY
    texts: tuple[LicenceText, ...] = ()

    def fits(self, words: str) -> bool:
        """Whether every word occurs in its name, version, licence, note, or the names of its texts, ignoring case."""
        parts = (
            self.name,
            self.version,
            self.licence,
            self.note,
            *(name for t in self.texts for name in t.names),
        )
        within = "\n".join(parts).casefold()
        return all(word in within for word in words.casefold().split())

    def whole_text(self) -> str:
        """Return everything to read: a description, the note, and every text below the names of its files."""
        head = [f"{self.name} {self.version}".strip(), f"Licence: {self.licence or 'not stated'}"]
        parts = ["\n".join([*head, *([self.page] if self.page else [])])]
        if self.note:
            parts.append(self.note)
        for one in self.texts:
            names = f"[{', '.join(one.names)}]\n\n" if len(self.texts) > 1 and one.names else ""
            parts.append(names + one.text.strip("\n"))
        return "\n\n".join(parts)


_NAMES = {
    "afl-3.0": "AFL 3.0",
    "agpl-3.0": "AGPL 3.0",
    "apache-2.0": "Apache 2.0",
    "artistic-2.0": "Artistic 2.0",
    "bigscience-bloom-rail-1.0": "BigScience BLOOM RAIL 1.0",
    "bigscience-openrail-m": "BigScience OpenRAIL-M",
    "bsd": "BSD",
    "bsd-2-clause": "BSD 2-Clause",
    "bsd-3-clause": "BSD 3-Clause",
    "bsl-1.0": "BSL 1.0",
    "cc": "Creative Commons",
    "cc0-1.0": "CC0 1.0",
    "creativeml-openrail-m": "CreativeML OpenRAIL-M",
    "ecl-2.0": "ECL 2.0",
    "epl-2.0": "EPL 2.0",
    "eupl-1.1": "EUPL 1.1",
    "eupl-1.2": "EUPL 1.2",
    "gpl": "GPL",
    "gpl-2.0": "GPL 2.0",
    "gpl-3.0": "GPL 3.0",
    "isc": "ISC",
    "lgpl": "LGPL",
    "lgpl-2.1": "LGPL 2.1",
    "lgpl-3.0": "LGPL 3.0",
    "mit": "MIT",
    "mpl-2.0": "MPL 2.0",
    "openrail": "OpenRAIL",
    "other": Message("one of its own: see its page"),
    "unknown": "",
    "unlicense": "Unlicense",
    "wtfpl": "WTFPL",
    "zlib": "zlib",
}
_CREATIVE_COMMONS = "cc-"


def licence_in_words(stated: str) -> str:
    """Return a licence as it is usually written: "CC BY-SA 4.0" for "cc-by-sa-4.0"; an unknown one unchanged."""
    key = stated.strip().casefold()
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith(_CREATIVE_COMMONS) and " " not in key:
        terms, _, version = key.removeprefix(_CREATIVE_COMMONS).rpartition("-")
        return f"CC {terms.upper()} {version}" if terms and version[:1].isdigit() else f"CC {key[3:].upper()}"
    return stated.strip()
