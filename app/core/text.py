"""Texts and places in them. Positions are Unicode code points of `Document.text`, half open."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a text: code points `start` to `end`, `end` not included.

    Raises ValueError when start is negative or end lies before start.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start} to {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The words of `text` at this place."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two places share a code point."""
        return max(self.start, other.start) < min(self.end, other.end)


@dataclass(frozen=True, slots=True)
class Document:
    """A text to ask: what an answer's positions count in.

    `text` is never changed after the document was read; `name` is what a person calls it; `path` is
    the file it was read from, or empty.
    """

    text: str
    name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class RunningText:
    """A stretch of running text: its paragraphs in order, the document it is from, and what it is counted under."""

    paragraphs: tuple[str, ...]
    document: str
    source: str = ""


def without_blanks(text: str) -> str:
    """The text without its blanks and line ends: what readers of one file that part words otherwise have in common."""
    return "".join(text.split())


def normalise_newlines(text: str) -> str:
    """The text with CR LF and lone CR as LF, as it is done once when a document is read."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
