"""Exports the names found in texts as a table (CSV), as tagged words (CoNLL), and for programs (JSON)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.message import Message
from app.core.plain import json_of
from app.core.report import Report
from app.core.results import Tagged
from app.core.sentences import sentences
from app.core.tables import csv_lines
from app.flows.history.export_formats import Format, require_format, write_text

FORMATS = (
    Format("csv", Message("Table (CSV)"), ".csv"),
    Format("conll", Message("Tagged words (CoNLL)"), ".conll"),
    Format("json", Message("For programs (JSON)"), ".json"),
)
COLUMNS = ("start", "end", "text", "type", "probability")


@dataclass(frozen=True, slots=True)
class TaggedDocument:
    """A text with its tagged words and names; `name` is its file's path, or empty."""

    text: str
    tagged: Tagged
    name: str = ""


def names_as(kind: str, documents: Sequence[TaggedDocument], labels: Sequence[str], model: str = "") -> str:
    """The documents' names in one of `FORMATS`; raises SpanlightError for an unknown format."""
    match require_format(FORMATS, kind).key:
        case "csv":
            return names_csv(documents)
        case "conll":
            return names_conll(documents)
        case _:
            return json_of(names_values(documents, labels, model), indent=2, ensure_ascii=False) + "\n"


def save_names(
    kind: str,
    documents: Sequence[TaggedDocument],
    labels: Sequence[str],
    model: str,
    path: Path,
    report: Report,
) -> None:
    """Write the documents' names to a file, whole or not at all.

    Raises SpanlightError for an unknown format and where the disk refuses; Stopped when cancelled.
    """
    text = names_as(kind, documents, labels, model)
    report.check()
    write_text(text, kind, path)


def names_csv(documents: Sequence[TaggedDocument], delimiter: str = ",") -> str:
    """CSV with a row per name under `COLUMNS`, and a first column `document` if there are several documents.

    `start` and `end` are code points of the text; probabilities have six decimals; a cell that a spreadsheet would
    take for a formula gets an apostrophe.
    """
    several = len(documents) > 1
    rows = [("document", *COLUMNS) if several else COLUMNS]
    for document in documents:
        for name in document.tagged.entities:
            row = (str(name.span.start), str(name.span.end), name.text, name.label, f"{name.probability:.6f}")
            rows.append((document.name, *row) if several else row)
    return csv_lines(rows, delimiter)


def names_conll(documents: Sequence[TaggedDocument]) -> str:
    """CoNLL with a word and its tag per line, and an empty line after each sentence.

    As in CoNLL-2003 (Tjong Kim Sang and De Meulder) without the columns in between; -DOCSTART- precedes each of several
    documents. White space and control characters inside a word or a tag become U+FFFD.
    """
    parts: list[str] = []
    for document in documents:
        if len(documents) > 1:
            parts.append("-DOCSTART- O\n\n")
        parts += _conll_lines(document)
    return "".join(parts)


def names_values(
    documents: Sequence[TaggedDocument], labels: Sequence[str], model: str = ""
) -> dict[str, object]:
    """Values for JSON: each document with its names and their places, the types that the model knows, the model."""
    return {
        "documents": [
            {
                "document": document.name,
                "names": [
                    {
                        "start": name.span.start,
                        "end": name.span.end,
                        "text": name.text,
                        "type": name.label,
                        "probability": name.probability,
                    }
                    for name in document.tagged.entities
                ],
                "words": len(document.tagged.words),
                "windows": document.tagged.windows,
            }
            for document in documents
        ],
        "types": list(labels),
        "model": model,
    }


def _conll_lines(document: TaggedDocument) -> Iterator[str]:
    bounds = sentences(document.text)
    end, wrote = 0, False
    for word in document.tagged.words:
        new = False
        while word.span.start >= end and (sentence := next(bounds, None)) is not None:
            end, new = sentence.end, True
        if new and wrote:
            yield "\n"
        wrote = True
        yield f"{_conll_word(word.span.of(document.text))} {_conll_word(word.tag)}\n"
    if wrote:
        yield "\n"


def _conll_word(word: str) -> str:
    if word.isalnum():
        return word
    return "".join(
        "\ufffd" if each.isspace() or unicodedata.category(each) in ("Cc", "Cs") else each for each in word
    )
