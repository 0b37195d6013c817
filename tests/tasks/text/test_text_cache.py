"""What is kept of a text: the same answers with it, nothing of another text's, and no more than there is room for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.report import Silent
from app.core.requests import Question
from app.core.results import Reading
from app.core.text import Document, Replacement, View
from app.tasks.qa.question_answering import read
from app.tasks.text import sections
from app.tasks.text.sections import CachedText, TextCache
from app.tasks.text.windows import TITLE_TOKENS
from tests.helpers.fake_models import span_reader
from tests.helpers.long_texts import WORDS
from tests.helpers.small_models import small_tokenizer

TEXTS = st.lists(st.sampled_from(WORDS), max_size=300).map(" ".join)
BERT = small_tokenizer("bert")


@dataclass(frozen=True)
class Thing:
    nbytes: int
    name: str = ""


def asked(reading: Reading) -> Reading:
    return replace(reading, seconds=0.0)


@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from(["bert", "roberta"]),
    st.sampled_from([400_000, 4_000, 0]),
)
def test_a_reading_is_the_same_with_what_was_kept(texts: list[str], family: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "LEAST_CHARACTERS", 10)
        plain = span_reader(family)
        model = replace(plain, text_cache=TextCache(plain.tokenizer, most))
        for words in ("who stole tarts", "king of a much longer question, and of queens"):
            for chosen in (texts, texts[::-1]):
                question = Question(words, tuple(map(Document, chosen)), top_k=9)
                assert asked(read(question, model, Silent())) == asked(read(question, plain, Silent()))


def test_things_are_made_once_and_belong_to_one_text() -> None:
    kept = TextCache(BERT)
    one, other = kept.of(Document("a" * 30_000)), kept.of(Document("b" * 30_000))
    assert one.get("x", lambda: Thing(10, "one")).name == "one"
    assert other.get("x", lambda: Thing(10, "other")).name == "other"
    assert kept.of(Document("a" * 30_000)).get("x", lambda: Thing(10, "again")).name == "one"
    kept.clear()
    assert kept.nbytes == 0
    assert kept.of(Document("a" * 30_000)).get("x", lambda: Thing(10, "again")).name == "again"


def test_a_text_that_is_read_otherwise_is_kept_anew() -> None:
    kept, text = TextCache(BERT), "a" * 30_000
    plain, viewed = (Document(text, view=view) for view in (None, View((Replacement(0, 0, "Header: "),))))
    kept.of(plain).get("x", lambda: Thing(10, "plain"))
    held = kept.nbytes
    again = kept.of(viewed)
    assert again.view == viewed.view
    assert again.get("x", lambda: Thing(10, "viewed")).name == "viewed"
    assert kept.of(Document(text, view=View((Replacement(0, 0, "Header: "),)))) is again
    assert kept.nbytes == held


@pytest.mark.parametrize("words", ["", " ", "the king", "Queen > the king of hearts " * 20])
def test_a_title_is_a_headings_last_tokens_and_a_colon(words: str) -> None:
    title = CachedText("a").title(words, BERT).tolist()
    ids = BERT.encode(words, add_special_tokens=False).ids
    colon = BERT.encode(":", add_special_tokens=False).ids
    assert title == ([*ids[-(TITLE_TOKENS - 1) :], *colon] if ids else [])


def test_a_title_is_made_once_and_counted() -> None:
    kept = TextCache(BERT)
    text = kept.of(Document("a" * 30_000))
    before = kept.nbytes
    title = text.title("the king", BERT)
    assert text.title("the king", BERT) is title
    assert kept.nbytes == before + title.nbytes


def test_what_has_no_room_is_made_each_time_and_takes_none() -> None:
    kept = TextCache(BERT, most=50_000)
    gone = kept.of(Document("c" * 30_000))
    kept.clear()
    short, long, large = (kept.of(Document("a" * size)) for size in (100, 30_000, 60_000))
    for text in (short, long, large, gone, CachedText("a")):
        names = [text.get("x", partial(Thing, 60_000, name)).name for name in ("1", "2")]
        assert names == ["1", "2"]
    assert 0 < kept.nbytes < 40_000, "the text of 30,000 characters alone"


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9), st.integers(1, 50_000)), max_size=40))
def test_room_is_never_exceeded_and_the_least_recently_used_goes_first(
    steps: list[tuple[str, int, int]],
) -> None:
    most = 150_000
    kept = TextCache(BERT, most)
    used: list[str] = []
    for letter, key, size in steps:
        text = kept.of(Document(letter * 30_000))
        used = [one for one in used if one != letter] + [letter]
        text.get(key, partial(Thing, size))
        assert kept.nbytes <= most
        assert list(kept._texts) == [one * 30_000 for one in used[len(used) - len(kept._texts) :]]
