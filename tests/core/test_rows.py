"""Rows of JSON Lines: only objects, and only values that JSON has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.rows import read_rows

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=4))
def test_rows_come_back_as_they_were_written(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n\n" for row in rows), encoding="utf-8-sig")
    found = list(read_rows(path))
    assert [row.values for row in found] == rows
    assert [row.id for row in found] == [row.get("id", 2 * at + 1) for at, row in enumerate(rows)]


@pytest.mark.parametrize(
    "line",
    ['{"id": NaN}', '{"id": 1e999}', '{"id": [-1e999]}', '{"score": Infinity}', "[" * 100_000, "\xff", "5", "9" * 9999],
)  # fmt: skip
def test_what_is_no_row_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1}\n' + line.encode("latin-1"))
    with pytest.raises(SpanlightError, match=r"Line 2 of a\.jsonl is not a JSON object\."):
        list(read_rows(path))
