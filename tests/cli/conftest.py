from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.commands import TEXT


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "tarts.txt"
    path.write_bytes(TEXT.encode())
    return str(path)
