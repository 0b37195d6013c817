"""Blanks to words: places, windows, what counts as a word, and words of several pieces."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Silent, Stopped
from app.core.requests import TextToFill
from app.core.results import FilledText
from app.core.text import Span, blanks_in
from app.tasks.heads.fill_mask import fill, group_by_window, masked_tokens, masked_windows, window_around
from app.tasks.scores import softmax
from app.tasks.task import Arrays, ReadyModel
from app.tasks.text.tokens import join, tokenise
from app.tasks.text.vocabulary import mask_id
from tests.helpers.fake_models import CPU, Noted, card
from tests.helpers.small_models import ODD_PIECES, small_tokenizer

FAMILIES = ("bert", "roberta", "mpnet", "albert")


class MaskModel:
    """Logits at a place depend on the tokens around it, its mask among them; remembers what it was given."""

    def __init__(self, size: int, seed: int = 3) -> None:
        random = np.random.default_rng(seed)
        self.left = random.normal(size=(size, size)).astype(np.float32)
        self.right = random.normal(size=(size, size)).astype(np.float32)
        self.given: list[Arrays] = []

    def __call__(self, arrays: Arrays) -> Arrays:
        self.given.append(arrays)
        ids, places = arrays["input_ids"], arrays["positions"]
        assert places.dtype == np.int64
        assert (arrays["attention_mask"].sum(axis=1) > places.max(axis=1) + 1).all()
        rows = np.arange(len(ids))[:, None]
        at = np.maximum(places, 1)
        return {"logits": self.left[ids[rows, at - 1]] + self.right[ids[rows, at + 1]]}


def ready(family: str = "bert", window: int = 64) -> ReadyModel:
    tokenizer = small_tokenizer(family)
    about = card(Head.MASKED_WORDS, window=window)
    return ReadyModel(about, CPU, tokenizer, MaskModel(tokenizer.get_vocab_size()))


def filled(text: str, model: ReadyModel, *asked: str, top_k: int = 10) -> FilledText:
    return fill(TextToFill(text, blanks_in(text), asked, top_k), model, Silent())


MODELS = {family: ready(family) for family in FAMILIES}


@st.composite
def blanked(draw: st.DrawFn) -> tuple[str, tuple[Span, ...]]:
    parts = draw(st.lists(st.sampled_from(ODD_PIECES) | st.text(max_size=8), max_size=40))
    text = draw(st.sampled_from(("", " "))).join(parts)
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return text, tuple(Span(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=False))


@pytest.mark.parametrize("family", FAMILIES)
@given(given_text=blanked())
def test_every_blank_is_one_mask_in_its_place(family: str, given_text: tuple[str, tuple[Span, ...]]) -> None:
    text, blanks = given_text
    model = MODELS[family]
    tokens, places = masked_tokens(text, blanks, model, Silent())
    masks = np.flatnonzero(tokens.ids == mask_id(model.tokenizer))
    assert places.tolist() == masks.tolist()
    assert [Span(int(tokens.starts[i]), int(tokens.ends[i])) for i in masks] == list(blanks)
    special = {i for i, token in model.tokenizer.get_added_tokens_decoder().items() if token.special}
    unknown = {model.tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")}
    for number, (start, end) in enumerate(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)):
        assert 0 <= start <= end <= len(text)
        if number not in masks:
            # Nothing of what a blank hides is read, and what is read stands where it is said to.
            assert all(
                end <= blank.start or start >= blank.end for blank in blanks if len(blank) and end > start
            )
            assert int(tokens.ids[number]) not in special - unknown


@given(st.text(alphabet="the king.\n ", max_size=200))
def test_without_blanks_the_tokens_are_the_texts(text: str) -> None:
    model = MODELS["bert"]
    plain, (tokens, places) = join(tokenise(model.tokenizer, text)), masked_tokens(text, (), model, Silent())
    assert not len(places)
    assert tokens.ids.tolist() == plain.ids.tolist()
    assert tokens.starts.tolist() == plain.starts.tolist()


@given(given_text=blanked(), window=st.integers(12, 40))
def test_windows_read_every_blank_once_and_use_their_room(
    given_text: tuple[str, tuple[Span, ...]], window: int
) -> None:
    text, blanks = given_text
    model = replace(MODELS["bert"], card=card(Head.MASKED_WORDS, window=window))
    tokens, _ = masked_tokens(text, blanks, model, Silent())
    read: list[Span] = []
    for each in masked_windows(text, blanks, model, Silent()):
        assert len(each) <= window
        assert len(each) == min(window, len(tokens) + 2)
        context = each.input_ids[each.context_at : each.context_at + len(each.starts)]
        assert context.tolist() == tokens.ids[each.first : each.first + len(context)].tolist()
        read += [Span(int(each.starts[i]), int(each.ends[i])) for i in np.flatnonzero(each.scored)]
    assert read == list(blanks)


@given(st.lists(st.integers(0, 500), max_size=20, unique=True).map(sorted), st.integers(8, 200))
def test_blanks_that_share_a_window_have_context_on_both_sides(places: list[int], room: int) -> None:
    found = group_by_window(places, 501, room)
    assert [place for group in found for place in group] == places
    for group in found:
        start, end = window_around(group[0], group[-1], 501, room)
        assert 0 <= start <= group[0] and group[-1] < end <= 501 and end - start == min(room, 501)
        if room < 501:
            assert group[0] - start >= min(group[0], (room // 2 - 1) // 2)
            assert end - 1 - group[-1] >= min(500 - group[-1], (room // 2 - 1) // 2)
    if room < 501:
        # Neighbouring groups could not have shared.
        assert all(b[0] - a[0] >= room / 2 for a, b in pairwise(found))


def test_a_short_text_shares_one_window_and_every_blank_is_hidden() -> None:
    model = ready()
    found = filled("The ___ stole [MASK] tarts, ____ and <mask>.", model, top_k=3)
    assert found.windows == 1
    assert [len(blank.guesses) for blank in found.blanks] == [3] * 4
    (given_arrays,) = model.forward.given  # type: ignore[attr-defined]
    ids = given_arrays["input_ids"][0].tolist()
    mask = model.tokenizer.token_to_id("[MASK]")
    assert [i for i, token in enumerate(ids) if token == mask] == given_arrays["positions"][0].tolist()


def test_probabilities_are_of_the_whole_vocabulary_and_ranks_count_what_is_left_out() -> None:
    model = ready()
    found = filled("the ___ stole", model, top_k=10_000).blanks[0]
    the, stole = (model.tokenizer.token_to_id(word) for word in ("the", "stole"))
    logits = model.forward.left[the] + model.forward.right[stole]  # type: ignore[attr-defined]
    chances, order = softmax(logits), np.argsort(-logits)
    for guess in found.guesses:
        entry = model.tokenizer.token_to_id(guess.word)
        assert guess.probability == pytest.approx(float(chances[entry]))
        assert order[guess.rank - 1] == entry
    words = {guess.word for guess in found.guesses}
    pieces = model.tokenizer.get_vocab()
    assert words == {p for p in pieces if not p.startswith("##") and not (p[0] == "[" and len(p) > 1)}
    assert [g.probability for g in found.guesses] == sorted(
        (g.probability for g in found.guesses), reverse=True
    )


def test_behind_letters_only_what_goes_on_is_listed() -> None:
    words = [guess.word for guess in filled("the k___ stole", ready(), top_k=10_000).blanks[0].guesses]
    assert words and all(len(word) == 1 for word in words)
    assert "the" not in words and "a" in words
    # Two blanks without a gap are one word.
    first, second = filled("a ___[MASK] b", ready(), top_k=10_000).blanks
    assert "king" in {guess.word for guess in first.guesses}
    assert "king" not in {guess.word for guess in second.guesses}
    # A bracket is no letter.
    assert "king" in {guess.word for guess in filled("a (___ b", ready(), top_k=10_000).blanks[0].guesses}


@pytest.mark.parametrize("family", ["roberta", "albert"])
def test_the_marks_of_byte_level_and_unigram_are_no_part_of_words(family: str) -> None:
    model = ready(family)
    after_blank = {g.word for g in filled("the ___ stole", model, top_k=10_000).blanks[0].guesses}
    assert {"king", "river"} <= after_blank
    assert not [word for word in after_blank if word != word.strip() or word[:1] in "Ġ▁"]
    glued = {g.word for g in filled("the k___ stole", model, top_k=10_000).blanks[0].guesses}
    assert "king" not in glued and {"i", "n"} <= glued
    bracket = {g.word for g in filled("the (___ stole", model, top_k=10_000).blanks[0].guesses}
    assert "king" not in bracket


def test_a_word_that_opens_a_sentence_gets_its_capital_where_the_model_knows_none() -> None:
    text = "___ stole tarts. ___ ran, ___ hid.\n“___ it is”\nand ___"
    blanks = filled(text, ready(), top_k=3000).blanks
    first, second, third, _, wrapped = ({g.word for g in blank.guesses} for blank in blanks)
    for opening in (first, second):
        assert "King" in opening and "king" not in opening
    for inner in (third, wrapped):
        assert "king" in inner and "King" not in inner
    assert "king" in {g.word for g in filled("the ___", ready("roberta"), top_k=3000).blanks[0].guesses}


def test_the_word_asked_about_has_its_own_rank_and_probability() -> None:
    model = ready()
    whole = filled("the ___ stole", model, top_k=10_000).blanks[0]
    last = whole.guesses[-1]
    asked = filled("the ___ stole", model, last.word.upper(), top_k=1).blanks[0].asked
    assert asked is not None
    assert (asked.word, asked.rank, asked.pieces) == (last.word.upper(), last.rank, 1)
    assert asked.probability == pytest.approx(last.probability)


def test_a_word_of_several_pieces_is_the_product_of_its_pieces() -> None:
    model = ready()
    asked = filled("the ___ stole the ___", model, "cat", "").blanks[0].asked
    assert asked is not None and (asked.rank, asked.pieces) == (0, 3)
    one = {name: model.tokenizer.token_to_id(name) for name in ("the", "stole", "c", "##a", "##t", "[MASK]")}
    left, right = model.forward.left, model.forward.right  # type: ignore[attr-defined]

    def chance(before: str, after: str, piece: str) -> float:
        return float(softmax(left[one[before]] + right[one[after]])[one[piece]])

    product = chance("the", "[MASK]", "c") * chance("c", "[MASK]", "##a") * chance("##a", "stole", "##t")
    assert asked.probability == pytest.approx(product)
    assert filled("the ___ stole the ___", model, "cat", "").blanks[1].asked is None


@pytest.mark.parametrize("family", FAMILIES)
def test_a_word_is_spelled_as_the_tokenizer_spells_it_there(family: str) -> None:
    """As many pieces as the same word has when it stands in the text."""
    model = ready(family)
    for before, word in (("the ", "king"), ("the ", "zap"), ("the (", "zap"), ("the z", "ap")):
        asked = filled(f"{before}___ stole", model, word).blanks[0].asked
        whole, alone = (
            len(model.tokenizer.encode(text, add_special_tokens=False).ids)
            for text in (before + word, before.rstrip())
        )
        assert asked is not None and asked.pieces == whole - alone


def test_a_word_that_cannot_be_spelled_is_said_to_be_so() -> None:
    asked = filled("the ___ stole", ready(), "שלום").blanks[0].asked
    assert asked is not None and (asked.pieces, asked.probability, asked.rank) == (0, 0.0, 0)
    with pytest.raises(SpanlightError, match="too long"):
        filled("the ___ stole", ready(), "cat " * 40)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("text", ["the ___ stole", "___", "the___"])
def test_a_word_that_no_tokenizer_takes_is_asked_about_all_the_same(family: str, text: str) -> None:
    asked = filled(text, MODELS[family], "\ud800king\x00").blanks[0].asked
    assert asked is not None and asked.word == "\ud800king\x00"


def test_a_mask_token_s_name_that_the_tokenizer_takes_for_one_is_no_blank() -> None:
    model = ready()
    loose = AddedToken("[MASK]", special=True, normalized=True)
    model.tokenizer.add_special_tokens([loose])
    text = "the [mask] stole ___ tarts"
    blank = Span(17, 20)
    tokens, places = masked_tokens(text, [blank], model, Silent())
    assert (tokens.ids == mask_id(model.tokenizer)).sum() == 2, "or this tests nothing"
    assert [Span(int(tokens.starts[at]), int(tokens.ends[at])) for at in places] == [blank]
    assert fill(TextToFill(text, (blank,)), model, Silent()).blanks[0].span == blank


def test_a_tokenizer_that_does_not_keep_a_blank_apart_is_refused() -> None:
    model = ready()
    alone = AddedToken("[MASK]", special=True, normalized=False, single_word=True)
    model.tokenizer.add_special_tokens([alone])
    assert filled("the ___ stole", model).blanks
    with pytest.raises(SpanlightError, match="keep a blank apart"):
        filled("the___stole", model)


def test_no_batch_asks_for_more_places_than_its_share() -> None:
    crowded = "___ " * 30
    text = "\n".join([crowded, *["the king stole tarts. " * 8 + "___"] * 20])
    model = ready(window=32)
    filled(text, model, top_k=1)
    fake = model.forward
    assert isinstance(fake, MaskModel)
    rows = [arrays["positions"].shape for arrays in fake.given]
    assert max(len_ for _, len_ in rows) > 8, "one window has many"
    assert all(count == 1 or count * places <= 64 for count, places in rows)


def test_a_long_text_is_read_around_its_blanks_only() -> None:
    text = "the king stole tarts. " * 100 + "___ ran. " + "the queen made tarts. " * 100 + "the ___ hid."
    model, report = ready(window=32), Noted()
    request = TextToFill(text, blanks_in(text), top_k=1)
    found = fill(request, model, report)
    assert found.windows == 2
    assert [told.total for told in report.told] == [2]
    alone = fill(replace(request, blanks=request.blanks[1:]), model, Silent())
    assert alone.blanks[0] == found.blanks[1]


def test_many_blanks_are_read_in_several_batches() -> None:
    text = " ".join(["the ___ stole"] * 300)
    found = filled(text, ready(window=24), top_k=1)
    assert [blank.span for blank in found.blanks] == list(blanks_in(text))
    assert len({blank.guesses for blank in found.blanks[1:-1]}) == 1


def test_faults_are_said() -> None:
    with pytest.raises(SpanlightError, match="no blank"):
        fill(TextToFill("the king", ()), ready(), Silent())
    for blanks in ((Span(0, 99),), (Span(2, 4), Span(0, 1))):
        with pytest.raises(ValueError, match="blanks"):
            fill(TextToFill("the king", blanks), ready(), Silent())
    with pytest.raises(ValueError, match="words"):
        fill(TextToFill("the ___", (Span(4, 7),), ("a", "b")), ready(), Silent())
    model = ready()
    nan = replace(model, forward=lambda arrays: {"logits": np.full((1, 1, 9), np.nan, np.float32)})
    with pytest.raises(SpanlightError, match="not numbers"):
        filled("a ___", nan)
    with pytest.raises(Stopped):
        fill(TextToFill("the ___", (Span(4, 7),)), model, Noted(stop_at=2))
