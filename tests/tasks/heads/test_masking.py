from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Stopped
from app.core.requests import TextsToMask
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.heads.masking import RATE, Masker, measure_masked
from app.tasks.task import Arrays, ReadyModel
from tests.helpers.fake_models import CPU, Noted, card
from tests.helpers.small_models import FAMILIES, small_checkpoint, small_tokenizer

BERT = small_tokenizer("bert")
THE, KING = BERT.token_to_id("the"), BERT.token_to_id("king")
MASK = BERT.token_to_id("[MASK]")
SPECIAL = {i for i, token in BERT.get_added_tokens_decoder().items() if token.special}


class Always:
    """Scores some tokens high, whatever is asked."""

    def __init__(self, *best: int, odds: float = 50.0) -> None:
        self._row = np.zeros(BERT.get_vocab_size(), dtype=np.float32)
        for place, token in enumerate(best):
            self._row[token] = odds - place
        self.lengths: list[int] = []
        self.masked = 0

    def __call__(self, arrays: Arrays) -> Arrays:
        places = arrays["positions"]
        for mask, own in zip(arrays["attention_mask"], places, strict=True):
            own = own[own >= 0]
            assert own.max() < mask.sum() - 1 and own.min() > 0
            self.lengths.append(int(mask.sum()))
            self.masked += len(own)
        return {"logits": np.broadcast_to(self._row, (*places.shape, len(self._row))).copy()}


def ready(forward) -> ReadyModel:
    return ReadyModel(card(Head.MASKED_WORDS), CPU, BERT, forward)


def test_what_is_named_first_and_among_five() -> None:
    text = "the king " * 200
    model = Always(THE, KING)
    found = measure_masked(TextsToMask((text,)), ready(model), Noted())
    (item,) = found.items
    assert item.masked == model.masked == item.five
    assert abs(item.masked / 400 - 0.15) < 0.01
    assert 0.3 < item.first / item.masked < 0.7
    assert max(model.lengths) == 128 and sum(n - 2 for n in model.lengths) == 400
    # One of two near certain words: the second's surprise is 1 + ln(1 + 1/e), the first's ln(1 + 1/e).
    other = item.masked - item.first
    assert item.surprise == pytest.approx(item.masked * np.log1p(np.exp(-1)) + other, rel=1e-4)
    assert (found.model, found.device) == ("fake", "CPU")


def test_a_model_that_knows_nothing_names_nothing() -> None:
    (item,) = measure_masked(TextsToMask(("the king took the tarts",)), ready(Always()), Noted()).items
    assert (item.first, item.five) == (0, 0)
    assert item.surprise == pytest.approx(item.masked * np.log(BERT.get_vocab_size()))


@given(st.lists(st.text("ab .\n\u00e9\U0001f600", max_size=60), min_size=1, max_size=6), st.integers(0, 5))
def test_a_text_is_masked_alike_among_whatever_others(texts: list[str], seed: int) -> None:
    model = ready(Always(THE))
    together = measure_masked(TextsToMask(tuple(texts), seed=seed), model, Noted()).items
    for text, item in zip(texts, together, strict=True):
        alone = measure_masked(TextsToMask((text,), seed=seed), model, Noted()).items[0]
        assert (alone.masked, alone.first) == (item.masked, item.first)
        assert alone.surprise == pytest.approx(item.surprise)
    assert all((item.masked > 0) is bool(text.strip()) for text, item in zip(texts, together, strict=True))


def test_it_stops_when_told_to() -> None:
    with pytest.raises(Stopped):
        measure_masked(TextsToMask(("the king",) * 40), ready(Always(THE)), Noted(stop_at=9))


def test_a_real_head_is_measured(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "words", "bert", (Head.MASKED_WORDS, Head.NEXT_SENTENCE))
    model = load(read_card(folder), Head.MASKED_WORDS, CPU)
    texts = ("the king took the tarts . " * 30, "alice saw a film")
    found = measure_masked(TextsToMask(texts), model, Noted())
    sizes = [len(BERT.encode(text, add_special_tokens=False).ids) for text in texts]
    assert 126 < sizes[0] < 252
    assert [item.masked for item in found.items] == [round(0.15 * 126) + round(0.15 * (sizes[0] - 126)), 1]
    assert all(item.surprise > item.masked for item in found.items)


@given(
    ids=st.lists(st.integers(5, BERT.get_vocab_size() - 1), min_size=1, max_size=80),
    rate=st.floats(0.01, 1.0),
    seed=st.integers(0, 1000),
    data=st.data(),
)
def test_only_places_offered_are_masked_and_what_stood_there_is_told(ids, rate, seed, data) -> None:
    whole = np.array(ids)
    places = np.array(sorted(data.draw(st.sets(st.integers(0, len(ids) - 1)))), dtype=np.int64)
    masked, chosen, words = Masker(BERT, rate).mask(whole, places, np.random.default_rng(seed))
    assert whole.tolist() == ids
    assert set(chosen.tolist()) <= set(places.tolist()) and np.all(np.diff(chosen) > 0)
    assert len(chosen) == (min(len(places), max(1, round(rate * len(places)))))
    assert words.tolist() == whole[chosen].tolist()
    others = np.setdiff1d(np.arange(len(ids)), chosen)
    assert masked[others].tolist() == whole[others].tolist()
    assert not (set(masked[chosen].tolist()) & (SPECIAL - {MASK}))


def test_most_are_hidden_some_exchanged_and_some_left() -> None:
    word = BERT.token_to_id("king")
    ids = np.full(20_000, word)
    masked, chosen, _ = Masker(BERT).mask(ids, np.arange(len(ids)), np.random.default_rng(1))
    assert len(chosen) == RATE * len(ids)
    shown = masked[chosen]
    assert abs((shown == MASK).mean() - 0.8) < 0.03
    assert abs((shown == word).mean() - 0.1) < 0.03
    assert len(set(shown.tolist())) > 100


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_mask(family: str) -> None:
    tokenizer = small_tokenizer(family)
    ids = np.array(tokenizer.encode("the king took the tarts", add_special_tokens=False).ids)
    masked, chosen, _ = Masker(tokenizer, 1.0).mask(ids, np.arange(len(ids)), np.random.default_rng(3))
    assert len(chosen) == len(ids) and (masked != ids).any()


def test_a_tokenizer_without_a_mask_is_refused() -> None:
    with pytest.raises(SpanlightError, match="no token for a blank"):
        Masker(Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}, unk_token="[UNK]")))
