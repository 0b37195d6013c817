"""For every test of the window: what the screenless platform says of itself is no fault of ours."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform warns of what it lacks at every window; other warnings of Qt still fail a test."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"))
