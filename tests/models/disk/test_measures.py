from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.measures import Comparison, Measure
from app.core.models import Head
from app.models.disk import records
from app.models.disk.records import Measures

ONE = Measure(
    model="small",
    folder="/models/small",
    head=Head.QUESTION_ANSWERING,
    data="Wikipedia",
    digest="a" * 64,
    examples=4,
    figures={"exact": 50.0, "calibration error": 12.5},
    seconds=2.0,
    device="CPU",
    right="1001",
    when="2025-03-01T12:00:00+00:00",
)
TWO = replace(ONE, model="large", folder="/models/large", right="1111", when="2025-03-02T12:00:00+00:00")


@pytest.fixture
def store(tmp_path: Path) -> Measures:
    return Measures(tmp_path / "data" / "measures.json")


def test_they_are_kept_and_the_latest_comes_first(store: Measures, tmp_path: Path) -> None:
    assert store.all() == ()
    store.keep(ONE)
    store.keep(TWO)
    assert store.all() == (TWO, ONE)
    assert Measures(tmp_path / "data" / "measures.json").all() == (TWO, ONE)
    assert ONE.speed == 2.0
    other = Measures(tmp_path / "data" / "measures.json")  # of another process
    other.keep(replace(TWO, data="theirs"))
    store.keep(replace(ONE, data="mine"))
    assert len(other.all()) == 4


def test_one_is_deleted_and_restored_and_a_removed_model_takes_its_own(store: Measures) -> None:
    store.keep(ONE, TWO)
    store.forget(TWO)
    store.forget(TWO)
    assert store.all() == (ONE,)
    store.keep(TWO)
    store.keep(TWO)
    assert store.all() == (TWO, ONE)
    store.keep(replace(ONE, data="mine"))
    store.forget_model("/models/small")
    assert store.all() == (TWO,)
    store.forget_model("/models/none")
    assert store.all() == (TWO,)


def test_only_the_latest_are_kept(store: Measures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_KEPT", 3)
    for minute in range(5):
        store.keep(replace(ONE, when=f"2025-03-01T12:0{minute}:00+00:00"))
    assert [one.when[14:16] for one in store.all()] == ["04", "03", "02"]


@pytest.mark.parametrize(
    "change",
    [
        {"head": "poetry"},
        {"figures": {"exact": "many"}},
        {"figures": [1]},
        {"right": "10"},
        {"right": "10x1"},
        {"when": "yesterday"},
        {"seconds": None},
        {"examples": "four"},
        {"figures": {"exact": float("nan")}},
    ],
)
def test_a_broken_row_is_left_out(store: Measures, tmp_path: Path, change: dict[str, object]) -> None:
    store.keep(ONE, TWO)
    path = tmp_path / "data" / "measures.json"
    whole = json.loads(path.read_text())
    whole["measures"][0] |= change
    path.write_text(json.dumps(whole))
    assert store.all() == (ONE,)
    del whole["measures"][0]["right"]
    path.write_text(json.dumps(whole))
    assert store.all() == (ONE,)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"measures": 3}', b"\x00\xff", b"[" * 100_000])
def test_a_file_that_holds_none_is_set_aside(store: Measures, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "data" / "measures.json"
    path.parent.mkdir()
    path.write_bytes(content)
    assert store.all() == ()
    store.keep(ONE)
    assert store.all() == (ONE,)
    assert path.with_name("measures.json.broken").read_bytes() == content


def test_a_disk_error_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(SpanlightError, match="could not be written"):
        Measures(tmp_path / "data" / "measures.json").keep(ONE)


def test_a_difference_by_chance() -> None:
    def chance(first: int, second: int) -> float:
        return Comparison(ONE, TWO, 5, first, second, 5).chance

    assert chance(0, 0) == 1.0
    assert chance(1, 0) == 1.0
    assert chance(3, 3) == 1.0
    assert chance(0, 6) == pytest.approx(2 / 64)
    assert chance(2, 8) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert chance(40_000, 20_000) < 1e-300


@given(st.integers(0, 60), st.integers(0, 60))
def test_it_is_a_probability_and_the_same_both_ways(first: int, second: int) -> None:
    one, other = (Comparison(ONE, TWO, 0, *pair, 0).chance for pair in ((first, second), (second, first)))
    assert 0 < one <= 1
    assert one == other
