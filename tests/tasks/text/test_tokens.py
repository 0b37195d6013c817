"""A text tokenised with words that are said in it: the own tokens keep their places, the said ones have no width."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import Replacement
from app.tasks.text import tokens
from app.tasks.text.tokens import KnownWords, Tokens, join, tokenise, tokenise_view
from tests.helpers.small_models import small_tokenizer

FAMILIES = ("bert", "roberta", "albert")
TOKENIZERS = {family: small_tokenizer(family) for family in FAMILIES}
BERT = TOKENIZERS["bert"]
families = st.sampled_from(FAMILIES)
texts = st.text(st.sampled_from("aK 1.,:|\n\té👩\u0301\ud800北"), max_size=60)
PIECES = (
    "the king", "Queen,", "stole(tarts)", " ",
    "\t", "\n\n", "\r", "\u00a0", "\u3000", "\u2028", "\x1c", "\x00", "\x85",
    "\u200d", "e\u0301", "\u0301", "É", "İ", "ß", "日本語", "漢a字", "한국어", "שלום", "👩\u200d👧",
    "\ud83d", "\ufffd", "ﬁ",
    "[SEP]", "[sep]", "[MASK]", "[[SEP]]", "x" * 120, "-", "_", "don't",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.characters(), st.just(" ")), max_size=60).map("".join)


@st.composite
def words_and_said(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]], list[Replacement]]:
    """Words between separators, the words' places, and what is said before, between or behind some of them."""
    words = draw(
        st.lists(st.sampled_from(["king", "wonderfully", "12", "a-b.", "(é)", "👩 北", "$3.5"]), max_size=8)
    )
    text, places, said = draw(st.sampled_from(["", "\n"])), [], []
    at = 0
    for word in words:
        places.append((len(text), len(text) + len(word)))
        match draw(st.sampled_from(["nothing", "before", "instead", "behind"])):
            case "before":
                said.append(Replacement(len(text), len(text), "Who: "))
            case "instead":
                said.append(Replacement(at, len(text), ". He said: "))
            case "behind" if len(text) == at + 1:
                said.append(Replacement(at, at, "."))
        text += word + draw(st.sampled_from(["\n", "\t", "  "]))
        at = places[-1][1]
    return text, places, said


def spoken(text: str, said: list[Replacement]) -> str:
    at, parts = 0, []
    for each in said:
        parts += [text[at : each.start], each.words]
        at = each.end
    return "".join([*parts, text[at:]])


def lists(tokens: Tokens) -> list[list[int]]:
    return [tokens.ids.tolist(), tokens.starts.tolist(), tokens.ends.tolist()]


@given(text=texts, family=families)
def test_where_nothing_is_said_it_is_tokenise(text: str, family: str) -> None:
    found, said = tokenise_view(TOKENIZERS[family], text, ())
    assert lists(found) == lists(join(tokenise(TOKENIZERS[family], text)))
    assert said.dtype == bool and said.shape == (len(found),) and not said.any()


@given(given_=words_and_said(), family=families)
def test_own_tokens_keep_their_places_and_said_ones_have_no_width(
    given_: tuple[str, list[tuple[int, int]], list[Replacement]], family: str
) -> None:
    text, places, said = given_
    tokenizer = TOKENIZERS[family]
    found, is_said = tokenise_view(tokenizer, text, said)
    read = join(tokenise(tokenizer, spoken(text, said)))
    assert found.ids.tolist() == read.ids.tolist()
    assert (np.diff(found.starts) >= 0).all() and (np.diff(found.ends) >= 0).all()
    assert (found.starts <= found.ends).all() and found.ends.max(initial=0) <= len(text)
    assert (found.starts[is_said] == found.ends[is_said]).all()
    assert set(found.starts[is_said].tolist()) <= {each.end for each in said}
    # The same characters, wherever they are read from.
    heard = spoken(text, said)
    for at in np.flatnonzero(~is_said):
        assert text[found.starts[at] : found.ends[at]] == heard[read.starts[at] : read.ends[at]]
    # All words of the text, and nothing else, are what the own tokens stand for.
    covered = {point for at in np.flatnonzero(~is_said) for point in range(found.starts[at], found.ends[at])}
    assert covered >= {
        point for start, end in places for point in range(start, end) if not text[point].isspace()
    }
    assert not any(each.start <= point < each.end for each in said for point in covered)


@given(data=st.data(), text=texts, family=families)
def test_places_stay_inside_the_text_whatever_is_said(data: st.DataObject, text: str, family: str) -> None:
    points = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    words = st.text(st.sampled_from("aK 1.:\n👩[SEP]"), max_size=6)
    said = [
        Replacement(start, end, data.draw(words))
        for start, end in zip(points[::2], points[1::2], strict=False)
    ]
    found, is_said = tokenise_view(TOKENIZERS[family], text, said)
    assert (np.diff(found.starts) >= 0).all() and (np.diff(found.ends) >= 0).all()
    assert ((found.starts >= 0) & (found.starts <= found.ends) & (found.ends <= len(text))).all()
    assert (found.starts[is_said] == found.ends[is_said]).all()


def test_a_token_that_runs_into_what_is_said_ends_with_the_texts_own_part() -> None:
    roberta = TOKENIZERS["roberta"]
    # " the" is one token, of which the text has the first two letters.
    found, is_said = tokenise_view(roberta, "of th", [Replacement(5, 5, "e king")])
    assert [roberta.id_to_token(token) for token in found.ids][-2:] == ["Ġthe", "Ġking"]
    assert (found.starts.tolist()[-2:], found.ends.tolist()[-2:]) == ([3, 5], [5, 5])
    assert is_said.tolist()[-2:] == [False, True]


@pytest.mark.parametrize("words", [None, "known"])
def test_a_special_tokens_name_that_is_said_is_only_words(words: str | None) -> None:
    known = KnownWords(BERT) if words else None
    found, is_said = tokenise_view(BERT, "king", [Replacement(0, 0, "[SEP]: ")], words=known)
    assert BERT.token_to_id("[SEP]") not in found.ids.tolist()
    assert is_said.tolist() == [True] * (len(found) - 1) + [False]


def test_known_words_change_nothing() -> None:
    said = [Replacement(0, 0, "Who: "), Replacement(4, 5, ". When: "), Replacement(7, 7, ".")]
    one, other = (
        tokenise_view(BERT, "king\t12\nthe war", said, words=words) for words in (None, KnownWords(BERT))
    )
    assert lists(one[0]) == lists(other[0]) and one[1].tolist() == other[1].tolist()


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
