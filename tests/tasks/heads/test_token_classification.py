"""Tagging texts: places, joining of pieces, windows, partial results; tag schemes, and the names that tags mark."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.report import Silent, Stopped
from app.core.requests import PieceAggregation, TextsToTag
from app.core.results import Tagged, TaggedTexts, TaggedWord, TaggedWords
from app.core.text import Span
from app.tasks.heads.token_classification import TagScheme, aggregate, tag, tokens_by_word
from app.tasks.task import ReadyModel
from app.tasks.text.words import words
from tests.helpers.fake_models import Noted, TagModel, tagger

BIO = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
FAMILIES = ("bert", "roberta", "albert", "deberta-v2")
PARTS = (
    "alice", "the ", "king", " ", "\n\n", "\r\n", "\t", "\0", "\xad", "é", "e\u0301", "👩\u200d👧", "שלום", "\u200f",
    "北京", "🇫🇷", "'s", ".", "-", "&", ",", "\ufeff", "\ud800", "U.S. ",
)  # fmt: skip
ODD = (
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=40).map("".join) | st.text(min_size=1, max_size=80)
).filter(str.strip)


def one(model: ReadyModel, text: str, aggregation: PieceAggregation = PieceAggregation.FIRST) -> Tagged:
    (item,) = tag(TextsToTag((text,), aggregation), model, Silent()).items
    return item


def teach(model: ReadyModel, **labels: int) -> None:
    """Have the fake model tag words, nothing else, each by its label's index."""
    fake = model.forward
    assert isinstance(fake, TagModel)
    fake.table[:] = 0
    fake.table[:, 0] = 5
    for word, label in labels.items():
        row = model.tokenizer.token_to_id(word)
        fake.table[row] = 0
        fake.table[row, label] = 9


def test_names_are_places_of_the_text_with_type_and_probability() -> None:
    model = tagger(BIO)
    teach(model, alice=1, queen=1, hearts=2, paris=3)
    text = "Alice met the Queen   Hearts, 👩‍👧 in\r\n Paris!"
    item = one(model, text)
    assert [(e.text, e.label) for e in item.entities] == [
        ("Alice", "PER"),
        ("Queen   Hearts", "PER"),
        ("Paris", "LOC"),
    ]
    assert all(e.span.of(text) == e.text for e in item.entities)
    sure = np.exp(9) / (np.exp(9) + 4)
    assert item.entities[1].probability == pytest.approx(sure)
    assert [
        word.span.of(text) for word in item.words
    ] == "Alice|met|the|Queen|Hearts|,|👩‍👧|in|Paris|!".split("|")
    assert [word.tag for word in item.words][:5] == ["B-PER", "O", "O", "B-PER", "I-PER"]
    assert item.words[0] == TaggedWord(Span(0, 5), "B-PER", pytest.approx(sure))
    assert item.windows == 1


def test_pieces_are_joined_in_three_ways() -> None:
    model = tagger(("O", "PER", "LOC"))
    fake = model.forward
    assert isinstance(fake, TagModel)
    shares = {"q": (0.2, 0.7, 0.1), "##x": (0.3, 0.1, 0.6), "##z": (0.02, 0.18, 0.8)}
    for piece, share in shares.items():
        fake.table[model.tokenizer.token_to_id(piece)] = np.log(share)
    (word,) = one(model, "qxz").words
    assert (word.tag, word.probability, len(word.span)) == ("PER", pytest.approx(0.7), 3)
    (word,) = one(model, "qxz", PieceAggregation.AVERAGE).words
    assert (word.tag, word.probability) == ("LOC", pytest.approx(0.5, abs=1e-6))
    (word,) = one(model, "qxz", PieceAggregation.MAX).words
    assert (word.tag, word.probability) == ("LOC", pytest.approx(0.8, abs=1e-6))


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=12),
    st.integers(0, 99),
    st.sampled_from(PieceAggregation),
)
def test_joining_is_what_it_says_for_every_word(
    counts: list[int], seed: int, aggregation: PieceAggregation
) -> None:
    shares = np.random.default_rng(seed).dirichlet(np.ones(3), sum(counts)).round(1)
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    for row, first, count in zip(aggregate(shares, firsts, aggregation), firsts, counts, strict=True):
        own = shares[first : first + count]
        expected = {
            PieceAggregation.FIRST: own[0],
            PieceAggregation.AVERAGE: own.mean(axis=0),
            PieceAggregation.MAX: own[int(own.max(axis=1).argmax())],
        }[aggregation]
        assert row == pytest.approx(expected)


def test_words_that_share_a_token_are_one_and_those_without_are_none() -> None:
    text = "ab. cd ef g"
    starts, ends = np.array([0, 2, 7]), np.array([2, 6, 9])  # "ab", ". cd", "ef"; nothing for "g"
    groups = tokens_by_word(text, *words(text), starts, ends)
    assert [text[a:b] for a, b in zip(groups.starts, groups.ends, strict=True)] == ["ab", ". cd", "ef"]
    assert groups.firsts.tolist() == [0, 1, 2]
    # The lone blank piece of SentencePiece belongs to the word behind it; a line end does not.
    for blank, tokens in ((" ", [0, 1, 2]), ("\n", [0, 2])):
        groups = tokens_by_word(f"a{blank}b", *words("a b"), np.array([0, 2, 2]), np.array([1, 2, 3]))
        assert groups.tokens.tolist() == tokens


@pytest.mark.parametrize("family", FAMILIES)
@given(ODD, st.sampled_from(PieceAggregation))
def test_every_name_and_word_is_a_place_of_whatever_text(
    family: str, text: str, aggregation: PieceAggregation
) -> None:
    item = one(MODELS[family], text, aggregation)
    for places in ([e.span for e in item.entities], [w.span for w in item.words]):
        assert all(place.end <= behind.start for place, behind in pairwise(places))
        assert all(place.start < place.end <= len(text) for place in places)
    for entity in item.entities:
        assert entity.text == entity.span.of(text) == entity.text.strip(" \n\t\r\0")
        assert 0 < entity.probability <= 1
        inside = [w for w in item.words if w.span.overlaps(entity.span)]
        assert (inside[0].span.start, inside[-1].span.end) == (entity.span.start, entity.span.end)
        assert entity.probability == pytest.approx(np.mean([w.probability for w in inside]))
    assert all(w.tag in BIO for w in item.words)


MODELS = {family: tagger(BIO, family, window=24) for family in FAMILIES}


def test_a_long_text_is_tagged_as_each_token_where_it_has_most_context() -> None:
    """With a model that looks one token to each side, windows must not show."""
    near, whole = tagger(BIO, reach=0.5, window=40), tagger(BIO, reach=0.5, window=100_000)
    text = "Alice saw the king, the queen of hearts and her knave in Paris.\n\n" * 60
    windowed, at_once = one(near, text), one(whole, text)
    assert windowed.windows > 50 and at_once.windows == 1
    assert [w.tag for w in windowed.words] == [w.tag for w in at_once.words]
    assert [e.span for e in windowed.entities] == [e.span for e in at_once.entities]
    assert [w.probability for w in windowed.words] == pytest.approx([w.probability for w in at_once.words])


def test_one_long_text_hands_its_names_over_as_they_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tasks.batches.Pace.due", lambda self: True)
    noted = Noted()
    model = tagger(BIO)
    text = "Alice met the king in Paris. \n" * 900
    result = tag(TextsToTag((text,)), model, noted)
    assert (noted.told[-1].done, noted.told[-1].what) == (result.items[0].windows, "windows")
    assert result.labels == ("PER", "LOC")
    partials = [p for p in noted.partials if isinstance(p, TaggedTexts)]
    assert len(partials) > 5
    numbers = [len(p.items[0].entities) for p in partials]
    assert numbers == sorted(numbers)
    for partial in partials:
        (item,) = partial.items
        assert not partial.complete and len(item.words) == 0
        # The last one may go on in what was not read yet.
        assert item.entities[:-1] == result.items[0].entities[: len(item.entities) - 1]
    assert sum(numbers) < 6 * len(result.items[0].entities)


def test_tagging_stops_and_refuses_what_is_empty() -> None:
    model = tagger(BIO)
    with pytest.raises(Stopped):
        tag(TextsToTag(("alice",) * 500), model, Noted(stop_at=70))
    with pytest.raises(SpanlightError, match="Text 2 of 2 is empty"):
        tag(TextsToTag(("a", " \n")), model, Silent())
    with pytest.raises(SpanlightError, match="no text to look for names in"):
        tag(TextsToTag(()), model, Silent())


def test_a_text_of_which_the_tokenizer_knows_nothing_has_no_names() -> None:
    item = one(tagger(BIO), "\u200b\x01")
    assert (item.entities, len(item.words), item.windows) == ((), 0, 1)


def test_values_that_are_no_numbers_are_a_fault_of_the_model() -> None:
    model = tagger(BIO)
    broken = replace(
        model, forward=lambda arrays: {"logits": np.full((*arrays["input_ids"].shape, 5), np.nan)}
    )
    with pytest.raises(SpanlightError, match="not numbers"):
        one(broken, "alice")


def test_tagged_words_are_a_sequence_that_crosses_processes_small() -> None:
    several = TaggedWords(BIO, range(0, 20_000, 2), range(1, 20_000, 2), [1] * 10_000, [0.5] * 10_000)
    sent = pickle.dumps(several)
    assert len(sent) < 211_000
    again = pickle.loads(sent)
    assert again == several and len(again) == 10_000
    assert again[-1] == TaggedWord(Span(19_998, 19_999), "B-PER", 0.5)
    assert again[1:3] == (again[1], again[2]) == tuple(again)[1:3]
    assert again != again[1:]
    with pytest.raises(IndexError):
        again[10_000]


# Tag schemes

SCHEMES = {
    "BIO": "O B-PER I-PER B-LOC I-LOC",
    "IOB1": "I-LOC O I-PER B-PER B-LOC",
    "BIOES": "O B-PER I-PER E-PER S-PER B-LOC I-LOC E-LOC S-LOC",
    "BILOU": "B-PER I-PER L-PER U-PER B-LOC I-LOC L-LOC U-LOC O",
    "BMES": "B_PER M_PER E_PER S_PER O B_LOC M_LOC E_LOC S_LOC",
    "IO": "PER LOC O",
}


def found(labels: str, tags: str, text: str = "") -> list[str]:
    """Names as "first-last type", the words of `text` or as many letters as there are tags."""
    known = labels.split()
    rows = text.split(" ") if text else ["w"] * len(tags.split())
    starts = np.cumsum([0] + [len(row) + 1 for row in rows])[:-1]
    ends = starts + [len(row) for row in rows]
    indices = np.array([known.index(tag) for tag in tags.split()], dtype=np.int64)
    names = TagScheme.of(known).names(indices, text or " ".join(rows), starts, ends)
    return [f"{first}-{end - 1} {kind}" for first, end, kind in names]


@pytest.mark.parametrize(
    ("scheme", "tags", "names"),
    [
        ("BIO", "B-PER I-PER O B-LOC B-LOC", ["0-1 PER", "3-3 LOC", "4-4 LOC"]),
        ("BIO", "I-PER I-PER O I-LOC I-PER", ["0-1 PER", "3-3 LOC", "4-4 PER"]),
        ("BIO", "B-PER I-LOC I-LOC", ["0-0 PER", "1-2 LOC"]),
        ("IOB1", "I-PER I-PER B-PER I-PER O I-LOC", ["0-1 PER", "2-3 PER", "5-5 LOC"]),
        ("BIOES", "B-PER I-PER E-PER S-PER S-LOC", ["0-2 PER", "3-3 PER", "4-4 LOC"]),
        ("BIOES", "E-PER I-PER E-PER I-PER", ["0-0 PER", "1-2 PER", "3-3 PER"]),
        ("BILOU", "B-LOC L-LOC U-LOC I-PER L-PER", ["0-1 LOC", "2-2 LOC", "3-4 PER"]),
        ("BMES", "B_LOC M_LOC E_LOC S_PER", ["0-2 LOC", "3-3 PER"]),
        ("IO", "PER PER LOC O PER", ["0-1 PER", "2-2 LOC", "4-4 PER"]),
    ],
)
def test_names_of_a_scheme(scheme: str, tags: str, names: list[str]) -> None:
    assert found(SCHEMES[scheme], tags) == names


def test_a_type_may_hold_a_hyphen_and_special_labels_say_nothing() -> None:
    labels = "[PAD] O B-creative-work I-creative-work X"
    assert found(labels, "B-creative-work I-creative-work X [PAD] I-creative-work") == [
        "0-1 creative-work",
        "4-4 creative-work",
    ]
    assert TagScheme.of("e-mail B-side O phone address".split()).types == (
        "e-mail",
        "B-side",
        "phone",
        "address",
    )


def test_a_name_ends_with_its_paragraph_and_its_cell_not_with_its_line() -> None:
    starts, ends = np.array([0, 4]), np.array([3, 8])
    for gap, names in (("\n", 1), ("\t", 2), (" ", 1)):
        assert len(TagScheme.of(("O", "PER")).names(np.array([1, 1]), f"New{gap}York", starts, ends)) == names
    apart = TagScheme.of(("O", "B-X", "I-X")).names(
        np.array([1, 2]), "New\n \nYork", np.array([0, 6]), np.array([3, 10])
    )
    assert apart == [(0, 1, "X"), (1, 2, "X")]


@given(st.sampled_from(sorted(SCHEMES)), st.lists(st.integers(0, 100), max_size=40))
def test_every_word_with_a_tag_is_in_one_name_of_its_type(scheme: str, picks: list[int]) -> None:
    labels = SCHEMES[scheme].split()
    read = TagScheme.of(labels)
    tags = np.array([pick % len(labels) for pick in picks], dtype=np.int64)
    places = np.arange(len(tags)) * 2
    names = read.names(tags, "w " * len(tags), places, places + 1)
    kinds = {at: kind for first, end, kind in names for at in range(first, end)}
    assert kinds == {at: read.tags[tag][1] for at, tag in enumerate(tags) if read.tags[tag][1]}
    assert sum(end - first for first, end, _ in names) == len(kinds)


@given(
    st.sampled_from(sorted(SCHEMES)), st.lists(st.tuples(st.integers(1, 4), st.integers(0, 9)), max_size=6)
)
def test_the_tags_of_names_mark_those_names(scheme: str, drawn: list[tuple[int, int]]) -> None:
    read = TagScheme.of(SCHEMES[scheme].split())
    outside = read.tag("", first=True, last=True)
    tags, names = [outside], []
    for size, pick in drawn:
        kind = read.types[pick % len(read.types)]
        names.append((len(tags), len(tags) + size, kind))
        tags += [read.tag(kind, first=at == 0, last=at == size - 1) for at in range(size)]
        tags.append(outside)  # without a beginning of their own, neighbours would be one name
    assert None not in tags
    places = np.arange(len(tags)) * 2
    assert read.names(np.array(tags, dtype=np.int64), "w " * len(tags), places, places + 1) == names


def test_a_tag_that_no_label_is() -> None:
    assert TagScheme.of(("B-X", "I-X")).tag("", first=True, last=True) is None
    assert TagScheme.of(("O", "B-X", "I-X")).tag("Y", first=True, last=False) is None
