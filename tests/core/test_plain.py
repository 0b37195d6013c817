"""Values as JSON and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import Head, ModelCard, QaCalibration
from app.core.offers import Passport, RemoteFile
from app.core.plain import from_plain

TEXT = st.text(max_size=12)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
CARDS = st.builds(
    ModelCard,
    name=TEXT,
    folder=TEXT,
    family=TEXT,
    heads=st.lists(st.sampled_from(Head), max_size=2).map(tuple),
    labels=st.lists(TEXT, max_size=2).map(tuple),
    calibration=st.builds(QaCalibration, temperature=NUMBER),
    measured=st.dictionaries(TEXT, st.dictionaries(TEXT, NUMBER, max_size=2), max_size=2),
)
FILES = st.builds(RemoteFile, name=TEXT, size=st.integers(0, 2**50), sha256=TEXT, cached=st.booleans())
PASSPORTS = st.builds(
    Passport,
    repository=TEXT,
    commit=TEXT,
    endpoint=TEXT,
    card=st.none() | CARDS,
    files=st.lists(FILES, max_size=3).map(tuple),
    speed=NUMBER,
)


@given(PASSPORTS)
def test_a_passport_comes_back_as_it_was(passport: Passport) -> None:
    assert from_plain(Passport, json.loads(json.dumps(asdict(passport)))) == passport


PASSPORT = Passport(
    "a/b", "0" * 40, "https://example.org", ModelCard("b", "", "bert", (Head.CLASSIFICATION,)), ()
)
SOUND: dict[str, Any] = json.loads(json.dumps(asdict(PASSPORT)))


@pytest.mark.parametrize(
    "change",
    [
        {"repository": 3},
        {"files": "none"},
        {"files": [1]},
        {"files": [{"name": "x"}]},
        {"files": [{"name": "x", "size": True}]},
        {"files": [{"name": "x", "size": "3"}]},
        {"card": []},
        {"card": {"name": "b"}},
        {"card": SOUND["card"] | {"heads": ["no-such-head"]}},
        {"card": SOUND["card"] | {"heads": {}}},
        {"card": SOUND["card"] | {"measured": {"x": 3}}},
        {"speed": "fast"},
        {"gated": 1},
    ],
)
def test_another_type_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_plain(Passport, SOUND | change)


@pytest.mark.parametrize("value", [None, [], 3, "x", {}])
def test_what_is_no_passport_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_plain(Passport, value)


def test_keys_of_a_newer_version_count_for_nothing() -> None:
    assert from_plain(Passport, SOUND | {"colour": "blue"}) == PASSPORT
