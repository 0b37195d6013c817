from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import QaCalibration
from app.core.offers import Origin, Source
from app.core.reliability import TextKind, bins_of
from app.models.disk.card import read_card
from app.models.disk.notes import ORIGIN, Notes, read_notes, read_origin, write_notes, write_origin

TEXT = st.text(max_size=20)
PAIRS = st.dictionaries(TEXT, st.integers(0, 2**50), max_size=3).map(lambda found: tuple(found.items()))
ORIGINS = st.builds(
    Origin,
    source=st.sampled_from(Source),
    repository=TEXT,
    path=TEXT,
    linked=st.booleans(),
    languages=st.lists(TEXT, max_size=3).map(tuple),
    sizes=PAIRS,
    checksums=st.dictionaries(TEXT, TEXT, max_size=3).map(lambda found: tuple(found.items())),
)


def test_notes_are_kept_as_written(reader: Path) -> None:
    notes = Notes(
        description="Reads short texts.",
        licence="Apache-2.0",
        window=256,
        stride=64,
        calibration=QaCalibration(2.0, -1.5, 0.25, 1.5, 0.4, 0.1),
        class_temperature=1.25,
        measured={"dev": {"f1": 80.5, "em": 70.0}},
        reliability={TextKind.LONG_DOCUMENTS: bins_of([(0.2, False), (0.7, True), (1.0, True)])},
    )
    write_notes(reader, notes)
    assert read_notes(reader) == notes
    card = read_card(reader)
    assert card.calibration == notes.calibration
    assert (card.window, card.stride, card.class_temperature) == (256, 64, 1.25)
    assert card.measured == {"dev": {"f1": 80.5, "em": 70.0}}
    assert card.reliability == notes.reliability
    assert (card.description, card.licence) == ("Reads short texts.", "Apache-2.0")
    assert {path.name for path in reader.iterdir()} >= {"spanlight.json"}
    assert not list(reader.glob("*.part"))


def test_every_note_is_optional(reader: Path) -> None:
    (reader / "spanlight.json").write_text('{"calibration": {"threshold": 0.3}, "something": "else"}')
    card = read_card(reader)
    assert card.calibration == QaCalibration(threshold=0.3)
    assert card.calibration.absent_below == pytest.approx(0.1), "a third of the threshold"
    assert card.class_temperature == 1.0
    assert card.reliability == {}


@pytest.mark.parametrize(("said", "window"), [(1, 16), (16, 16), (10**6, 512)])
def test_a_window_fits_the_model(reader: Path, said: int, window: int) -> None:
    (reader / "spanlight.json").write_text(json.dumps({"window": said}))
    assert read_card(reader).window == window


BIN = {"questions": 12, "said": 0.55, "right": 0.5}


@pytest.mark.parametrize(
    "said",
    [
        {"window": -1}, {"stride": 1.5}, {"finder": "../x"}, {"languages": "en"}, {"languages": ["en"] * 501},
        {"measured": {"dev": {"f1": 10**400}}}, {"measured": {"dev": 80}}, {"class_temperature": 0},
        {"class_temperature": 5e-324}, {"class_temperature": 10**400}, {"measured": {"dev": {"f1": 1e300}}},
        {"finder": ".."}, {"finder": "a\0b"}, {"finder": "a" * 10_000}, {"description": "a" * 2**20},
        {"description": "\ud800"},
        *({"calibration": wrong} for wrong in (
            {"absent": -0.1}, {"absent": 1.1}, {"offset": float("nan")}, {"share": -1e7}, [],
            {"temperature": 5e-324}, {"temperature": 1e308}, {"answer_temperature": 1e-4}, {"table": -1e7},
            {"share_long": float("inf")}, {"share_table": 1e7},
        )),
        *({"reliability": wrong} for wrong in (
            None, {"poems": [BIN] * 10}, {"tables": BIN}, {"tables": [BIN] * 9}, {"tables": [BIN] * 11},
            {"tables": [*[BIN] * 9, [12, 0.55, 0.5]]},
        )),
        *({"reliability": {"tables": [*[BIN] * 9, BIN | wrong]}} for wrong in (
            {"questions": -1}, {"questions": 1.5}, {"questions": 10**400}, {"said": 1.01}, {"said": -0.1},
            {"said": float("nan")}, {"said": 10**400}, {"right": float("inf")}, {"right": True}, {"right": None},
        )),
    ],
)  # fmt: skip
def test_impossible_notes_are_refused(reader: Path, said: dict[str, object]) -> None:
    (reader / "spanlight.json").write_text(json.dumps(said))
    with pytest.raises(SpanlightError, match=r"spanlight\.json"):
        read_notes(reader)


@given(ORIGINS)
def test_an_origin_is_read_as_it_was_written(origin: Origin) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_origin(folder, origin)
        assert read_origin(folder) == origin
        assert [path.name for path in Path(folder).iterdir()] == [ORIGIN]


def test_without_a_file_there_is_no_origin_and_a_dangling_link_is_malformed(tmp_path: Path) -> None:
    assert read_origin(tmp_path) is read_origin(tmp_path / "missing") is None
    (tmp_path / ORIGIN).symlink_to(tmp_path / "gone.json")
    with pytest.raises(SpanlightError):
        read_origin(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"source": "hub", "repository": 3}',
        '{"source": "hub", "linked": "yes"}',
        '{"source": "hub", "languages": "en"}',
        '{"source": "hub", "languages": [1]}',
        '{"source": "hub", "sizes": {"config.json": "3"}}',
        '{"source": "hub", "sizes": {"config.json": true}}',
        '{"source": "hub", "checksums": {"config.json": 3}}',
        "[" * 100_000,
    ],
)
def test_a_malformed_origin_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / ORIGIN).write_text(text)
    with pytest.raises(SpanlightError) as caught:
        read_origin(tmp_path)
    assert "malformed" in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("source", ['"elsewhere"', "3", "null", "[]", "{}"])
def test_an_unknown_source_and_further_keys_are_accepted(tmp_path: Path, source: str) -> None:
    (tmp_path / ORIGIN).write_text(f'{{"source": {source}, "colour": "blue"}}')
    assert read_origin(tmp_path) == Origin(Source.UNKNOWN)
