"""Values written as JSON and read back."""

from __future__ import annotations

import ast
import json
import math
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import Head, ModelCard, QaCalibration
from app.core.offers import Passport, RemoteFile
from app.core.plain import from_plain, json_of
from tests.conftest import ROOT

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


def test_a_number_without_a_float_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        from_plain(float, 10**400)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_what_is_written_is_json_for_every_program(value: Any) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    def known(each: Any) -> Any:
        if isinstance(each, dict):
            return {key: known(inner) for key, inner in each.items()}
        if isinstance(each, list):
            return [known(inner) for inner in each]
        return None if isinstance(each, float) and not math.isfinite(each) else each

    assert json.loads(json_of(value), parse_constant=refuse) == known(value)


def test_json_is_written_in_one_place() -> None:
    """Python's own `json.dumps` writes NaN, which no other program reads."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        name = path.relative_to(ROOT / "app").as_posix()
        if name == "core/plain.py" or name.startswith("bench/"):
            continue
        if "json.dump" not in (source := path.read_text("utf-8")):
            continue
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        written = [
            ast.unparse(call) for call in calls if ast.unparse(call.func) in ("json.dumps", "json.dump")
        ]
        strict = [call for call in written if "allow_nan=False" in call]
        assert written == strict, f"{name} writes JSON by itself: use app.core.plain.json_of"
