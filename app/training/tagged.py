"""Sentences whose words carry tags, as text that looks as people write it, with the names (entities) in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.text import Span
from app.training.examples import read_rows

OUTSIDE = "O"
_NO_BLANK_BEFORE = frozenset(".,;:!?%)]}…’”") | {"...", "n't", "'s", "'m", "'re", "'ve", "'ll", "'d", "''"}
_NO_BLANK_AFTER = frozenset("([{$£€#“‘") | {"``"}
_QUOTES = ('"', "'")


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """A name's place in a text and its kind."""

    span: Span
    kind: str


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text with the places of its words, each word's BIO tag, and what it is counted under."""

    text: str
    words: tuple[Span, ...]
    tags: tuple[str, ...]
    source: str = ""

    @property
    def names(self) -> tuple[Name, ...]:
        """The names that the tags mark."""
        return tuple(
            Name(Span(self.words[first].start, self.words[last - 1].end), kind)
            for first, last, kind in runs(self.tags)
        )


def read_tagged(path: Path, labels: dict[str, str] | None = None) -> list[TaggedText]:
    """The sentences of a file of rows {"tokens", "tags"}, kinds of names renamed by `labels`.

    With `labels` a kind that it does not name is no name. Raises SpanlightError.
    """
    found = []
    try:
        for row in read_rows(path):
            tokens, tags = row["tokens"], row["tags"]
            if not all(isinstance(t, str) and t.strip() for t in tokens) or len(tokens) != len(tags):
                raise ValueError("a tag for each word")
            renamed = tuple(_renamed(str(tag), labels) for tag in tags)
            text, words = joined(tokens)
            found.append(
                TaggedText(text, words, renamed, str(row.get("source") or path.name.partition(".")[0]))
            )
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SpanlightError(
            f"{path.name} does not hold tagged words.",
            "Each row needs tokens and as many tags: O, B-KIND or I-KIND.",
        ) from fault
    return found


def runs(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """First tag, the one after the last, and kind of every name in BIO tags, as CoNLL's scorer takes them.

    A name begins at B, and at an I that does not go on a name of its kind (Tjong Kim Sang and De Meulder 2003).
    """
    found: list[tuple[int, int, str]] = []
    for at, tag in enumerate(tags):
        mark, _, kind = tag.partition("-")
        if mark == OUTSIDE:
            continue
        if mark == "I" and found and found[-1][1] == at and found[-1][2] == kind:
            found[-1] = (found[-1][0], at + 1, kind)
        else:
            found.append((at, at + 1, kind))
    return found


def joined(words: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """The words as a text, without the blanks that no one writes before a comma, say; and each word's place in it."""
    text = ""
    places = []
    opened = dict.fromkeys(_QUOTES, False)
    bare = True
    for at, word in enumerate(words):
        blank = not bare and word not in _NO_BLANK_BEFORE
        bare = word in _NO_BLANK_AFTER
        if word in _QUOTES:
            # A lone one is an apostrophe, or closes what began in another sentence.
            bare = opened[word] = not opened[word] and word in words[at + 1 :]
            blank = blank and bare
        text += " " * blank
        places.append(Span(len(text), len(text) + len(word)))
        text += word
    return text, tuple(places)


def together(texts: Sequence[TaggedText]) -> TaggedText:
    """Several sentences as one text, a blank between them."""
    text = ""
    words: list[Span] = []
    for each in texts:
        text += " " * bool(text)
        words += [Span(len(text) + w.start, len(text) + w.end) for w in each.words]
        text += each.text
    return TaggedText(text, tuple(words), tuple(t for e in texts for t in e.tags), texts[0].source)


def _renamed(tag: str, labels: dict[str, str] | None) -> str:
    mark, _, kind = tag.partition("-")
    if tag != OUTSIDE and (mark not in ("B", "I") or not kind):
        raise ValueError("a tag of BIO")
    if tag == OUTSIDE or labels is None or not labels:
        return tag
    return f"{mark}-{labels[kind]}" if kind in labels else OUTSIDE
