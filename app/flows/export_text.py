"""Answers as a table (CSV), and as a page to read (Markdown)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.core.days import date_and_time, iso, local
from app.core.history import Entry
from app.core.tables import csv_lines
from app.core.wording import UNNAMED

COLUMNS = (
    "question", "answer", "probability", "no_answer_probability", "document", "page", "heading", "sentence", "start",
    "end", "asked", "model", "device", "seconds", "threshold", "quick", "complete", "path", "sha256", "share_read",
    "page_label", "line",
)  # fmt: skip
_SPECIAL = re.compile(r"[\\`*_\[\]<>#&|~!$^]")
# What begins a list, a rule, or the line below a heading, where it stands first on its line.
_FIRST = re.compile(r"(?:([-+=:])|(\d+)([.)]))")


def table(entries: Sequence[Entry]) -> str:
    """One row an entry under `COLUMNS`; where the text does not say, the answer's cells are empty.

    Numbers with six decimals; `asked` is UTC; `start` and `end` count code points of the document's text.
    """
    return csv_lines([COLUMNS, *(_row(entry) for entry in entries)])


def page(entries: Sequence[Entry]) -> str:
    """The questions with their answers, each quoted with where it stands, as Markdown (CommonMark)."""
    return "# Questions and answers\n" + "".join(f"\n{_section(entry)}" for entry in entries)


def citation(entry: Entry) -> str:
    """Where the answer stands: the document's name, its page or line, and the heading above it."""
    parts = [_line(entry.name) or UNNAMED]
    if entry.best is not None:
        if entry.best.where:
            parts.append(_line(entry.best.where))
        if entry.best.heading:
            parts.append(f"“{_line(entry.best.heading)}”")
    return ", ".join(parts)


def escaped(text: str) -> str:
    """The text on one line, as Markdown that shows just these characters."""
    line = _SPECIAL.sub(r"\\\g<0>", _line(text))
    return (
        _FIRST.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", line, count=1)
        if _FIRST.match(line)
        else line
    )


def _row(entry: Entry) -> list[str]:
    best = entry.best
    found, label, line = ["", "", "", "", "", "", ""], "", ""
    if best is not None:
        page = "" if best.page is None else str(best.page)
        label, line = best.page_label, "" if best.line is None else str(best.line)
        where = [str(best.span.start), str(best.span.end)]
        found = [best.text, f"{best.probability:.6f}", page, best.heading, best.sentence, *where]
    answer, probability, *place = found
    return [
        entry.question, answer, probability, f"{entry.no_answer_probability:.6f}", entry.name, *place,
        iso(entry.asked), entry.model, entry.device, f"{entry.seconds:.6f}", f"{entry.threshold:.6f}",
        "yes" if entry.quick else "no", "yes" if entry.complete else "no",
        entry.path, entry.sha256, "" if entry.share_read is None else f"{entry.share_read:.6f}",
        label, line,
    ]  # fmt: skip


def _section(entry: Entry) -> str:
    best = entry.best
    lines = [f"## {escaped(entry.question)}"]
    if best is None:
        lines.append(f"{entry.without_answer} {entry.likely}.")
    else:
        lines += [
            f"**{escaped(best.text)}**",
            f"> {escaped(best.sentence or best.text)}",
            f"{entry.likely}.",
        ]
    if entry.in_part:
        lines.append(f"{entry.in_part}.")
    read = f", by {escaped(entry.model)}" if entry.model else ""
    lines.append(f"{escaped(citation(entry))}. Read on {date_and_time(local(entry.asked))}{read}.")
    return "\n\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())
