"""Texts of the Look inside page about its subject."""

from __future__ import annotations

from app.core.inside import InputWindow
from app.core.inspection import Subject, Visit
from app.core.models import Head

_MOST = 90


def one_line(text: str, most: int = _MOST) -> str:
    """The text on one line, cut where it is longer."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1].rstrip()}…"


def window_words(window: InputWindow) -> str:
    """A note that only one window of a longer text is inspected; empty for a text of one window."""
    if window.windows < 2:
        return ""
    return f"This is window {window.number + 1} of {window.windows} of the text; the others are not in these numbers. "


def title_of(visit: Visit) -> str:
    """The subject, in one line."""
    return one_line(visit.title or question_of(visit.subject))


def question_of(subject: Subject) -> str:
    """The question of a subject, else its text."""
    return subject.pair if subject.head is Head.QUESTION_ANSWERING and subject.pair else subject.text
