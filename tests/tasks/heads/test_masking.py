import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from app.core.errors import SpanlightError
from app.tasks.heads.masking import RATE, Masker
from tests.helpers.small_models import FAMILIES, small_tokenizer

BERT = small_tokenizer("bert")
MASK = BERT.token_to_id("[MASK]")
SPECIAL = {i for i, token in BERT.get_added_tokens_decoder().items() if token.special}


@settings(max_examples=60, deadline=None)
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
