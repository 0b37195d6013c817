from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.text import tokens
from app.tasks.text.tokens import KnownWords, join, tokenise
from tests.helpers.small_models import small_tokenizer

BERT = small_tokenizer("bert")
PIECES = (
    "the king", "Queen,", "stole(tarts)", " ",
    "\t", "\n\n", "\r", "\u00a0", "\u3000", "\u2028", "\x1c", "\x00", "\x85",
    "\u200d", "e\u0301", "\u0301", "É", "İ", "ß", "日本語", "漢a字", "한국어", "שלום", "👩\u200d👧",
    "\ud83d", "\ufffd", "ﬁ",
    "[SEP]", "[sep]", "[MASK]", "[[SEP]]", "x" * 120, "-", "_", "don't",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.characters(), st.just(" ")), max_size=60).map("".join)


def plain(text: str) -> list[list[int]]:
    found = join(tokenise(BERT, text, chunk=90))
    return [found.ids.tolist(), found.starts.tolist(), found.ends.tolist()]


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_words_that_are_looked_up_give_the_tokenizers_own_tokens(texts: list[str]) -> None:
    words = KnownWords(BERT)
    for text in texts:
        found = join(tokenise(BERT, text, chunk=90, words=words))
        assert [found.ids.tolist(), found.starts.tolist(), found.ends.tolist()] == plain(text)
        assert found.ids.dtype == found.starts.dtype == found.ends.dtype == np.int32


def test_only_tokenizers_that_take_each_word_alone_suit() -> None:
    assert KnownWords.suits(BERT)
    for family in ("roberta", "deberta-v2"):
        assert not KnownWords.suits(small_tokenizer(family))
    named = small_tokenizer("bert")
    named.add_tokens(["the king"])
    assert not KnownWords.suits(named)


def test_what_is_known_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_WORDS", 50)
    words = KnownWords(BERT)
    for at in range(0, 1000, 10):
        text = " ".join(f"king{n} tarts" for n in range(at, at + 10))
        assert join(tokenise(BERT, text, words=words)).ids.tolist() == join(tokenise(BERT, text)).ids.tolist()
        assert len(words) <= 61


def test_a_tokenizer_that_gives_up_leaves_no_word_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    words = KnownWords(BERT)
    words("the king")
    whole = KnownWords._learn

    def give_up(self: KnownWords, new: list[str]) -> None:
        raise RuntimeError

    monkeypatch.setattr(KnownWords, "_learn", give_up)
    with pytest.raises(RuntimeError):
        words("the king stole tarts")
    monkeypatch.setattr(KnownWords, "_learn", whole)
    found = join(tokenise(BERT, "the king stole tarts", words=words))
    assert [found.ids.tolist(), found.starts.tolist(), found.ends.tolist()] == plain("the king stole tarts")
