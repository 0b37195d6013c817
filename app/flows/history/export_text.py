"""Answers as a table (CSV), and as a page to read (Markdown)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.core.days import date_and_time, iso, local
from app.core.history import Entry
from app.core.tables import csv_lines
from app.core.wording import NEAREST_WORDS, UNNAMED

COLUMNS = (
    "question", "answer", "probability", "no_answer_probability", "document", "page", "heading", "sentence", "start",
    "end", "asked", "model", "device", "seconds", "threshold", "quick", "complete", "path", "sha256", "share_read",
    "page_label", "line", "outcome", "nearest",
)  # fmt: skip
_SPECIAL = re.compile(r"[\\`*_\[\]<>#&|~!$^]")
# Beginnings of a line that Markdown takes for a list, a rule, or the line below a heading.
_FIRST = re.compile(r"(?:([-+=:])|(\d+)([.)]))")


def table(entries: Sequence[Entry]) -> str:
    """One row an entry under `COLUMNS`.

    For the nearest words with low confidence `answer` is empty: the words are in the last column, and the other
    columns have their place and probability. Without an answer in the text all of these are empty. Numbers have six
    decimals; `asked` is UTC; `start` and `end` count code points of the document's text.
    """
    return csv_lines([COLUMNS, *(_row(entry) for entry in entries)])


def page(entries: Sequence[Entry]) -> str:
    """The questions with their answers, each quoted with its place, as Markdown (CommonMark)."""
    return "# Questions and answers\n" + "".join(f"\n{_section(entry)}" for entry in entries)


def citation(entry: Entry) -> str:
    """The place of the words shown: the document's name, the page or line, and the heading above."""
    parts = [_line(entry.name) or UNNAMED]
    if entry.shown is not None:
        if entry.shown.where:
            parts.append(_line(entry.shown.where))
        if entry.shown.heading:
            parts.append(f"“{_line(entry.shown.heading)}”")
    return ", ".join(parts)


def escaped(text: str) -> str:
    """The text on one line, escaped for Markdown."""
    line = _SPECIAL.sub(r"\\\g<0>", _line(text))
    return (
        _FIRST.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", line, count=1)
        if _FIRST.match(line)
        else line
    )


def _row(entry: Entry) -> list[str]:
    shown = entry.shown
    probability, *place, label, line, nearest = [""] * 9
    if shown is not None:
        probability, nearest = f"{shown.probability:.6f}", shown.text if entry.best is None else ""
        page = "" if shown.page is None else str(shown.page)
        place = [page, shown.heading, shown.sentence, str(shown.span.start), str(shown.span.end)]
        label, line = shown.page_label, "" if shown.line is None else str(shown.line)
    return [
        entry.question, entry.best.text if entry.best else "", probability,
        f"{entry.no_answer_probability:.6f}", entry.name, *place,
        iso(entry.asked), entry.model, entry.device, f"{entry.seconds:.6f}", f"{entry.threshold:.6f}",
        "yes" if entry.quick else "no", "yes" if entry.complete else "no",
        entry.path, entry.sha256, "" if entry.share_read is None else f"{entry.share_read:.6f}",
        label, line, entry.outcome, nearest,
    ]  # fmt: skip


def _section(entry: Entry) -> str:
    shown = entry.shown
    lines = [f"## {escaped(entry.question)}"]
    if shown is None:
        lines.append(f"{entry.words} {entry.likely}.")
    else:
        stress = "**" if entry.best is not None else "*"
        lines += [
            f"{stress}{escaped(shown.text)}{stress}",
            f"> {escaped(shown.sentence or shown.text)}",
            f"{entry.likely}." if entry.best is not None else f"{entry.likely}. {NEAREST_WORDS}",
        ]
    if entry.in_part:
        lines.append(f"{entry.in_part}.")
    read = f", by {escaped(entry.model)}" if entry.model else ""
    lines.append(f"{escaped(citation(entry))}. Read on {date_and_time(local(entry.asked))}{read}.")
    return "\n\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())
