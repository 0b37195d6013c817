"""Names found without a model: capitalised words are people, some of them places or organisations."""

from __future__ import annotations

from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.core.requests import ModelChoice, TextsToTag
from app.core.results import Entity, Tagged, TaggedTexts, TaggedWord
from app.core.text import Span
from app.tasks.text.words import words

LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-MISC", "I-MISC")
TYPES = ("PER", "LOC", "ORG", "MISC")
FINDER = ModelCard("finder", "/models/finder", "bert", (Head.TOKEN_CLASSIFICATION,), LABELS)
_KNOWN = {"Paris": "LOC", "London": "LOC", "Oxford": "LOC", "Acme": "ORG", "Latin": "MISC"}
_NONE = {"The", "A", "In", "Nobody", "She", "He"}


def tagged(text: str) -> Tagged:
    """Neighbours of one type are one name; a name's probability falls with its length."""
    found: list[TaggedWord] = []
    names: list[Entity] = []
    starts, ends = words(text)
    before = ""
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        word = text[start:end]
        kind = _KNOWN.get(word, "PER" if word[0].isupper() and word not in _NONE else "")
        sure = 1 - 0.01 * (end - start)
        if kind and kind == before:
            joined = Span(names[-1].span.start, end)
            names[-1] = Entity(joined, joined.of(text), kind, sure)
        elif kind:
            names.append(Entity(Span(start, end), word, kind, sure))
        found.append(
            TaggedWord(Span(start, end), f"{'I' if kind == before else 'B'}-{kind}" if kind else "O", sure)
        )
        before = kind
    return Tagged(tuple(names), tuple(found), 1 + len(text) // 1500)


def find(request: TextsToTag, choice: ModelChoice | None, report: Report) -> TaggedTexts:
    """What an engine answers; half of the first text's names come as a partial result."""
    items = tuple(tagged(text) for text in request.texts)
    first = items[0]
    half = Tagged(first.entities[: len(first.entities) // 2], (), 1)
    report.progress(Progress(1, 2, "windows"))
    report.partial(TaggedTexts((half,), TYPES, 0.1, complete=False))
    report.check()
    return TaggedTexts(items, TYPES, 0.5, model="finder", device="CPU")
