"""Who owns whom in Python's bindings of Qt: nothing may come to own what holds it."""

from __future__ import annotations

import re

from tests.conftest import ROOT

# PySide takes what these return for a child of the widget that was asked. Each returns a widget that may hold the asked
# one: then both own each other, and Python's cyclic collector, which runs wherever something is allocated next, frees
# one of them twice. `window`, `parentWidget` and `parent` own nothing by being asked; neither does the application's
# focusWidget.
OWNING = re.compile(r"\.(nextInFocusChain|previousInFocusChain|topLevelWidget)\(")


def test_no_widget_is_asked_for_one_that_it_would_come_to_own() -> None:
    files = [file for room in ("app", "tests") for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 100
    wrong = {
        str(file.relative_to(ROOT)): names
        for file in files
        if (names := OWNING.findall(file.read_text("utf-8")))
    }
    assert not wrong
