from itertools import chain

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.tasks.tokens import join, tokenise
from app.tasks.windows import PairTemplate
from app.training.examples import QaExample, TextExample
from app.training.features import Crop, Feature, Features, batches, collate, place, token_span
from tests.helpers.small_models import small_tokenizer

BERT = small_tokenizer("bert")
TEMPLATE = PairTemplate.of(BERT)
CONTEXT = "The knave of hearts stole the tarts and took them away . " * 12
START = CONTEXT.index("tarts and took", 200)
EXAMPLE = QaExample("1", CONTEXT, "Who stole what?", (("tarts and took", START),))


def answer_of(feature: Feature) -> str:
    start, end = feature.targets
    return BERT.decode(feature.input_ids[start : end + 1].tolist())


@settings(max_examples=50, deadline=None)
@given(length=st.integers(24, 200), seed=st.integers(0, 1000))
def test_the_window_holds_the_answer(length: int, seed: int) -> None:
    feature = Features(BERT, length).of_question(EXAMPLE, np.random.default_rng(seed))
    assert len(feature) <= length
    assert answer_of(feature) == "tarts and took"
    question = BERT.encode(EXAMPLE.question, add_special_tokens=False).ids[: length // 4]
    assert feature.input_ids[1 : 1 + len(question)].tolist() == question
    assert feature.token_type_ids[feature.targets[0]] == 1


def test_a_window_elsewhere_is_unanswerable() -> None:
    features = Features(BERT, 32, elsewhere=1.0)
    for seed in range(20):
        feature = features.of_question(EXAMPLE, np.random.default_rng(seed))
        assert feature.targets == (0, 0)


def test_an_unanswerable_question_points_to_the_first_token() -> None:
    example = QaExample("1", CONTEXT, "Why?", ())
    for length in (32, 512):
        assert Features(BERT, length).of_question(example, np.random.default_rng(0)).targets == (0, 0)


def test_an_answer_longer_than_the_window_ends_beyond_it() -> None:
    example = QaExample("1", CONTEXT, "What?", ((CONTEXT.strip(), 0),))
    feature = Features(BERT, 32).of_question(example, np.random.default_rng(0))
    assert feature.targets[0] == TEMPLATE.context_at(2)
    assert feature.targets[1] >= len(feature)


def test_an_answer_without_tokens_is_ignored() -> None:
    example = QaExample("1", "the king   ", "What?", (("  ", 9),))
    feature = Features(BERT, 32).of_question(example, np.random.default_rng(0))
    assert feature.targets == (len(feature), len(feature))


def test_references_are_drawn() -> None:
    two = QaExample("1", "one two three", "Which?", (("one", 0), ("three", 8)))
    found = {
        answer_of(Features(BERT, 64).of_question(two, np.random.default_rng(seed))) for seed in range(20)
    }
    assert found == {"one", "three"}


def test_texts_are_cut_at_random_and_cropped() -> None:
    example = TextExample(CONTEXT, "good")
    features = Features(BERT, 64, Crop(1.0, 16))
    made = [features.of_text(example, ("bad", "good"), np.random.default_rng(seed)) for seed in range(10)]
    assert {len(f) for f in made} == {16} and {f.targets for f in made} == {(1,)}
    assert len({tuple(f.input_ids) for f in made}) > 1
    mixed = Features(BERT, 64, Crop(0.5, 16))
    lengths = {len(mixed.of_text(example, ("good",), np.random.default_rng(seed))) for seed in range(20)}
    assert lengths == {16, 64}


@settings(max_examples=100, deadline=None)
@given(text=st.text("ab é👩\u0301\n", max_size=40), data=st.data())
def test_the_token_span_covers_a_place(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    tokens = join(tokenise(BERT, text))
    span = token_span(tokens, start, end)
    touching = [i for i in range(len(tokens)) if tokens.ends[i] > start and tokens.starts[i] < end]
    assert span == ((touching[0], touching[-1]) if touching else None)


@settings(max_examples=200, deadline=None)
@given(
    size=st.integers(1, 200), room=st.integers(1, 60), data=st.data(), elsewhere=st.sampled_from([0.0, 0.5])
)
def test_places(size: int, room: int, data: st.DataObject, elsewhere: float) -> None:
    first = data.draw(st.integers(0, size - 1))
    last = data.draw(st.integers(first, size - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    at, inside = place(size, room, (first, last), rng, elsewhere)
    assert at >= 0 and (at + room <= size or size <= room)
    if inside:
        assert at <= first < at + room and (last < at + room or last - first >= room)
    else:
        assert last < at or first >= at + room


@given(
    lengths=st.lists(st.integers(1, 99), min_size=1, max_size=300),
    size=st.integers(1, 9),
    seed=st.integers(0, 9),
)
def test_every_example_is_in_one_batch(lengths: list[int], size: int, seed: int) -> None:
    made = batches(lengths, size, np.random.default_rng(seed), bucket=3)
    assert sorted(chain.from_iterable(made)) == list(range(len(lengths)))
    assert max(map(len, made)) <= size
    assert len(made) == -(-len(lengths) // size)
    assert made == batches(lengths, size, np.random.default_rng(seed), bucket=3)


def test_batches_hold_like_lengths() -> None:
    lengths = [i % 100 + 1 for i in range(1600)]
    made = batches(lengths, 8, np.random.default_rng(0), bucket=40)
    waste = sum(max(lengths[i] for i in b) * len(b) for b in made) / sum(lengths)
    assert waste < 1.1
    assert [len(b) for b in made[:3]] == [8, 8, 8] and made[0] != sorted(made[0])


def test_collate_pads_and_moves_what_is_ignored_out_of_the_batch() -> None:
    ids = np.arange(5, dtype=np.int64) + 7
    inside = Feature(ids, ids * 0 + 1, (1, 2))
    outside = Feature(ids[:3], ids[:3] * 0, (2, 3))
    arrays = collate([inside, outside], pad_id=99)
    assert arrays["input_ids"].tolist() == [[7, 8, 9, 10, 11, 99, 99, 99], [7, 8, 9, 99, 99, 99, 99, 99]]
    assert arrays["attention_mask"].sum(axis=1).tolist() == [5, 3]
    assert arrays["token_type_ids"].sum() == 5
    assert arrays["targets"].tolist() == [[1, 2], [2, 8]]
    classes = collate([Feature(ids[:1], ids[:1], (3,))], 0)
    assert classes["targets"].tolist() == [[3]]
