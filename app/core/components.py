"""What Spanlight is made of, with the licence of each part."""

from __future__ import annotations

from dataclasses import dataclass

LIBRARY, MODEL, DATA = "library", "model", "data"
KINDS = (LIBRARY, MODEL, DATA)


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence's text, whole, and the names of the files that hold it: one text may stand for several."""

    names: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Component:
    """A part: its name, version and licence (an SPDX expression where there is one); `kind` is one of KINDS.

    `page` is its own page on the web, `note` what a person should know besides the texts.
    """

    name: str
    version: str = ""
    licence: str = ""
    page: str = ""
    note: str = ""
    kind: str = LIBRARY
    texts: tuple[LicenceText, ...] = ()

    def fits(self, words: str) -> bool:
        """Whether all words stand in its name, version, licence, or the names of its texts, whatever their case."""
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
        """All there is to read: what it is, the note, and every text below the names that it stands for."""
        head = [f"{self.name} {self.version}".strip(), f"Licence: {self.licence or 'not stated'}"]
        parts = ["\n".join([*head, *([self.page] if self.page else [])])]
        if self.note:
            parts.append(self.note)
        for one in self.texts:
            names = f"[{', '.join(one.names)}]\n\n" if len(self.texts) > 1 and one.names else ""
            parts.append(names + one.text.strip("\n"))
        return "\n\n".join(parts)
