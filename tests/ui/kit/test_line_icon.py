"""An icon outlives whatever shows it."""

from __future__ import annotations

import gc

from PySide6.QtWidgets import QApplication

from app.ui.kit.theme import LineIcon, Theme
from tests.conftest import ROOT

RESOURCES = ROOT / "resources"


def test_icons_outlive_their_theme(qapp: QApplication) -> None:
    # One that went with its theme was taken apart by the collector after its engine, and that was the end of the run.
    theme, other = Theme(RESOURCES), Theme(RESOURCES)
    for each in (theme, other):
        each.choose("light")
    held = theme.icon("ask")
    assert held is other.icon("ask")
    assert held is not other.icon("ask", "ink")
    assert held is not other.icon("history")
    engines = [one for one in gc.get_objects() if isinstance(one, LineIcon)]
    del theme, other, each
    gc.collect()
    assert {id(one) for one in gc.get_objects() if isinstance(one, LineIcon)} == {id(one) for one in engines}
    assert not held.pixmap(16).isNull()
