from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head
from app.core.report import Silent, Stopped
from app.core.requests import PassagePairs
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.heads.next_sentence import PairWindow, follow, pair_window, shared_room
from app.tasks.task import Arrays, ReadyModel
from app.tasks.text.tokens import join, tokenise
from tests.helpers.fake_models import CPU, Noted, card
from tests.helpers.small_models import FAMILIES, WORDS, small_checkpoint, small_tokenizer

TOKENIZERS = {family: small_tokenizer(family) for family in FAMILIES}


class FollowModel:
    """Logits of a pair are sums of its tokens' numbers, the second passage's the other way round."""

    def __init__(self, vocabulary: int) -> None:
        self.numbers = np.random.default_rng(5).normal(size=(vocabulary, 2)).astype(np.float32)
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, arrays: Arrays) -> Arrays:
        self.shapes.append(arrays["input_ids"].shape)
        signs = np.where(arrays["token_type_ids"], -1, 1) * arrays["attention_mask"]
        return {"logits": (self.numbers[arrays["input_ids"]] * signs[..., None]).sum(axis=1)}


def follower(family: str = "bert", window: int = 64) -> ReadyModel:
    tokenizer = TOKENIZERS[family]
    model = FollowModel(tokenizer.get_vocab_size())
    return ReadyModel(card(Head.NEXT_SENTENCE, window=window), CPU, tokenizer, model)


def paired(first: str, second: str, model: ReadyModel) -> PairWindow:
    return pair_window(first, second, model, lambda: None)


def by_hand(first: int, second: int, room: int) -> tuple[int, int]:
    """Tokens taken off one at a time, off the longer one; off the first where they are equally long."""
    while first + second > room:
        if first >= second:
            first -= 1
        else:
            second -= 1
    return first, second


@given(st.integers(0, 80), st.integers(0, 80), st.integers(1, 60))
@example(30, 31, 60)
@example(31, 30, 59)
def test_the_longer_passage_gives_way_first(first: int, second: int, room: int) -> None:
    kept = shared_room(first, second, room)
    assert kept == by_hand(first, second, room)


TEXTS = st.lists(st.sampled_from([*WORDS[:40], "\n\n", "naïve", "🙂", "[SEP]", "<mask>", "Don't."])).map(
    " ".join
)


@given(TEXTS, TEXTS, st.sampled_from(FAMILIES), st.integers(16, 70))
def test_a_pair_keeps_what_meets_and_its_places(first: str, second: str, family: str, window: int) -> None:
    model = follower(family, window)
    pair = paired(first, second, model)
    assert len(pair) <= window
    assert len(pair.input_ids) == len(pair.token_type_ids)
    for number, (text, tokens, at) in enumerate(zip((first, second), pair.passages, pair.at, strict=True)):
        whole = join(tokenise(model.tokenizer, text))
        expected = slice(len(whole) - len(tokens), None) if number == 0 else slice(len(tokens))
        np.testing.assert_array_equal(tokens.ids, whole.ids[expected])
        np.testing.assert_array_equal(tokens.starts, whole.starts[expected])
        np.testing.assert_array_equal(tokens.ends, whole.ends[expected])
        np.testing.assert_array_equal(pair.input_ids[at : at + len(tokens)], tokens.ids)
        assert pair.cut[number] == (len(tokens) < len(whole))
    if any(pair.cut):
        assert len(pair) == window


def test_of_very_long_passages_only_what_may_be_read_is_tokenised(monkeypatch: pytest.MonkeyPatch) -> None:
    model = follower()
    words = [WORDS[n * 7 % len(WORDS)] for n in range(60_000)]
    text = " ".join(words)
    seen: list[int] = []

    def noted(tokenizer: object, piece: str, **more: object) -> object:
        for chunk in tokenise(tokenizer, piece, **more):  # type: ignore[arg-type]
            seen.append(len(chunk))
            yield chunk

    monkeypatch.setattr("app.tasks.heads.next_sentence.tokenise", noted)
    pair = paired(text, text, model)
    assert pair.cut == (True, True)
    before, after = pair.passages
    assert [text[s:e] for s, e in zip(before.starts, before.ends, strict=True)] == words[-len(before) :]
    assert [text[s:e] for s, e in zip(after.starts, after.ends, strict=True)] == words[: len(after)]
    assert abs(len(before) - len(after)) <= 1
    assert sum(seen) < 25_000


@pytest.mark.parametrize(
    "first", ["the king came " * 5 + " " * 200_000, " " * 100_000 + "the king came " * 5]
)
def test_a_long_run_of_blanks_hides_nothing_and_counts_for_nothing(first: str) -> None:
    pair = paired(first, "the queen", follower())
    assert (len(pair.passages[0]), pair.cut) == (15, (False, False))


@pytest.mark.parametrize("family", ["bert", "mobilebert"])
@pytest.mark.parametrize("heads", [Head.NEXT_SENTENCE, (Head.MASKED_WORDS, Head.NEXT_SENTENCE)])
def test_probabilities_are_those_of_transformers(
    tmp_path: Path, family: str, heads: Head | tuple[Head, ...]
) -> None:
    folder = small_checkpoint(tmp_path / "m", family, heads)
    loaded = load(read_card(folder), Head.NEXT_SENTENCE, DeviceChoice("cpu", "float32", "a test"))
    model = ReadyModel(loaded.card, loaded.device, loaded.tokenizer, loaded.forward)
    pairs = (
        ("The king came.", "He was the first king."),
        ("He was the first king.", "The king came."),
        ("Alice and the rabbit", "x"),
    )
    found = follow(PassagePairs(pairs), model, Silent())
    theirs = transformers.AutoModelForNextSentencePrediction.from_pretrained(folder).eval()
    for pair, item in zip(pairs, found.items, strict=True):
        encoding = loaded.tokenizer.encode(*pair)
        with torch.no_grad():
            logits = theirs(
                input_ids=torch.tensor([encoding.ids]), token_type_ids=torch.tensor([encoding.type_ids])
            ).logits[0]
        assert item.logits == pytest.approx(logits.tolist(), abs=1e-4)
        assert item.probability == pytest.approx(float(logits.softmax(-1)[0]), abs=1e-5)
        assert sum(item.tokens) == len(encoding.ids) - 3
        assert item.cut == (False, False)
    assert found.items[0].probability != pytest.approx(found.items[1].probability, abs=1e-4)


def test_a_blank_passage_is_refused_by_name() -> None:
    def refusal(*pairs: tuple[str, str]) -> str:
        with pytest.raises(SpanlightError) as caught:
            follow(PassagePairs(pairs), follower(), Silent())
        assert caught.value.hint
        return caught.value.message

    assert refusal(("a", " \n")) == "The second passage is empty."
    assert refusal(("a", "b"), ("", "b")) == "The first passage of pair 2 of 2 is empty."
    assert refusal() == "There are no passages to compare."


def test_it_stops_and_refuses_what_is_not_a_number() -> None:
    pairs = PassagePairs((("the king", "the queen"),) * 40)
    with pytest.raises(Stopped):
        follow(pairs, follower(), Noted(stop_at=3))
    model = follower()
    model.forward.numbers[:] = np.nan  # type: ignore[attr-defined]
    with pytest.raises(SpanlightError, match="not numbers"):
        follow(pairs, model, Silent())
