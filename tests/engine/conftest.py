"""Children that answer by tests.engine.handlers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.engine.child import Child
from tests.engine import handlers


@pytest.fixture(scope="module")
def shared() -> Iterator[Child]:
    child = Child(handlers.make, title="helper process")
    yield child
    child.close()


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child(handlers.make, title="helper process")
    yield child
    child.close()
