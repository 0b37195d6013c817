"""The components of Spanlight, with their licences."""

from __future__ import annotations

from dataclasses import dataclass

LIBRARY, MODEL, DATA = "library", "model", "data"
KINDS = (LIBRARY, MODEL, DATA)


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence's full text, and the names of the files with it: several may have the same text."""

    names: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Component:
    """A component: its name, version and licence (an SPDX expression if there is one); `kind` is one of KINDS.

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
        """Whether all words occur in its name, version, licence, or the names of its texts, ignoring case."""
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
        """Everything to read: a description, the note, and every text below the names of its files."""
        head = [f"{self.name} {self.version}".strip(), f"Licence: {self.licence or 'not stated'}"]
        parts = ["\n".join([*head, *([self.page] if self.page else [])])]
        if self.note:
            parts.append(self.note)
        for one in self.texts:
            names = f"[{', '.join(one.names)}]\n\n" if len(self.texts) > 1 and one.names else ""
            parts.append(names + one.text.strip("\n"))
        return "\n\n".join(parts)
