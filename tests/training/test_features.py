import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import View
from app.tasks.text.tokens import Tokens, join, tokenise, tokenise_view
from app.tasks.text.windows import TITLE_TOKENS, PairTemplate
from app.training.examples import QaExample, TextExample, read_qa_strictly
from app.training.features import (
    Feature,
    Features,
    batches,
    collate,
    line_start,
    token_span,
    window_start,
)
from tests.helpers.small_models import WORDS, small_tokenizer

BERT = small_tokenizer("bert")
TEMPLATE = PairTemplate.of(BERT)
CONTEXT = "The knave of hearts stole the tarts and took them away . " * 12
START = CONTEXT.index("tarts and took", 200)
EXAMPLE = QaExample("1", CONTEXT, "Who stole what?", (("tarts and took", START),))

# A text of tokens that are all different: the reference in its middle, what is asked for in two places far from it.
_ASKED = ("who", "stole", "the", "tarts")
_WORDS = [word for word in dict.fromkeys(WORDS) if word not in (*_ASKED, "film")]
for _at, _word in ((40, "stole"), (88, "film"), (135, "tarts")):
    _WORDS.insert(_at, _word)
LONG = QaExample("1", " ".join(_WORDS), "who stole the tarts", (("film", " ".join(_WORDS).index("film")),))


def context_of(feature: Feature) -> list[int]:
    """The ids of the window that a question on `LONG` is asked of, with the title before it."""
    return feature.input_ids[TEMPLATE.context_at(len(_ASKED)) : -1].tolist()


def answer_of(feature: Feature) -> str:
    start, end = feature.targets
    return BERT.decode(feature.input_ids[start : end + 1].tolist())


@given(length=st.integers(24, 200), seed=st.integers(0, 1000))
def test_the_window_holds_the_answer(length: int, seed: int) -> None:
    feature = Features(BERT, length).of_question(EXAMPLE, np.random.default_rng(seed))
    assert len(feature) <= length
    assert answer_of(feature) == "tarts and took"
    question = BERT.encode(EXAMPLE.question, add_special_tokens=False).ids[: length // 4]
    assert feature.input_ids[1 : 1 + len(question)].tolist() == question
    assert feature.token_type_ids[feature.targets[0]] == 1


def test_a_distractor_is_unanswerable_and_shares_words_with_the_question() -> None:
    features = Features(BERT, 48, elsewhere=1.0)
    found = [features.of_question(LONG, np.random.default_rng(seed)) for seed in range(30)]
    assert all(f.targets == (0, 0) and len(f) <= 48 for f in found)
    words = [BERT.decode(context_of(f)).split() for f in found]
    assert not any("film" in each for each in words)
    assert all("stole" in each or "tarts" in each for each in words)
    assert {"stole" in each for each in words} == {True, False}
    features = Features(BERT, 48, elsewhere=0.5)
    made = [features.of_question(LONG, np.random.default_rng(seed)) for seed in range(60)]
    assert 15 < sum(f.targets == (0, 0) for f in made) < 45
    assert all(answer_of(f) == "film" for f in made if f.targets != (0, 0))


def test_where_every_window_holds_the_answer_there_is_no_distractor() -> None:
    example = replace(EXAMPLE, answers=(("the", CONTEXT.index("the tarts", 200)),))
    features = Features(BERT, 32, elsewhere=1.0, beside=1.0)
    for seed in range(20):
        feature = features.of_question(example, np.random.default_rng(seed))
        assert answer_of(feature) == "the" and feature.paired is None


@given(length=st.integers(48, 70), seed=st.integers(0, 1000), answered=st.booleans())
def test_a_paired_window_holds_no_answer(length: int, seed: int, answered: bool) -> None:
    example = LONG if answered else replace(LONG, answers=())
    feature = Features(BERT, length, beside=1.0).of_question(example, np.random.default_rng(seed))
    beside = feature.paired
    assert beside is not None and beside.targets == (0, 0) and beside.paired is None
    assert max(len(feature), len(beside)) <= length
    if answered:
        assert answer_of(feature) == "film"
        assert "film" not in BERT.decode(context_of(beside)).split()
    else:
        assert feature.targets == (0, 0)
    begin = TEMPLATE.context_at(len(_ASKED))
    assert feature.input_ids[:begin].tolist() == beside.input_ids[:begin].tolist()
    room = length - TEMPLATE.pair_overhead - len(_ASKED)
    assert len(set(context_of(feature)) & set(context_of(beside))) <= room // 2


def test_a_context_that_fits_has_no_paired_window() -> None:
    feature = Features(BERT, 512, elsewhere=1.0, beside=1.0).of_question(LONG, np.random.default_rng(0))
    assert feature.paired is None and answer_of(feature) == "film"


COLON = BERT.token_to_id(":")


@pytest.mark.parametrize(
    ("title", "headings", "told"),
    [
        ("The_Knave of hearts", (), {"The Knave of hearts:"}),
        ("", (), {""}),
        (
            "film",
            ((0, "The old world"), (LONG.context.index("film") - 30, "The king")),
            {"The old world:", "The king:"},
        ),
        ("the war " * 40, (), {"war " + "the war " * (TITLE_TOKENS // 2 - 1) + ":"}),
    ],
    ids=["title", "none", "headings", "long"],
)
def test_a_title_before_the_window_shifts_the_targets(
    title: str, headings: tuple[tuple[int, str], ...], told: set[str]
) -> None:
    example = replace(LONG, title=title, view=View(headings=headings) if headings else None)
    features = Features(BERT, 64, beside=1.0, titled=1.0)
    seen = set()
    for seed in range(30):
        feature = features.of_question(example, np.random.default_rng(seed))
        assert answer_of(feature) == "film"
        for window in (feature, feature.paired):
            assert window is not None and len(window) <= 64
            ids = context_of(window)
            begin = ids.index(COLON) + 1 if COLON in ids else 0
            at = LONG.context.index(f" {BERT.id_to_token(ids[begin])} ") if begin < len(ids) else 0
            words = next(
                each for each in told if BERT.encode(each, add_special_tokens=False).ids == ids[:begin]
            )
            if headings:
                assert words == ("The king:" if at + 1 >= headings[1][0] else "The old world:")
            seen.add(words)
    assert seen == told
    mixed = Features(BERT, 64, titled=0.5)
    begun = {
        COLON in context_of(mixed.of_question(example, np.random.default_rng(seed))) for seed in range(20)
    }
    assert begun == {False, told != {""}}


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
    features = Features(BERT, 64, crop=1.0, crop_length=16)
    made = [features.of_text(example, ("bad", "good"), np.random.default_rng(seed)) for seed in range(10)]
    assert {len(f) for f in made} == {16} and {f.targets for f in made} == {(1,)}
    assert len({tuple(f.input_ids) for f in made}) > 1
    mixed = Features(BERT, 64, crop=0.5, crop_length=16)
    lengths = {len(mixed.of_text(example, ("good",), np.random.default_rng(seed))) for seed in range(20)}
    assert lengths == {16, 64}


@given(text=st.text("ab é👩\u0301\n", max_size=40), data=st.data())
def test_the_token_span_covers_the_code_points(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    tokens = join(tokenise(BERT, text))
    span = token_span(tokens, start, end)
    touching = [i for i in range(len(tokens)) if tokens.ends[i] > start and tokens.starts[i] < end]
    assert span == ((touching[0], touching[-1]) if touching else None)


CELLS = st.lists(
    st.sampled_from(["king", "queen", "12", "$3.50", "a-b", "(war)", "wonderfully", "é"]), max_size=3
)


@st.composite
def tables(draw: st.DrawFn) -> dict:
    """A question's row with a table, of which one cell's words are the reference."""
    width = draw(st.integers(1, 4))
    words = draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6))
    filled = [(row, column) for row, cells in enumerate(words) for column, cell in enumerate(cells) if cell]
    answers = []
    if filled:
        row, column = draw(st.sampled_from(filled))
        cell = words[row][column]
        first = draw(st.integers(0, len(cell) - 1))
        said = " ".join(cell[first : draw(st.integers(first, len(cell) - 1)) + 1])
        start = len(" ".join([*cell[:first], ""]))
        answers = [{"text": said, "row": row, "column": column, "start": start}]
    return {
        "id": "1",
        "question": "who took the tarts",
        "table": [[" ".join(cell) for cell in cells] for cells in words],
        "header_rows": draw(st.integers(0, 2)),
        "answers": answers,
    }


@given(row=tables(), family=st.sampled_from(["bert", "roberta", "mpnet", "albert"]), data=st.data())
def test_words_that_a_view_adds_are_never_a_target(row: dict, family: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_text(json.dumps(row), encoding="utf-8")
        (example,) = read_qa_strictly(path)
    assert example.view is not None
    tokenizer = small_tokenizer(family)
    tokens, said = tokenise_view(tokenizer, example.context, example.view.replacements)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    feature = Features(tokenizer, data.draw(st.integers(64, 300))).of_question(example, rng)
    if not row["answers"]:
        assert feature.targets == (0, 0)
        return
    reference, start = example.answers[0]
    span = token_span(tokens, start, start + len(reference))
    assert span is not None and not said[span[0] : span[1] + 1].any()
    assert example.context[tokens.starts[span[0]] : tokens.ends[span[1]]] == reference
    first, last = feature.targets
    assert 0 < first <= last < len(feature)
    assert feature.input_ids[first : last + 1].tolist() == tokens.ids[span[0] : span[1] + 1].tolist()


def test_cells_are_read_with_their_headers(tmp_path: Path) -> None:
    row = {
        "id": "1",
        "question": "who",
        "table": [["man", "book", "year"], ["king", "war", "1"], ["queen", "", "2"]],
        "header_rows": 1,
        "answers": [{"text": "war", "row": 1, "column": 1, "start": 0}],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (example,) = read_qa_strictly(tmp_path / "a.jsonl")
    feature = Features(BERT, 128).of_question(example, np.random.default_rng(0))
    told = BERT.decode(feature.input_ids.tolist(), skip_special_tokens=True).replace(" :", ":")
    assert "man: king" in told and "book: war" in told and "man: queen" in told and "year: 2" in told
    assert answer_of(feature) == "war"


def test_a_span_between_added_words_has_only_its_own_tokens() -> None:
    # Without width stand the 1st, 3rd and 6th token: before, between and behind three words.
    tokens = Tokens(
        *(np.array(each, dtype=np.int32) for each in (range(6), (0, 0, 4, 4, 7, 9), (0, 4, 4, 6, 9, 9)))
    )
    assert token_span(tokens, 0, 4) == (1, 1)
    assert token_span(tokens, 4, 6) == (3, 3)
    assert token_span(tokens, 7, 9) == (4, 4)
    assert token_span(tokens, 0, 9) == (1, 4)
    assert token_span(tokens, 4, 4) is None


@given(size=st.integers(1, 200), room=st.integers(1, 60), data=st.data())
def test_a_drawn_window_holds_the_target(size: int, room: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, size - 1))
    last = data.draw(st.integers(first, size - 1))
    at = window_start(size, room, (first, last), np.random.default_rng(data.draw(st.integers(0, 99))))
    assert at >= 0 and (at + room <= size or size <= room)
    assert at <= first < at + room and (last < at + room or last - first >= room)


@given(
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=20),
    room=st.integers(1, 24),
    data=st.data(),
)
def test_a_window_begins_with_a_line_where_that_is_near(
    lengths: list[int], room: int, data: st.DataObject
) -> None:
    text = "\n".join(" ".join(["king"] * length) for length in [*lengths, 1])
    tokens = join(tokenise(BERT, text))
    first = data.draw(st.integers(0, len(tokens) - 1))
    # A window of so many tokens from the first on holds the target, perhaps just so.
    last = data.draw(st.none() | st.integers(0, room - 1).map(lambda back: first + room - 1 - back))
    last = None if last is None or last >= len(tokens) else last
    at = line_start(text, tokens, first, room, None if last is None else (first, last))
    lines = [text.count("\n", 0, int(start)) for start in tokens.starts]
    begin = lines.index(lines[first])
    near = first - begin <= room // 4 and (last is None or last < begin + room)
    assert at == (begin if near else first)


def test_windows_of_lines_begin_with_a_line() -> None:
    words = LONG.context.split()
    lined = "\n".join(" ".join(words[at : at + 6]) for at in range(0, len(words), 6))
    starts = {words[at] for at in range(0, len(words), 6)}
    example = replace(LONG, context=lined, answers=())
    for seed in range(20):
        feature = Features(BERT, 48, beside=1.0).of_question(example, np.random.default_rng(seed))
        for window in (feature, feature.paired):
            assert window is not None and BERT.id_to_token(context_of(window)[0]) in starts


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


def test_collate_pads_and_moves_ignored_targets_out_of_the_batch() -> None:
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


def test_collate_puts_each_paired_window_after_its_partner() -> None:
    ids = np.arange(5, dtype=np.int64) + 7
    away = Feature(ids[:4], ids[:4] * 0, (0, 0))
    alone = Feature(ids[:2], ids[:2] * 0, (2, 2))
    pair = Feature(ids, ids * 0, (1, 2), paired=away)
    arrays = collate([pair, alone, replace(pair, targets=(3, 6))], pad_id=99)
    assert arrays["input_ids"].shape == (5, 8)
    assert arrays["attention_mask"].sum(axis=1).tolist() == [5, 4, 2, 5, 4]
    assert arrays["targets"].tolist() == [[1, 2, 0], [0, 0, 0], [8, 8, 1], [3, 8, 2], [0, 0, 2]]
    assert arrays["pairs"].tolist() == [0, 0, 1, 2, 2]
    assert collate([alone, away], pad_id=99)["targets"].tolist() == [[8, 8], [0, 0]]


@pytest.mark.parametrize("length", [48, 512])
def test_an_unlabelled_input_is_another_window_or_another_text(length: int) -> None:
    other = replace(EXAMPLE, context="The queen made some tarts", answers=(("The queen", 0),))
    features = Features(BERT, length, beside=1.0)
    made = [features.of_unlabelled(LONG, other, np.random.default_rng(seed)) for seed in range(20)]
    assert all(f.targets == (len(f), len(f)) and f.paired is None and len(f) <= length for f in made)
    assert all(BERT.decode(f.input_ids[1 : 1 + len(_ASKED)].tolist()) == LONG.question for f in made)
    texts = {BERT.decode(context_of(f)) for f in made}
    if length == 48:
        assert len(texts) > 1 and all(text in LONG.context for text in texts)
    else:
        assert texts == {"the queen made some tarts"}
