"""The formats for exporting answers, without heavy imports, for menus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """An export format: its key, its title for the user, its files' suffix, and whether it is text."""

    key: str
    title: str
    suffix: str
    is_text: bool = True


FORMATS = (
    Format("csv", "Table (CSV)", ".csv"),
    Format("markdown", "Page to read (Markdown)", ".md"),
    Format("json", "Web annotations (JSON)", ".json"),
    Format("squad", "Questions and answers (SQuAD 2.0)", ".json"),
    Format("pdf", "Highlights in a copy of the PDF", ".pdf", is_text=False),
)
