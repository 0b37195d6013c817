"""Tag schemes read off the labels, and the names that tags mark."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.heads.token_classification import Mark, TagScheme

LABELS = {
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


@pytest.mark.parametrize("scheme", LABELS)
def test_every_scheme_knows_its_types(scheme: str) -> None:
    read = TagScheme.of(LABELS[scheme].split())
    assert set(read.types) == {"PER", "LOC"}
    assert sum(mark is Mark.OUTSIDE for mark, _ in read.tags) == 1


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
    assert found(LABELS[scheme], tags) == names


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


@given(st.sampled_from(sorted(LABELS)), st.lists(st.integers(0, 100), max_size=40))
def test_every_word_with_a_tag_is_in_one_name_of_its_type(scheme: str, picks: list[int]) -> None:
    labels = LABELS[scheme].split()
    read = TagScheme.of(labels)
    tags = np.array([pick % len(labels) for pick in picks], dtype=np.int64)
    places = np.arange(len(tags)) * 2
    names = read.names(tags, "w " * len(tags), places, places + 1)
    kinds = {at: kind for first, end, kind in names for at in range(first, end)}
    assert kinds == {at: read.tags[tag][1] for at, tag in enumerate(tags) if read.tags[tag][1]}
    assert sum(end - first for first, end, _ in names) == len(kinds)


@given(st.sampled_from(sorted(LABELS)), st.lists(st.tuples(st.integers(1, 4), st.integers(0, 9)), max_size=6))
def test_the_tags_of_names_mark_those_names(scheme: str, drawn: list[tuple[int, int]]) -> None:
    read = TagScheme.of(LABELS[scheme].split())
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
