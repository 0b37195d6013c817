"""The keyboard alone: every deed that the README names, by keys, each ending where a person goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.core.corrections import Verdict
from app.ui.ask.run import ScopeKind
from app.ui.document.pdf.page_selection import next_stop
from app.ui.inspect.charts.export import NumbersTable
from app.ui.window.window import MainWindow
from tests.helpers.ask_page import TEXT, WORDS
from tests.helpers.furnished import FurnishedEngine, furnish, shown, wait_until
from tests.helpers.windows import FakeEngine


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FurnishedEngine()


@pytest.fixture(scope="module")
def furnished(shared_window: MainWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    furnish(shared_window, tmp_path_factory.mktemp("files"))
    shared_window.resize(1200, 800)
    return shared_window


def press(window: MainWindow, *keys: str) -> None:
    """Press keys where the focus is, one after the other; what begins with a quotation mark is typed."""
    for each in keys:
        target: QWidget = QApplication.activePopupWidget() or QApplication.focusWidget() or window
        if each.startswith("“"):
            QTest.keyClicks(target, each[1:])
        else:
            combination = QKeySequence(each)[0]
            QTest.keyClick(target, combination.key(), combination.keyboardModifiers())
        QApplication.processEvents()
    wait_until(lambda: window.lanes.files.idle and window.lanes.work.idle)


def in_menu(*keys: str) -> None:
    """Press keys in the menu that comes up next, which waits for them."""

    def come() -> None:
        menu = QApplication.activePopupWidget()
        if menu is None:
            QTimer.singleShot(10, come)
            return
        for each in keys:
            QTest.keyClick(menu, QKeySequence(each)[0].key())

    QTimer.singleShot(10, come)


def tab_to(window: MainWindow, name: str) -> None:
    """Press Tab until the focus is on what has this name."""
    for _ in range(80):
        focused = QApplication.focusWidget()
        if focused is not None and focused.accessibleName().startswith(name):
            return
        press(window, "Tab")
    raise AssertionError(f"Tab does not come to {name}")


@dataclass(frozen=True)
class Deed:
    """A deed, the page that it is done on, its keys, and what is true of the page after it."""

    name: str
    page: str
    keys: tuple[str, ...]
    done: Callable[[Any], bool]
    tab: str = ""


DEEDS = (
    Deed("ask", "ask", ("Ctrl+L", "“How long?", "Return"), lambda ask: "94%" in ask.panel.card.accessibleName()),
    Deed("the next answer", "ask", ("F3",), lambda ask: ask.sheets.current().session.run.chosen == 1),
    Deed("the one before", "ask", ("Shift+F3",), lambda ask: ask.sheets.current().session.run.chosen == 0),
    Deed("from the question to its answer", "ask", ("Ctrl+L", "Esc"), lambda ask: ask.panel.card.hasFocus()),
    Deed("it is right", "ask", ("Ctrl+L", "Esc", "A"), lambda ask: ask.panel.card.verdicts.right.isChecked()),
    Deed("take that back", "ask", ("Ctrl+L", "Esc", "A"), lambda ask: not ask.panel.card.verdicts.right.isChecked()),
    Deed("not in the text", "ask", ("Ctrl+L", "Esc", "X"), lambda ask: ask.panel.card.verdicts.absent.isChecked()),
    Deed(
        "these words instead", "ask",
        ("F3", "Shift+F3", "Shift+Tab", "Tab", "Ctrl+Shift+Right", "Ctrl+Shift+Right", "Ctrl+L", "Esc", "E"),
        lambda ask: ask.panel.card.verdicts.instead.isChecked(), "Document",
    ),
    Deed("copy", "ask", ("Ctrl+L", "Esc", "Ctrl+C"), lambda ask: WORDS[0] in QGuiApplication.clipboard().text()),
    Deed("find", "ask", ("Ctrl+F", "“permitted", "Return"), lambda ask: _selected(ask) == "permitted"),
    Deed("leave the find bar", "ask", ("Ctrl+F", "Esc"), lambda ask: ask.sheets.current().editor.hasFocus()),
    Deed("a new text", "ask", ("Ctrl+T", "“Words"), lambda ask: ask.sheets.current().editor.text() == "Words"),
    Deed("close it", "ask", ("Ctrl+W",), lambda ask: ask.sheets.current().pane.text() == TEXT),
    Deed("bring it back", "ask", ("Ctrl+Shift+T",), lambda ask: ask.sheets.current().pane.text() == "Words"),
    Deed("another text", "ask", ("Ctrl+Tab",), lambda ask: ask.sheets.current().pane.text() == TEXT),
    Deed("the list of documents", "ask", ("Ctrl+Shift+F",), lambda ask: ask.documents.isVisible()),
    Deed("less sure", "ask", ("Space", "Left"), lambda ask: ask.panel.threshold.slider.value() == 39, "Change the"),
    Deed("larger", "ask", ("Ctrl++",), lambda ask: ask.workspace.settings.document_size > 100),
    Deed("usual size", "ask", ("Ctrl+0",), lambda ask: ask.workspace.settings.document_size == 100),
    Deed("look inside", "ask", ("Ctrl+I",), lambda ask: ask.window().page.KEY == "inspect"),
    Deed("open beside the table", "table", ("Ctrl+Home", "Return"), lambda table: not table.beside.isHidden()),
    Deed("a cell is right", "table", ("A",), lambda table: _verdict(table) is Verdict.RIGHT),
    Deed("undo", "table", ("U",), lambda table: _verdict(table) is Verdict.NONE),
    Deed("it is not there", "table", ("X",), lambda table: _verdict(table) is Verdict.NOT_THERE),
    Deed("close the document", "table", ("Esc",), lambda table: table.beside.isHidden()),
    Deed("a filter", "table", ("Right", "Right"), lambda table: table.head.chips.selected() == "unseen", "Show: All"),
    Deed(
        "classify", "classify", ("Ctrl+L", "Ctrl+A", "“Bad", "Ctrl+Return"),
        lambda page: page.kept.texts == ("Bad",),
    ),
    Deed("each line a text", "classify", ("Right",), lambda page: page._way == "lines", "What is a text: One"),
    Deed("find names", "names", ("Ctrl+Return",), lambda page: page._panel.list.model().rowCount() > 3),
    Deed("a name of the list", "names", ("Down", "Down"), lambda page: page.pane.lights.chosen >= 0, "Names found"),
    Deed("hide a type", "names", ("Space",), lambda page: bool(page._panel.legend.hidden()), "Show People"),
    Deed("label", "teach", ("2",), lambda page: _labelled(page, "teas") == 11, "Text to label"),
    Deed("take that back", "teach", ("U",), lambda page: _labelled(page, "teas") == 10),
    Deed("all texts", "teach", ("Right",), lambda page: page.section().texts.isVisible(), "Show: Label"),
    Deed("fill in", "fill", ("Ctrl+Return",), lambda page: bool(page._panel.card.words.rows())),
    Deed("take a word", "fill", ("Ctrl+L", "Alt+1"), lambda page: "France" in page._papers[0].text()),
    Deed("does it follow", "follow", ("Ctrl+Return",), lambda page: page._panel.card.isVisible()),
    Deed("swap", "follow", ("Ctrl+T",), lambda page: page._papers[0].text().startswith("So we")),
    Deed("the next section", "inspect", ("Ctrl+Tab",), lambda page: page.names.currentIndex() == 1),
    Deed("a chart's numbers", "inspect", ("Space",), lambda page: bool(_tables(page)), "Numbers: "),
    Deed("search the history", "history", ("“several",), lambda page: page.panel.search.text() == "several"),
    Deed("a section of models", "models", ("Ctrl+Tab",), lambda page: page.names.selected() == "offered"),
    Deed("dark", "settings", ("Right", "Right"), lambda page: page.theme.wanted == "dark", "Look: As"),
    Deed("nothing moves", "settings", ("Right",), lambda page: page.theme.still and not page.theme.moves, "Motion: As"),
    Deed("back from About", "about", ("Esc",), lambda page: page.window().page.KEY == "settings"),
)  # fmt: skip


def _selected(ask: Any) -> str:
    return str(ask.sheets.current().pane.selected_place()[0])


def _labelled(page: Any, label: str) -> int:
    """How many texts have a label."""
    return sum(label in given.labels for given in page.section().store.given.values())


def _tables(page: QWidget) -> list[NumbersTable]:
    return [table for table in page.findChildren(NumbersTable) if table.isVisible()]


def _verdict(table: Any) -> Verdict:
    cell = table.model.cell(*table.view.current_cell())
    assert cell is not None
    found: Verdict = cell.verdict
    return found


def test_every_deed_is_done_by_keys(furnished: MainWindow) -> None:
    failed, up = [], ""
    for deed in DEEDS:
        page = furnished.pages.get(deed.page)
        if deed.page != up:
            if deed.page == "about":
                furnished.show_about()
            page = shown(furnished, deed.page)
            up = deed.page
            if up == "table":
                page.view.setFocus(Qt.FocusReason.TabFocusReason)
        try:
            if deed.tab:
                tab_to(furnished, deed.tab)
            press(furnished, *deed.keys)
            wait_until(lambda deed=deed, page=page: deed.done(page), 15)  # type: ignore[misc]
        except Exception as error:
            failed.append(
                f"{deed.page}, {deed.name}: {type(error).__name__} {error}; {QApplication.focusWidget()}"
            )
    assert not failed, "\n" + "\n".join(failed)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_answers_are_saved_and_another_scope_is_chosen_in_menus(
    furnished: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ask = shown(furnished, "ask")
    monkeypatch.setattr("app.ui.kit.file_dialog.save_name", lambda *_: str(tmp_path / "answers.csv"))
    press(furnished, "Ctrl+L", "“How long?", "Return")
    tab_to(furnished, "Save the answers")
    in_menu("Down", "Return")
    press(furnished, "Space")
    wait_until(lambda: (tmp_path / "answers.csv").is_file())
    in_menu("Down", "Return")
    press(furnished, "Alt+Down")
    wait_until(lambda: ask.panel.scope.scope.kind is not ScopeKind.DOCUMENT)


def test_tab_leaves_every_text(furnished: MainWindow) -> None:
    for key in ("ask", "classify", "names", "fill", "follow"):
        shown(furnished, key)
        press(furnished, "Ctrl+L")
        for way in ("Tab", "Shift+Tab"):
            focused = QApplication.focusWidget()
            press(furnished, way)
            assert QApplication.focusWidget() is not focused, (key, way)


def test_words_of_a_page_are_selected_by_keys() -> None:
    text = "The rent is 900 euros. "
    assert next_stop(text, 4, forwards=True, whole_word=True) == 8
    assert next_stop(text, 8, forwards=True, whole_word=True) == 11
    assert next_stop(text, 8, forwards=False, whole_word=True) == 4
    assert next_stop(text, 4, forwards=True, whole_word=False) == 5
    assert next_stop(text, 0, forwards=False, whole_word=True) == 0
    assert next_stop(text, len(text), forwards=True, whole_word=False) == len(text)
