"""An answer's place in a document, in words: its sentence, its page and heading, or how far into the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core import wording

if TYPE_CHECKING:
    from app.core.layout import Opened
    from app.core.results import Answer

_LONGEST_HEADING = 60


@dataclass(frozen=True, slots=True)
class Place:
    """The data of an answer for the panel.

    `sentence[start:end]` are its words in their sentence, or in their table's row as it is read, where every run of
    blanks is shown as one; `where` is its place, `cell` its row and column in a table; `source` is the
    document's name.
    """

    text: str
    probability: float
    sentence: str
    start: int
    end: int
    where: str
    cell: str = ""
    source: str = ""

    @property
    def likely(self) -> str:
        """The probability in words and as a number: "Very likely, 94%"."""
        return wording.likely(self.probability)

    def copied(self) -> str:
        """The answer with its sentence and place, for the clipboard."""
        source = f"{self.source}, {self.where}" if self.source else self.where
        cell = f"{self.cell}\n" if self.cell else ""
        return f"{self.text}\n\n“{self.sentence}”\n{cell}({source})"


def place_of(opened: Opened, answer: Answer) -> Place:
    """The place of an answer in its document."""
    from app.core.quotes import quote  # the window is painted before

    quoted = quote(opened, answer.span)
    before, words = _plain(quoted.before), _plain(answer.text)
    return Place(
        text=words if not opened.is_text else answer.text,
        probability=answer.probability,
        sentence=before + words + _plain(quoted.after),
        start=len(before),
        end=len(before) + len(words),
        where=where(opened, answer.span.start),
        cell=quoted.cell,
        source=opened.document.name,
    )


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def where(opened: Opened, at: int) -> str:
    """The place of a code point in words: "page 22, V2.1 Password Security", or "line 12, at 34% of the text"."""
    heading, place = opened.heading_at(at), opened.place_at(at)
    if len(heading) > _LONGEST_HEADING:
        heading = heading[:_LONGEST_HEADING].rsplit(" ", 1)[0] + "…"
    if place and (heading or opened.pages):
        return f"{place}, {heading}" if heading else place
    percent = round(100 * at / max(1, len(opened.document.text)))
    share = f"at {percent}% of the text" if percent else "at the start"
    return ", ".join(part for part in (place, heading, share) if part)
