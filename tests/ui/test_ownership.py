"""Who owns whom in Python's bindings of Qt: nothing may come to own what holds it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget

from tests.conftest import ROOT
from tests.helpers.tabbing import tab_order

# PySide takes what these return for a child of the widget that was asked. Each returns a widget that may hold the asked
# one: then both own each other, and Python's cyclic collector, which runs wherever something is allocated next, frees
# one of them twice. `window`, `parentWidget` and `parent` own nothing by being asked; neither does the application's
# focusWidget.
OWNING = ("nextInFocusChain", "previousInFocusChain", "topLevelWidget")


def owner(widget: QWidget) -> str:
    """The line of the binding's own report that tells what owns a widget, empty where nothing does."""
    said = shiboken6.Shiboken.dump(widget).splitlines()
    return next((line for line in said if line.startswith("parent.")), "")


def called(source: str) -> set[str]:
    return {
        node.func.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


def rows() -> tuple[QWidget, list[QPushButton]]:
    window = QWidget()
    column = QVBoxLayout(window)
    buttons = [QPushButton(f"{at}") for at in range(3)]
    for button in buttons:
        column.addWidget(button)
    return window, buttons


def test_no_widget_is_asked_for_one_that_it_would_come_to_own() -> None:
    here = Path(__file__)
    files = [file for room in ("app", "tests") for file in (ROOT / room).rglob("*.py") if file != here]
    assert len(files) > 100
    wrong = {
        str(file.relative_to(ROOT)): names
        for file in files
        if (names := called(file.read_text("utf-8")) & set(OWNING))
    }
    assert not wrong


@pytest.mark.parametrize("ask", ["window", "parentWidget", "parent"])
def test_asking_for_what_holds_it_leaves_a_widget_as_it_is(qapp: QApplication, ask: str) -> None:
    window, buttons = rows()
    assert getattr(buttons[0], ask)() is window
    assert owner(window) == ""
    assert "QWidget" in owner(buttons[0])


def test_the_order_of_tab_is_found_and_nothing_is_owned_by_it(qapp: QApplication, qtbot: object) -> None:
    window, buttons = rows()
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)  # type: ignore[attr-defined]
    assert tab_order(window) == buttons
    assert owner(window) == ""
    window.close()
