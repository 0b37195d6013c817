"""Running text for pretraining, read from files of rows and of plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.files import read_whole
from app.core.message import Message
from app.core.rows import read_rows
from app.core.text import RunningText, normalise_newlines

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
# The licence of a Project Gutenberg book stands before the one and after the other line.
_BOOK_STARTS = re.compile(r"^\*\*\* ?START OF .*$", re.MULTILINE)
_BOOK_ENDS = re.compile(r"^\*\*\* ?END OF .*$", re.MULTILINE)
_PASSAGE = 1500
_MOST_BYTES = 200_000_000


def read_running_text(path: Path) -> list[RunningText]:
    """The texts of a file: the `context` or `text` of its rows, each once, or a plain text cut at blank lines.

    A row's document is its `title`, where it has one. A plain file that is not UTF-8 is read as ISO-8859-1. Raises
    SpanlightError for what cannot be read.
    """
    if path.name.removesuffix(".xz").endswith(".jsonl"):
        return _of_rows(path)
    raw = read_whole(path, _MOST_BYTES)
    if b"\0" in raw:
        raise SpanlightError(
            Message("{name} does not hold running text.", name=path.name),
            Message("Give rows or plain text files."),
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("iso-8859-1")
    return list(_of_plain(normalise_newlines(text), path.name))


def exclude_shared(texts: Iterable[RunningText], held_out: Iterable[RunningText]) -> list[RunningText]:
    """The texts that share no paragraph with held-out text, ignoring blanks and letter case."""
    held = {_normalised(paragraph) for text in held_out for paragraph in text.paragraphs}
    held.discard("")
    return [text for text in texts if not any(_normalised(p) in held for p in text.paragraphs)]


def _of_rows(path: Path) -> list[RunningText]:
    found: dict[str, RunningText] = {}
    try:
        for row in (each.values for each in read_rows(path)):
            text = row["context"] if "context" in row else row["text"]
            if not isinstance(text, str):
                raise TypeError("a text")
            source = str(row.get("source") or path.name.partition(".")[0])
            found.setdefault(text, RunningText((text,), f"{source} {row.get('title') or text}", source))
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SpanlightError(
            Message("{name} does not hold running text.", name=path.name),
            Message("Each row needs a context or a text."),
        ) from fault
    return list(found.values())


def _of_plain(text: str, name: str) -> Iterator[RunningText]:
    start, end = _BOOK_STARTS.search(text), _BOOK_ENDS.search(text)
    text = text[start.end() if start else 0 : end.start() if end else len(text)]
    paragraphs: list[str] = []
    for paragraph in _BLANK_LINES.split(text):
        line = " ".join(paragraph.split())
        if line:
            paragraphs.append(line)
        if sum(map(len, paragraphs)) >= _PASSAGE:
            yield RunningText(tuple(paragraphs), name, name.partition(".")[0])
            paragraphs = []
    if paragraphs:
        yield RunningText(tuple(paragraphs), name, name.partition(".")[0])


def _normalised(text: str) -> str:
    return " ".join(text.lower().split())
