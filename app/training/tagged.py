"""Texts with tagged words (named entities), read from files of words and converted into text as people write it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.rows import read_rows
from app.core.text import Span

if TYPE_CHECKING:
    import numpy as np

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
    """A text with its words' spans, each word's BIO tag, and the source it is counted under."""

    text: str
    words: tuple[Span, ...]
    tags: tuple[str, ...]
    source: str = ""

    @property
    def names(self) -> tuple[Name, ...]:
        """The names that the tags mark."""
        return tuple(
            Name(Span(self.words[first].start, self.words[last - 1].end), kind)
            for first, last, kind in tagged_names(self.tags)
        )


def read_tagged(path: Path, labels: dict[str, str] | None = None) -> list[TaggedText]:
    """The sentences of a file of rows {"tokens", "tags"}, with kinds of names renamed by `labels`.

    Words of kinds that `labels` does not list become O. Raises SpanlightError.
    """
    found: list[TaggedText] = []
    try:
        for row in (each.values for each in read_rows(path)):
            tokens, tags = row["tokens"], row["tags"]
            if not all(isinstance(t, str) and t.strip() for t in tokens) or len(tokens) != len(tags):
                raise ValueError("a tag for each word")
            renamed = tuple(_renamed(str(tag), labels) for tag in tags)
            text, words = detokenise(tokens)
            found.append(
                TaggedText(text, words, renamed, str(row.get("source") or path.name.partition(".")[0]))
            )
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SpanlightError(
            Message("{name} does not hold tagged words: see row {row}.", name=path.name, row=len(found) + 1),
            Message("Each row needs tokens and as many tags: O, B-KIND or I-KIND."),
        ) from fault
    return found


def parse_conll(text: str, name: str) -> list[TaggedText]:
    """The sentences of a text in CoNLL's format: a line per word, its tag in the last column; blank lines in between.

    Columns are separated by tabs, or else by blanks; lines that begin with -DOCSTART- are skipped. `name` is the
    file's. Raises SpanlightError.
    """
    found: list[TaggedText] = []
    words: list[str] = []
    tags: list[str] = []

    def end() -> None:
        if words:
            sentence, places = detokenise(words)
            found.append(TaggedText(sentence, places, tuple(tags), name.partition(".")[0]))
        words.clear()
        tags.clear()

    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("-DOCSTART-"):
            end()
            continue
        columns = [column.strip() for column in (line.split("\t") if "\t" in line else line.split())]
        mark, _, kind = columns[-1].partition("-")
        if (
            len(columns) < 2
            or not columns[0]
            or not (columns[-1] == OUTSIDE or (mark in ("B", "I") and kind))
        ):
            raise SpanlightError(
                Message("{name} does not hold tagged words: see line {line}.", name=name, line=number),
                Message("Each line needs a word and, in the last column, its tag: O, B-KIND or I-KIND."),
            )
        words.append(columns[0])
        tags.append(columns[-1])
    end()
    return found


def tagged_names(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """The names in BIO tags: each one's first tag, the one after its last, and its kind.

    As in CoNLL's scorer, a name begins at B, and at an I that does not continue a name of its kind (Tjong Kim Sang and
    De Meulder 2003).
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


def detokenise(words: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """The words as a text, with blanks as usual around punctuation, and each word's span in it."""
    text = ""
    places = []
    opened = dict.fromkeys(_QUOTES, False)
    bare = True
    for at, word in enumerate(words):
        blank = not bare and word not in _NO_BLANK_BEFORE
        bare = word in _NO_BLANK_AFTER
        if word in _QUOTES:
            # A single one is an apostrophe, or closes a quotation from another sentence.
            bare = opened[word] = not opened[word] and word in words[at + 1 :]
            blank = blank and bare
        text += " " * blank
        places.append(Span(len(text), len(text) + len(word)))
        text += word
    return text, tuple(places)


def concatenate(texts: Sequence[TaggedText]) -> TaggedText:
    """The sentences as one text, separated by blanks."""
    text = ""
    words: list[Span] = []
    for each in texts:
        text += " " * bool(text)
        words += [Span(len(text) + w.start, len(text) + w.end) for w in each.words]
        text += each.text
    return TaggedText(text, tuple(words), tuple(t for e in texts for t in e.tags), texts[0].source)


class Exchanger:
    """Exchanges names for others of their kind, each with probability `share`; deterministic for a generator."""

    def __init__(self, examples: Sequence[TaggedText], share: float) -> None:
        self._share = share
        self._names: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for example in examples:
            words = [place.of(example.text) for place in example.words]
            for first, end, kind in tagged_names(example.tags):
                self._names[kind].append(tuple(words[first:end]))

    def vary(self, example: TaggedText, rng: np.random.Generator) -> TaggedText:
        """The example with some of its names exchanged."""
        if not self._share:
            return example
        words: list[str] = []
        tags: list[str] = []
        at = 0
        for first, end, kind in tagged_names(example.tags):
            words += [place.of(example.text) for place in example.words[at:first]]
            tags += example.tags[at:first]
            name = tuple(place.of(example.text) for place in example.words[first:end])
            others = self._names[kind]
            if others and rng.random() < self._share:
                name = others[int(rng.integers(len(others)))]
            words += name
            tags += [f"B-{kind}", *[f"I-{kind}"] * (len(name) - 1)]
            at = end
        words += [place.of(example.text) for place in example.words[at:]]
        tags += example.tags[at:]
        text, places = detokenise(words)
        return TaggedText(text, places, tuple(tags), example.source)


def _renamed(tag: str, labels: dict[str, str] | None) -> str:
    mark, _, kind = tag.partition("-")
    if tag != OUTSIDE and (mark not in ("B", "I") or not kind):
        raise ValueError("a tag of BIO")
    if tag == OUTSIDE or labels is None or not labels:
        return tag
    return f"{mark}-{labels[kind]}" if kind in labels else OUTSIDE
