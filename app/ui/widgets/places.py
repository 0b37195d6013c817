"""An answer's place in a text, in words: its sentence, how far into the text, which line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core import wording
from app.core.results import Answer
from app.core.sentences import sentence_around


@dataclass(frozen=True, slots=True)
class Place:
    """What is shown of an answer beside the page.

    `sentence[start:end]` are its words in their sentence, where every run of blanks is shown as one; `where` says where
    it stands; `source` is the document's name.
    """

    text: str
    probability: float
    sentence: str
    start: int
    end: int
    where: str
    source: str = ""

    @property
    def likely(self) -> str:
        """The probability in words and number: "Very likely, 94 %"."""
        return f"{wording.likelihood(self.probability)}, {wording.percent(self.probability)}"

    def copied(self) -> str:
        """The answer with its sentence and where that stands, as it is put on the clipboard."""
        source = f"{self.source}, {self.where}" if self.source else self.where
        return f"{self.text}\n\n“{self.sentence}”\n({source})"


def place_of(text: str, answer: Answer, source: str = "") -> Place:
    """The place of an answer in the text it was found in."""
    around = sentence_around(text, answer.span)
    before = _plain(text[around.start : answer.span.start])
    words = _plain(answer.text)
    return Place(
        text=answer.text,
        probability=answer.probability,
        sentence=before + words + _plain(text[answer.span.end : around.end]),
        start=len(before),
        end=len(before) + len(words),
        where=where(text, answer.span.start),
        source=source,
    )


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def where(text: str, at: int) -> str:
    """Where a code point stands: "line 12, at 34 % of the text"."""
    line = text.count("\n", 0, at) + 1
    share = "at the start" if at == 0 else f"at {round(100 * at / max(1, len(text)))} % of the text"
    return f"line {line:,}, {share}"
