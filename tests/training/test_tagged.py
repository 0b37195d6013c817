import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.text import Span
from app.training.tagged import Exchanger, TaggedText, concatenate, detokenise, read_tagged, tagged_names

WORDS = st.text(st.characters(exclude_categories=("Cs", "Z", "C")), min_size=1, max_size=6)
MARKS = st.sampled_from([*".,;:!?()[]\"'$%", "n't", "'s", "U.S.", "...", "``", "''"])


@given(st.lists(WORDS | MARKS, max_size=30))
def test_every_word_is_at_its_span_with_only_blanks_between(words: list[str]) -> None:
    text, places = detokenise(words)
    assert [place.of(text) for place in places] == words
    assert text == text.strip() and "  " not in text
    bounds = [0, *(bound for place in places for bound in (place.start, place.end)), len(text)]
    assert bounds == sorted(bounds)
    assert "".join(text.split(" ")) == "".join(words)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("He did n't , said Ann 's son .", "He didn't, said Ann's son."),
        ('" The Kill " , by 30 Seconds ( 2006 ) .', '"The Kill", by 30 Seconds (2006).'),
        ("the passengers ' deaths", "the passengers' deaths"),
        ("' can of this ' sounding", "'can of this' sounding"),
        ("5 % of $ 3 : no", "5% of $3: no"),
    ],
)
def test_a_text_looks_as_people_write_it(words: str, text: str) -> None:
    assert detokenise(words.split())[0] == text


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ("B-PER I-PER O", [(0, 2, "PER")]),
        ("I-PER I-PER B-PER", [(0, 2, "PER"), (2, 3, "PER")]),
        ("B-PER I-LOC I-LOC", [(0, 1, "PER"), (1, 3, "LOC")]),
        ("B-PER O I-PER", [(0, 1, "PER"), (2, 3, "PER")]),
        ("O O", []),
    ],
)
def test_tags_are_read_as_conlls_scorer_reads_them(tags: str, names: list) -> None:
    assert tagged_names(tags.split()) == names


def test_rows_with_kinds_renamed(tmp_path: Path) -> None:
    row = {
        "tokens": ["Ann", "Lee", "likes", "Tarts", "."],
        "tags": ["B-person", "I-person", "O", "B-food", "O"],
    }
    path = tmp_path / "names.jsonl"
    path.write_text(json.dumps(row))
    (plain,) = read_tagged(path)
    assert [(n.span.of(plain.text), n.kind) for n in plain.names] == [
        ("Ann Lee", "person"),
        ("Tarts", "food"),
    ]
    (renamed,) = read_tagged(path, {"person": "PER"})
    assert [(n.span, n.kind) for n in renamed.names] == [(Span(0, 7), "PER")]
    assert plain.source == "names"


@pytest.mark.parametrize(
    "row",
    [
        {"tokens": ["a"], "tags": []},
        {"tokens": ["a", " "], "tags": ["O", "O"]},
        {"tokens": ["a"], "tags": ["X"]},
        {"tokens": ["a"], "tags": ["B-"]},
        {"text": "a"},
    ],
)
def test_rows_that_hold_no_tagged_words_are_refused(tmp_path: Path, row: dict) -> None:
    path = tmp_path / "names.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(SpanlightError, match="does not hold tagged words"):
        read_tagged(path)


def test_sentences_together_keep_their_names(tmp_path: Path) -> None:
    path = tmp_path / "names.jsonl"
    rows = [
        {"tokens": ["Ann", "."], "tags": ["B-PER", "O"]},
        {"tokens": ["In", "Rome"], "tags": ["O", "B-LOC"]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    whole = concatenate(read_tagged(path))
    assert whole.text == "Ann. In Rome"
    assert [(n.span.of(whole.text), n.kind) for n in whole.names] == [("Ann", "PER"), ("Rome", "LOC")]


TAGS = st.sampled_from(["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"])


@given(st.lists(st.lists(st.tuples(WORDS | MARKS, TAGS), min_size=1, max_size=12), min_size=1, max_size=4),
       st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 99))  # fmt: skip
def test_names_are_exchanged_for_names_of_their_kind(rows, share: float, seed: int) -> None:
    examples = [TaggedText(*detokenise([w for w, _ in row]), tuple(t for _, t in row), "s") for row in rows]
    held = {(n.kind, tuple(w.of(e.text) for w in e.words if n.span.start <= w.start and w.end <= n.span.end))
            for e in examples for n in e.names}  # fmt: skip
    exchanger = Exchanger(examples, share)
    for example in examples:
        varied = exchanger.vary(example, np.random.default_rng(seed))
        assert varied == exchanger.vary(example, np.random.default_rng(seed))
        outside = [w.of(e.text) for e in (example,) for w, t in zip(e.words, e.tags, strict=True) if t == "O"]
        kept = [w.of(varied.text) for w, t in zip(varied.words, varied.tags, strict=True) if t == "O"]
        assert kept == outside
        assert [n.kind for n in varied.names] == [n.kind for n in example.names]
        for name in varied.names:
            inside = [w for w in varied.words if name.span.start <= w.start and w.end <= name.span.end]
            assert (name.kind, tuple(w.of(varied.text) for w in inside)) in held
        if not share:
            assert varied == example
