from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.name_types import marks_and_types, plain_tag, plain_type, short_types, types_of_tags


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("PER", "People"),
        ("person", "People"),
        ("LOC", "Places"),
        ("ORG", "Organisations"),
        ("MISC", "Other names"),
        ("creative-work", "Works"),
        ("WORK_OF_ART", "Works"),
        ("corporation", "Companies"),
        ("spell_of_magic", "Spell of magic"),
        ("DRUG", "DRUG"),
        ("-", "-"),
    ],
)
def test_types_in_plain_words(label: str, plain: str) -> None:
    assert plain_type(label) == plain


def test_types_have_letters_of_their_own() -> None:
    assert short_types(("PER", "LOC", "ORG", "MISC")) == {
        "PER": "PER",
        "LOC": "LOC",
        "ORG": "ORG",
        "MISC": "MIS",
    }
    assert list(short_types(("person", "percent", "persona", "a", "-", "A")).values()) == [
        "PER",
        "PEC",
        "PES",
        "A",
        "?",
        "A2",
    ]


@given(st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=40))
def test_letters_are_few_and_differ(labels: list[str]) -> None:
    short = short_types(labels)
    assert list(short) == labels
    assert len(set(short.values())) == len(labels)
    assert all(0 < len(each) <= 3 for each in short.values() if each.isascii())


def test_tags_are_said_in_words_beside_themselves() -> None:
    assert plain_tag("B-PER") == "People, first word (B-PER)"
    assert plain_tag("L-creative_work") == "Works, last word (L-creative_work)"
    assert plain_tag("O") == "no name (O)"
    assert plain_tag("PER") == "People"
    assert plain_tag("X-ray") == "X ray"


def test_marks_are_read_where_most_labels_carry_one() -> None:
    assert marks_and_types(("O", "B-PER", "i_loc", "misc")) == [
        ("", ""), ("B", "PER"), ("I", "loc"), ("I", "misc")
    ]  # fmt: skip
    assert types_of_tags(("[PAD]", "O", "B-PER", "I-PER", "B-LOC", "M_LOC")) == ("PER", "LOC")
    assert types_of_tags(("O", "B-side", "phone", "address")) == ("B-side", "phone", "address")
