"""Random words of real PDFs to boxes on the page and back to the same characters; `-s` shows the shares by file."""

from __future__ import annotations

import random
import re
import time
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.core.pages import mark_on_pages
from app.core.text import Span
from app.documents.parts import Parts
from tests.helpers.page_texts import characters_under
from tests.helpers.pdf_pages import read_real, real_names

SPANS = 300
MOST_WORDS = 25

# How many of the 300 spans fall back to a quotation at most, by file.
FALLBACKS = {
    "alice.pdf": 0,
    "asvs-3.0.1-hebrew.pdf": 0,
    "asvs-4.0.3-en.pdf": 0,
    "asvs-4.0.3-zh-cn.pdf": 0,
    "aws-pinpoint-developer-guide.pdf": 0,
    "federal-plain-language-guidelines.pdf": 0,
    "onestopqa-annotation-guidelines.pdf": 0,
    "qed-tacl-paper.pdf": 3,
}


@dataclass
class Trip:
    """What came of the spans of a file."""

    reasons: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    milliseconds: float = 0.0

    @property
    def fallbacks(self) -> int:
        return sum(count for reason, count in self.reasons.items() if reason)


def random_spans(text: str, seed: int) -> list[Span]:
    """Spans of 1 to 25 words; where a script has no blanks a stretch of letters counts as one of at most 8."""
    words = [match.span() for match in re.finditer(r"[^\s\u3000-\u9fff]+|[\u3000-\u9fff]{1,8}", text)]
    chance = random.Random(seed)
    spans = []
    for _ in range(SPANS):
        count = chance.randint(1, MOST_WORDS)
        first = chance.randrange(max(1, len(words) - count))
        spans.append(Span(words[first][0], words[min(first + count, len(words)) - 1][1]))
    return spans


def letters_of(text: str) -> list[str]:
    """The letters without blanks and hyphens, told apart from the code under test."""
    plain = unicodedata.normalize("NFKC", text)
    return [letter for letter in plain if letter.isprintable() and letter not in " -\u2010\u2011"]


def is_one_way(text: str) -> bool:
    """Whether nothing in a text is written from right to left."""
    return not any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in text)


def travel(parts: Parts, seed: int) -> Trip:
    """Take random spans of a document to the page and back."""
    trip = Trip()
    one_way = is_one_way(parts.text)
    start = time.perf_counter()
    for span in random_spans(parts.text, seed):
        words = span.of(parts.text)
        mark = mark_on_pages(parts.pages, span, words)
        trip.reasons[mark.reason] += 1
        if mark.reason:
            trip.refused.append((mark.reason, words))
            continue
        under = characters_under(parts.pages, mark.places)
        said, read = letters_of(words), letters_of(under)
        # In documents of one direction the order is compared as well.
        if (said != read) if one_way else (Counter(said) != Counter(read)):
            trip.wrong.append((words, under))
    trip.milliseconds = (time.perf_counter() - start) / SPANS * 1000
    return trip


@pytest.mark.parametrize("name", real_names(FALLBACKS))
def test_words_are_found_on_the_page_and_read_back(shared_data: Path, name: str) -> None:
    parts, _ = read_real(shared_data / "documents" / name)
    trip = travel(parts, seed=7)
    share = trip.fallbacks / SPANS
    print(f"\n{name:42} {len(parts.pages):4} pages {share:7.1%} fall back {trip.milliseconds:6.2f} ms a span")
    for reason, words in trip.refused:
        print(f"    {reason} {words!r}")
    assert trip.wrong == []
    assert trip.fallbacks <= FALLBACKS[name], trip.refused
