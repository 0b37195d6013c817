"""Words recognised in a picture (OCR): their languages, the confidence in them, and which of them are uncertain."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from app.core.languages import languages
from app.core.layout import Opened, PageText
from app.core.message import Message
from app.core.text import Span
from app.core.wording import percent

# Words with a lower confidence, in per cent, are marked.
_UNSURE = 65


@dataclass(frozen=True, slots=True)
class Recognition:
    """The recognition of some words; `languages` are ISO 639 codes, `sure` is the mean confidence, 0 to 1.

    `unsure` are the words, as spans of `Document.text`, that the person should compare with the picture.
    """

    languages: tuple[str, ...]
    sure: float
    unsure: tuple[Span, ...] = ()

    @property
    def in_words(self) -> str:
        """The recognition in words: "Text recognised, English, 94% sure"."""
        return Message(
            "Text recognised, {language}, {percent} sure",
            language=languages(self.languages),
            percent=percent(self.sure),
        )


def recognition_of(opened: Opened, span: Span) -> Recognition | None:
    """Return the recognition of a span of a document's text; None if no word of it was recognised."""
    found: dict[str, None] = {}
    total = number = 0
    unsure: list[Span] = []
    for page in _pages(opened, span):
        part = Span(max(span.start, page.span.start), min(span.end, page.span.end))
        if page.recognised is None or not len(part):
            continue
        first = page.span.start
        sure = page.recognised.sure[part.start - first : part.end - first]
        found |= dict.fromkeys(page.recognised.language.split("+"))
        total += sum(sure)
        number += len(sure)
        at = part.start
        for is_unsure, group in groupby(sure, lambda each: each < _UNSURE):
            length = len(list(group))
            words = opened.document.text[at : at + length]
            if is_unsure and (bare := words.strip()):
                start = at + len(words) - len(words.lstrip())
                unsure.append(Span(start, start + len(bare)))
            at += length
    return Recognition(tuple(found), total / number / 100, tuple(unsure)) if number else None


def _pages(opened: Opened, span: Span) -> Iterator[PageText]:
    pages = opened.pages
    at = max(0, bisect_right(pages, span.start, key=lambda page: page.span.start) - 1)
    while at < len(pages) and (pages[at].span.start < span.end or at == 0):
        yield pages[at]
        at += 1
