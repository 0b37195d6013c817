"""Models in words for a terminal: tasks, labels, architecture, origins."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime

from app.cli.terminal import one_line
from app.core.days import date_and_time
from app.core.legible import legible
from app.core.models import Head, ModelCard, family_title
from app.core.name_types import types_of_tags
from app.core.offers import OfferedModel, Origin, Source

# A task's words on the command line; the first word of a head is the one that is printed.
TASKS = {
    "ask": Head.QUESTION_ANSWERING,
    "classify": Head.CLASSIFICATION,
    "fill": Head.MASKED_WORDS,
    "follow": Head.NEXT_SENTENCE,
    "names": Head.TOKEN_CLASSIFICATION,
    "next": Head.NEXT_SENTENCE,
    "search": Head.EMBEDDINGS,
    "tokens": Head.TOKEN_CLASSIFICATION,
}
_DOES = {
    Head.QUESTION_ANSWERING: "answering questions",
    Head.CLASSIFICATION: "classifying texts",
    Head.MASKED_WORDS: "filling blanks",
    Head.NEXT_SENTENCE: "next sentence",
    Head.TOKEN_CLASSIFICATION: "finding names",
    Head.EMBEDDINGS: "finding passages by meaning",
}
_LISTED_LABELS = 6


def task(value: str) -> Head:
    """Parse an argument that names a task: a word of TASKS or a head's own value."""
    wanted = value.strip().casefold()
    if wanted in TASKS:
        return TASKS[wanted]
    try:
        return Head(wanted)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"there is no task {value}: it is one of ask, classify, fill, follow, names, search"
        ) from None


def task_word(head: Head) -> str:
    """Return a head's task as it is typed: "ask"."""
    return next(word for word, each in TASKS.items() if each is head)


def tasks_of(heads: Sequence[Head]) -> str:
    """Return the tasks of heads in words: "answering questions, filling blanks"."""
    return ", ".join(_DOES[head] for head in heads)


def label_list(labels: Sequence[str]) -> str:
    """List the first labels, and count the others; of token labels only the types of names."""
    if "O" in labels:
        labels = types_of_tags(labels)
    more = len(labels) - _LISTED_LABELS
    between = "; " if any("," in label for label in labels) else ", "
    shown = between.join(map(legible, labels[: _LISTED_LABELS if more > 1 else None]))
    return f"{shown} and {more} more" if more > 1 else shown


def architecture(model: ModelCard | OfferedModel) -> str:
    """Return a model's family and size in words: "BERT, 108.3 million parameters, up to 512 tokens"."""
    parameters = f"{model.parameters / 1e6:.1f} million parameters"
    return f"{one_line(family_title(model.family))}, {parameters}, up to {model.max_length:,} tokens"


def origin(card: ModelCard, source: Origin | None) -> str:
    """Say where an installed model comes from and when, in a few words; "" for one that was copied there by hand."""
    added = f", {local_time(source.added)}" if source and source.added else ""
    if card.source == Source.HUB:
        commit = f", commit {one_line(source.commit[:8])}" if source else ""
        return f"downloaded, {one_line(card.repository)}{commit}{added}"
    words = {
        Source.STARTER: "comes along with Spanlight",
        Source.FOLDER: "imported from a folder",
        Source.ARCHIVE: "imported from a zip",
        Source.TAUGHT: "taught on this computer",
    }.get(card.source, "")  # type: ignore[call-overload]  # a StrEnum's members are strings
    return f"{words}{added}"


def local_time(iso: str) -> str:
    """Return an ISO 8601 time in words, in local time; any other text unchanged."""
    try:
        return date_and_time(datetime.fromisoformat(iso).astimezone())
    except (ValueError, OverflowError):
        return one_line(iso)
