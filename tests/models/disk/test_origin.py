"""The origin file of a model folder: written whole, and checked when read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.offers import Origin, Source
from app.models.disk.origin import ORIGIN, read_origin, write_origin

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
