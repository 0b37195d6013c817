import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, processors

from app.core.errors import SpanlightError
from app.core.models import TOKENS_PER_CHARACTER
from app.tasks.text import windows as windows_module
from app.tasks.text.tokens import Tokens, join, tokenise
from app.tasks.text.windows import (
    TITLE_TOKENS,
    PairTemplate,
    estimate_windows,
    pad,
    single_windows,
    windows,
)
from tests.helpers.small_models import FAMILIES, ODD_PIECES, small_tokenizer

TOKENIZERS = {family: small_tokenizer(family) for family in FAMILIES}
BERT = TOKENIZERS["bert"]
TEMPLATE = PairTemplate.of(BERT)

texts = st.lists(st.sampled_from(ODD_PIECES), max_size=60).map(" ".join) | st.text(max_size=120)


def numbered(count: int, breaks: frozenset[int] = frozenset(), gap: str = " ") -> tuple[str, Tokens]:
    """A text of `count` one-letter words, with a paragraph bound after those in `breaks`, and its tokens."""
    text, places = "", []
    for i in range(count):
        places.append(len(text))
        text += "a" + ("\n\n" if i in breaks else gap)
    starts = np.array(places, dtype=np.int32)
    return text, Tokens(np.arange(count, dtype=np.int32), starts, starts + 1)


@pytest.mark.parametrize("family", FAMILIES)
@given(text=texts)
def test_pieces_have_the_tokens_of_the_whole_text(family: str, text: str) -> None:
    tokenizer = TOKENIZERS[family]
    whole, pieces = join(tokenise(tokenizer, text)), list(tokenise(tokenizer, text, chunk=40))
    for tokens in (whole, join(pieces)):
        assert (tokens.starts >= 0).all() and (tokens.ends <= len(text)).all()
        assert (tokens.starts <= tokens.ends).all()
        for start, end in zip(tokens.starts, tokens.ends, strict=True):
            assert text[start:end] == text[start:end].strip()
    # What is not blank stands in the same tokens however the text was cut, unless no blank allowed a cut.
    if family in ("bert", "distilbert") and max(map(len, text.split() or [""])) < 20:
        assert whole.ids.tolist() == join(pieces).ids.tolist()
        assert whole.starts.tolist() == join(pieces).starts.tolist()
        assert whole.ends.tolist() == join(pieces).ends.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_special_tokens_name_in_a_text_is_only_words(family: str) -> None:
    tokenizer = small_tokenizer(family)
    special = {id for id, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    names = [tokenizer.id_to_token(id) for id in sorted(special)]
    tokens = join(tokenise(tokenizer, f"The words {' and '.join(names)} stand here."))
    unknown = {tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")}
    assert len(tokens) and not special & (set(tokens.ids.tolist()) - unknown)


def test_offsets_give_the_words_back() -> None:
    text = "The king \r\n stole 👩‍👩‍👧 tarts.\n\n" * 40
    tokens = join(tokenise(BERT, text, chunk=100))
    found = [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)]
    assert found[:3] == ["The", "king", "stole"] and found.count("tarts") == 40


@pytest.mark.parametrize("family", FAMILIES)
def test_the_template_is_the_post_processors(family: str) -> None:
    tokenizer = TOKENIZERS[family]
    template = PairTemplate.of(tokenizer)
    question, context = "who stole the tarts?", "the knave of hearts"
    asked = tokenizer.encode(question, add_special_tokens=False).ids
    read = tokenizer.encode(context, add_special_tokens=False).ids
    ids, types = template.pair(asked, read)
    both = tokenizer.encode(question, context)
    assert ids.tolist() == both.ids and types.tolist() == both.type_ids
    assert len(both.ids) == len(asked) + len(read) + template.pair_overhead
    at = template.context_at(len(asked))
    assert ids[at : at + len(read)].tolist() == read
    ids, types = template.single(read)
    assert (ids.tolist(), types.tolist()) == (
        tokenizer.encode(context).ids,
        tokenizer.encode(context).type_ids,
    )
    assert len(ids) == len(read) + template.single_overhead


@given(
    count=st.integers(0, 400),
    asked=st.integers(0, 30),
    length=st.integers(20, 90),
    stride=st.integers(0, 100),
    breaks=st.frozensets(st.integers(0, 400), max_size=40),
    pieces=st.integers(1, 7),
)
def test_every_token_is_scored_once_with_the_most_context(
    count: int, asked: int, length: int, stride: int, breaks: frozenset[int], pieces: int
) -> None:
    text, tokens = numbered(count, breaks)
    cuts = np.linspace(0, count, pieces + 1).astype(int)
    chunks = [
        Tokens(tokens.ids[a:b], tokens.starts[a:b], tokens.ends[a:b]) for a, b in pairwise(cuts.tolist())
    ]
    made = list(windows(TEMPLATE, list(range(asked)), chunks, text, length=length, stride=stride))
    scored: Counter[int] = Counter()
    context: dict[int, list[tuple[int, bool]]] = {}
    for window in made:
        size = len(window.starts)
        assert len(window) <= length and size == len(window.ends) == len(window.scored)
        assert window.input_ids[window.context_at : window.context_at + size].tolist() == list(
            range(window.first, window.first + size)
        )
        assert window.starts.tolist() == tokens.starts[window.first : window.first + size].tolist()
        for i in range(size):
            number = window.first + i
            scored[number] += int(window.scored[i])
            context.setdefault(number, []).append((min(i, size - 1 - i), bool(window.scored[i])))
    assert scored == Counter(range(count))
    for seen in context.values():
        assert max(around for around, _ in seen) == next(around for around, wins in seen if wins)
    assert [w.first for w in made] == sorted(w.first for w in made)
    whole = windows(TEMPLATE, list(range(asked)), [tokens], text, length=length, stride=stride)
    assert [w.input_ids.tolist() for w in whole] == [w.input_ids.tolist() for w in made]


@given(
    st.integers(50, 300),
    st.frozensets(st.integers(0, 300), max_size=60),
    st.integers(20, 60),
    st.integers(0, 60),
)
def test_the_next_window_begins_at_the_first_line_in_half_of_what_they_share(
    count: int, breaks: frozenset[int], room: int, stride: int
) -> None:
    text, tokens = numbered(count, breaks)
    made = list(
        single_windows(TEMPLATE, [tokens], text, length=room + TEMPLATE.single_overhead, stride=stride)
    )
    shared = min(stride, room * 3 // 8)
    for last, window in pairwise(made):
        end = last.first + len(last.starts)
        possible = range(end - shared, end - shared // 2 + 1)
        assert window.first == next((at for at in possible if at - 1 in breaks), possible[0])


@given(
    st.integers(1, 300),
    st.lists(st.integers(0, TITLE_TOKENS), min_size=600, max_size=600),
    st.integers(0, 20),
)
def test_what_stands_before_a_window_shifts_its_context(count: int, sizes: list[int], asked: int) -> None:
    text, tokens = numbered(count)
    question = list(range(asked))

    def title_at(point: int) -> np.ndarray:
        return np.full(sizes[point], 1000 + point)

    made = list(windows(TEMPLATE, question, [tokens], text, length=80, stride=16, title_at=title_at))
    scored = []
    for window in made:
        point, here = int(window.starts[0]), slice(window.context_at, window.context_at + len(window.starts))
        title = [1000 + point] * sizes[point]
        ids, types = TEMPLATE.pair(
            question, [*title, *range(window.first, window.first + len(window.starts))]
        )
        assert window.input_ids.tolist() == ids.tolist()
        assert window.token_type_ids.tolist() == types.tolist()
        assert window.context_at == TEMPLATE.context_at(asked) + len(title)
        assert window.input_ids[here].tolist() == list(range(count))[window.first :][: len(window.starts)]
        assert len(window) <= 80
        scored += window.starts[window.scored].tolist()
    assert scored == tokens.starts.tolist()


def test_a_window_is_handed_out_before_the_text_is_tokenised_to_its_end() -> None:
    text, tokens = numbered(10_000)
    taken = []

    def chunks():
        for start in range(0, 10_000, 100):
            taken.append(start)
            yield Tokens(
                tokens.ids[start : start + 100],
                tokens.starts[start : start + 100],
                tokens.ends[start : start + 100],
            )

    next(windows(TEMPLATE, [1], chunks(), text, length=100, stride=20))
    assert len(taken) <= 4


def test_a_long_question_is_cut_to_a_quarter() -> None:
    text, tokens = numbered(50)
    made = list(windows(TEMPLATE, list(range(1000, 1100)), [tokens], text, length=64))
    assert all(len(w) <= 64 for w in made)
    assert made[0].context_at == TEMPLATE.context_at(16)


def test_a_text_without_tokens_has_no_windows() -> None:
    assert list(windows(TEMPLATE, [1], tokenise(BERT, " \n "), " \n ")) == []
    assert list(single_windows(TEMPLATE, tokenise(BERT, ""), "")) == []


def test_a_window_without_room_is_a_bug() -> None:
    text, tokens = numbered(10)
    with pytest.raises(SpanlightError, match="too short"):
        list(windows(TEMPLATE, [1], [tokens], text, length=9))


def test_padding() -> None:
    text, tokens = numbered(30)
    made = list(windows(TEMPLATE, [3], [tokens], text, length=24, stride=4))
    arrays = pad(made, 99)
    longest = max(map(len, made))
    for name, filler in (("input_ids", 99), ("attention_mask", 0), ("token_type_ids", 0)):
        assert arrays[name].shape == (len(made), longest) and arrays[name].dtype == np.int64
        for row, window in zip(arrays[name], made, strict=True):
            assert (row[len(window) :] == filler).all()
    assert arrays["attention_mask"].sum() == sum(map(len, made))


@given(count=st.integers(1, 3000), length=st.integers(40, 200))
def test_the_estimate_is_near(count: int, length: int) -> None:
    text, tokens = numbered(count)
    made = len(list(single_windows(TEMPLATE, [tokens], text, length=length + 2, stride=length // 4)))
    assert abs(estimate_windows(round(count / TOKENS_PER_CHARACTER), length, length // 4) - made) <= 1


def test_a_tokenizer_that_sets_too_much_around_a_pair_is_refused() -> None:
    tokenizer = small_tokenizer("bert")
    special = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    pair = f"[CLS] $A {'[SEP] ' * 9}$B [SEP]"
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", pair, special)
    with pytest.raises(SpanlightError, match="tokenizer does not set"):
        PairTemplate.of(tokenizer)


def test_a_tokenizer_that_knows_nothing_is_refused() -> None:
    with pytest.raises(SpanlightError, match="tokenizer does not set"):
        PairTemplate.of(Tokenizer(models.BPE({}, [])))


def size_token_by_token(text: str, tokens: Tokens, capacity: int) -> int:
    """Where a window ends, found by looking between all tokens of its last quarter."""
    line = 0
    for size in range(capacity, capacity - capacity // 4, -1):
        gap = text[tokens.ends[size - 1] : tokens.starts[size]]
        if "\n" in gap:
            if re.search(r"\n[^\S\n]*\n", gap):
                return size
            line = line or size
    return line or capacity


@given(
    st.lists(st.sampled_from(["king", "Queen", " ", "\n", "\n\n", "\n \n", "\t", "👩", "e\u0301", "日本"]), min_size=20)
    .map("".join),
    st.sampled_from(["bert", "roberta", "mpnet", "deberta-v2"]),
    st.data(),
)  # fmt: skip
def test_a_window_ends_where_looking_token_by_token_has_it_end(
    text: str, family: str, data: st.DataObject
) -> None:
    tokens = join(tokenise(TOKENIZERS[family], text))
    if len(tokens) > 8:
        capacity = data.draw(st.integers(8, len(tokens) - 1))
        assert windows_module._window_size(text, tokens, capacity) == size_token_by_token(
            text, tokens, capacity
        )
