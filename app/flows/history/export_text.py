"""Exports answers as a table (CSV) and as a page to read (Markdown)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.core.corrections import Correction
from app.core.days import date_and_time, iso, local
from app.core.history import Entry
from app.core.tables import csv_lines
from app.core.wording import NEAREST_WORDS, UNNAMED, read_as

COLUMNS = (
    "question", "answer", "probability", "no_answer_probability", "document", "page", "heading", "sentence", "start",
    "end", "asked", "model", "device", "seconds", "threshold", "quick", "complete", "path", "sha256", "share_read",
    "page_label", "line", "outcome", "nearest", "verdict", "right_words", "cell",
    "read_as",
)  # fmt: skip
# The person's corrections of answers, by an entry's `sha256` and `question`.
Corrections = Mapping[tuple[str, str], Correction]
_SPECIAL = re.compile(r"[\\`*_\[\]<>#&|~!$^]")
# Line starts that Markdown takes for a list, a rule, or the underline of a heading.
_LINE_START = re.compile(r"(?:([-+=:])|(\d+)([.)]))")


def answers_csv(entries: Sequence[Entry], corrections: Corrections) -> str:
    """CSV with a row per entry under `COLUMNS`.

    With low confidence `answer` is empty: the nearest words are in the column `nearest`, and the other columns have
    their place and probability. Without an answer all of these are empty. Numbers have six decimals; `asked` is UTC;
    `start` and `end` are code points of the document's text. `verdict` is the person's on the answer shown (right,
    other words, not there), and `right_words` are the right words according to it. `read_as` is the question as it was
    read where slips in it were corrected.
    """
    return csv_lines(
        [COLUMNS, *(_row(entry, corrections.get((entry.sha256, entry.question))) for entry in entries)]
    )


def answers_markdown(entries: Sequence[Entry], corrections: Corrections) -> str:
    """Markdown with each question, its answer, quoted with its place, and the person's verdict on it."""
    sections = (_section(entry, corrections.get((entry.sha256, entry.question))) for entry in entries)
    return "# Questions and answers\n" + "".join(f"\n{section}" for section in sections)


def citation(entry: Entry) -> str:
    """The place of the words shown: the document's name, the page or line, and the heading above them."""
    parts = [_line(entry.name) or UNNAMED]
    if entry.shown is not None:
        if entry.shown.where:
            parts.append(_line(entry.shown.where))
        if entry.shown.heading and not entry.shown.cell:
            parts.append(f"“{_line(entry.shown.heading)}”")
    return ", ".join(parts)


def escape_markdown(text: str) -> str:
    """The text on one line, escaped for Markdown."""
    line = _SPECIAL.sub(r"\\\g<0>", _line(text))
    return (
        _LINE_START.sub(
            lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", line, count=1
        )
        if _LINE_START.match(line)
        else line
    )


def _row(entry: Entry, correction: Correction | None) -> list[str]:
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
        correction.verdict_on(entry.shown_span) if correction is not None else "",
        correction.words if correction is not None else "",
        shown.cell if shown is not None else "",
        entry.read_as,
    ]  # fmt: skip


def _section(entry: Entry, correction: Correction | None) -> str:
    shown = entry.shown
    lines = [f"## {escape_markdown(entry.question)}"]
    if entry.read_as:
        lines.append(f"{escape_markdown(read_as(entry.read_as))}.")
    if shown is None:
        lines.append(f"{entry.words} {entry.likely}.")
    else:
        stress = "**" if entry.best is not None else "*"
        lines += [
            f"{stress}{escape_markdown(shown.text)}{stress}",
            f"> {escape_markdown(shown.sentence or shown.text)}",
            f"{entry.likely}." if entry.best is not None else f"{entry.likely}. {NEAREST_WORDS}",
        ]
    if correction is not None:
        lines.append(f"{escape_markdown(correction.verdict_in_words(entry.shown_span))}.")
    if entry.in_part:
        lines.append(f"{entry.in_part}.")
    read = f", by {escape_markdown(entry.model)}" if entry.model else ""
    lines.append(f"{escape_markdown(citation(entry))}. Read on {date_and_time(local(entry.asked))}{read}.")
    return "\n\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())
