"""The relation of a pair is true, which a passage number in every token shows."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.text.windows import PairTemplate
from app.training.pretraining import FOLLOWS, IGNORED, RANDOM, MaskedPair, Pairs, Passage, collate_masked
from tests.helpers.small_models import small_tokenizer

BERT = small_tokenizer("bert")
TEMPLATE = PairTemplate.of(BERT)
START, CLS, SEP, MASK = 5, *(BERT.token_to_id(name) for name in ("[CLS]", "[SEP]", "[MASK]"))


def numbered(shapes: list[list[int]], documents: list[str]) -> list[Passage]:
    """Passages of sentences of given lengths; every token of all of them has an id of its own, in order."""
    made, at = [], START
    for shape, document in zip(shapes, documents, strict=True):
        sentences = []
        for size in shape:
            sentences.append(np.arange(at, at + size))
            at += size
        made.append(Passage(tuple(sentences), document))
    return made


def whole(pair: MaskedPair) -> tuple[list[int], list[int]]:
    """Both segments, with their tokens at the masked positions."""
    ids = pair.input_ids.copy()
    ids[pair.masked] = pair.words
    ends = np.flatnonzero(ids == SEP).tolist()
    assert ids[0] == CLS and ids[-1] == SEP
    first = ids[1 : ends[0]].tolist()
    return first, ids[ends[0] + 1 : -1].tolist() if len(ends) > 1 else []


PASSAGES = st.lists(
    st.tuples(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.sampled_from("abc")),
    min_size=1,
    max_size=5,
)


@given(
    passages=PASSAGES,
    length=st.integers(16, 40),
    near=st.sampled_from([0.0, 0.5]),
    short=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 10_000),
)
def test_a_follow_up_follows_and_another_is_from_elsewhere(passages, length, near, short, seed) -> None:
    made = numbered([shape for shape, _ in passages], [document for _, document in passages])
    home = {int(token): i for i, p in enumerate(made) for s in p.sentences for token in s}
    ends = {int(s[-1]) for p in made for s in p.sentences}
    rng = np.random.default_rng(seed)
    index = int(rng.integers(len(made)))
    pair = Pairs(BERT, made, length, 0.15, near, short).draw(index, rng)
    assert len(pair) <= length and len(pair.masked) >= 1
    assert pair.token_type_ids.tolist() == sorted(pair.token_type_ids.tolist())
    first, second = whole(pair)
    for stretch in (first, second):
        assert all(b == a + 1 for a, b in pairwise(stretch))
        assert len({home[token] for token in stretch}) <= 1
    assert home[first[0]] == index
    if pair.relation == IGNORED:
        assert not second
        return
    assert first[-1] in ends
    if pair.relation == FOLLOWS:
        assert second[0] == first[-1] + 1 and home[second[0]] == index
    else:
        assert pair.relation == RANDOM and home[second[0]] != index
        if not near:
            assert made[home[second[0]]].document != made[index].document


def test_half_of_the_pairs_follow() -> None:
    made = numbered([[4] * 5] * 40, [str(i) for i in range(40)])
    pairs = Pairs(BERT, made, 32, 0.15)
    rng = np.random.default_rng(0)
    relations = [pairs.draw(i % 40, rng).relation for i in range(2000)]
    assert IGNORED not in relations
    assert abs(relations.count(FOLLOWS) / 2000 - 0.5) < 0.04


def test_one_document_alone_has_true_follow_ups_only() -> None:
    pairs = Pairs(BERT, numbered([[4] * 5] * 3, ["a"] * 3), 32, 0.15)
    rng = np.random.default_rng(0)
    assert {pairs.draw(i % 3, rng).relation for i in range(60)} == {FOLLOWS}


def test_a_passage_is_drawn_as_often_as_it_fills_inputs() -> None:
    pairs = Pairs(BERT, numbered([[3], [30] * 10], ["a", "b"]), 63, 0.15)
    assert (pairs.draws(0), pairs.draws(1)) == (1, 5)


def test_the_arrays_of_a_batch() -> None:
    made = numbered([[4] * 6, [5], [6] * 6], ["a", "b", "c"])
    pairs = Pairs(BERT, made, 40, 0.3)
    rng = np.random.default_rng(2)
    features = [pairs.draw(i, rng) for i in (0, 1, 2)]
    batch = collate_masked(features, pad_id=0)
    assert batch["input_ids"].shape[1] % 8 == 0
    assert batch["targets"][1, 0] == IGNORED
    for row, feature in enumerate(features):
        size = len(feature.masked)
        assert batch["masked"][row].tolist() == [
            *feature.masked.tolist(),
            *[-1] * (batch["masked"].shape[1] - size),
        ]
        assert batch["targets"][row, 1 : 1 + size].tolist() == feature.words.tolist()
        assert set(batch["targets"][row, 1 + size :].tolist()) <= {IGNORED}
        assert batch["attention_mask"][row].sum() == len(feature)
