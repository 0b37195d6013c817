"""No test waits to see how busy the computer is."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not sample the load."""
    monkeypatch.setattr("app.bench.machine.SAMPLE_SECONDS", 0.0)
