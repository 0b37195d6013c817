"""The Ask page over an engine without models, whose `engine` a module may replace by its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.ui.ask.ask import AskView
from tests.helpers.open_files import reader
from tests.helpers.windows import FakeEngine


@pytest.fixture
def engine() -> FakeEngine:
    return reader()


@pytest.fixture
def make(
    open_page: Callable[[type[AskView], FakeEngine], AskView], engine: FakeEngine
) -> Callable[[], AskView]:
    """Opens the page, as often as it is called."""
    return lambda: open_page(AskView, engine)


@pytest.fixture
def view(make: Callable[[], AskView]) -> AskView:
    return make()
