"""The formats, the result and the writing of exports, without heavy imports so that menus can use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.message import Message


@dataclass(frozen=True, slots=True)
class Format:
    """An export format: its key, its title for the user, its file extension, and whether it is text."""

    key: str
    title: str
    suffix: str
    is_text: bool = True


@dataclass(frozen=True, slots=True)
class Exported:
    """The number of exported entries, the text or the files that they were exported to, and sentences for the user."""

    count: int
    text: str = ""
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


# The formats of answers.
FORMATS = (
    Format("csv", Message("Table (CSV)"), ".csv"),
    Format("markdown", Message("Page to read (Markdown)"), ".md"),
    Format("json", Message("Web annotations (JSON)"), ".json"),
    Format("squad", Message("Questions and answers (SQuAD 2.0)"), ".json"),
    Format("pdf", Message("Highlights in a copy of the PDF"), ".pdf", is_text=False),
)


def require_format(formats: Sequence[Format], kind: str) -> Format:
    """Return the format with this key; raises SpanlightError if there is none."""
    for one in formats:
        if one.key == kind:
            return one
    known = ", ".join(one.key for one in formats)
    raise SpanlightError(
        Message("There is no format “{kind}”.", kind=kind),
        Message("The formats are: {formats}.", formats=known),
    )


def write_text(text: str, kind: str, path: Path) -> None:
    """Write an export to a file, whole or not at all; raises SpanlightError where the disk refuses."""
    # Spreadsheets recognise the encoding by the byte order mark.
    write_atomic(path, text.encode("utf-8-sig" if kind == "csv" else "utf-8", "replace"), private=False)
