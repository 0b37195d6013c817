from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import Document
from app.tasks.qa import ranking
from app.tasks.qa.ranking import PlaceRanking, Term, WordStarts

PIECES = (
    "king", "Kings", "KING", "akin", "tarts", " ", ". ", "\n\n", "İstanbul", "ﬁ", "ß", "日本語", "\ud800", "e\u0301",
    "ŉa",
    "Ǆ",
    "straße", "STRASSE", "Царь", "царя", "1066", "x1", "_a", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", "שלום", "👩\u200d👧",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.characters()), max_size=120).map("".join)


@given(TEXTS, st.sampled_from([1, 3, 50, 1 << 16]), st.data())
def test_every_beginning_of_a_word_is_found(text: str, block: int, data: st.DataObject) -> None:
    begins = [at for at in range(len(text)) if text[at].isalnum() and (at == 0 or not text[at - 1].isalnum())]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "_AT_ONCE", block)
        starts = WordStarts(text)
    size = data.draw(st.integers(1, 6))
    for at in begins:
        needle = text[at : at + size]
        found = starts.like(needle)
        assert found == sorted(set(found))
        assert set(found) <= set(begins)
        assert [place for place in begins if text.startswith(needle, place)] == [
            place for place in found if text.startswith(needle, place)
        ]


def searched(
    text: str, words: WordStarts, needle: str, term: Term, most: int
) -> tuple[list[int], list[float]]:
    """Every occurrence of a needle, looked for in the text itself."""
    found = [at for at in range(len(text)) if text.startswith(needle, at)]
    if term.starts_words:
        found = [at for at in found if at == 0 or not text[at - 1].isalnum()]
    weighed = [(at, weight) for at in found if (weight := ranking._weight(text, at, len(needle), term))][
        :most
    ]
    return [at for at, _ in weighed], [weight for _, weight in weighed]


@given(st.lists(TEXTS, max_size=3), TEXTS)
def test_the_places_are_those_of_a_search_through_the_text(texts: list[str], question: str) -> None:
    documents = [Document(text) for text in texts]
    found = list(PlaceRanking(question, documents).best())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "_occurrences", searched)
        assert found == list(PlaceRanking(question, documents).best())
