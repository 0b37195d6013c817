"""The whole window with something on every page: an answer, a text classified, a table filled, a model open."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, DeviceOption, Devices, Head, HeldModel, MemoryUse
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question, TextsToTag
from app.core.results import Answer, Reading
from app.core.text import Span
from app.flows.library.libraries import plan_library, save_library
from app.flows.library.update import update
from app.ui.ask.library_dialogs import Contents, UnreadFiles
from app.ui.kit.translation import tr
from app.ui.table.document_choice import DocumentChoice
from app.ui.window.pages import KEYS
from app.ui.window.shortcuts_help import ShortcutsHelp
from app.ui.window.window import MainWindow
from tests.helpers import insides
from tests.helpers.ask_page import TEXT, Reader
from tests.helpers.names_here import FINDER, find
from tests.helpers.teaching import table_file
from tests.helpers.windows import FakeEngine

DialogT = TypeVar("DialogT", bound=QDialog)
CARDS = (*insides.CARDS[:-1], FINDER)
NAMED = "Ada Lovelace met Charles Babbage in London."
CONTRACTS = {
    "aldergate.txt": "Either party may end this with sixty (60) days of notice.\n\nThe annual fee is 12,400 euros.",
    "calder.txt": "The parties may part at any time.\n\nThe annual fee is 100,000 euros.",
}
QUESTIONS = {"How many days of notice?": r"\w+ \(\d+\) days", "How much is the annual fee?": r"[\d,]+ euros"}


def answer(request: Any, choice: ModelChoice | None, report: Report) -> Any:
    """What every page is answered."""
    match request:
        case Question(text=text) if text in QUESTIONS:
            found = re.search(QUESTIONS[text], request.documents[0].text)
            if found is None:
                return Reading((), False, 0.9, 0.5, 1, 1, 0.01, model="reader", device="CPU", absent=0.5)
            best = Answer(0, Span(*found.span()), found[0], 0.84, 6.0, 2.0)
            return Reading((best,), True, 0.16, 0.5, 1, 1, 0.01, model="reader", device="CPU", absent=0.1)
        case Question() if request.documents[0].text == TEXT:
            return Reader()(request, choice, report)
        case TextsToTag():
            return find(request, choice, report)
    try:
        return insides.answer(request, choice, report)
    except AssertionError as unknown:
        raise SpanlightError("This is not answered here.") from unknown


class FurnishedEngine(FakeEngine):
    """The engine of a furnished window, on a computer of its own."""

    def __init__(self) -> None:
        super().__init__(answer, *CARDS)

    def devices(self, report: Report) -> Devices:
        gigabyte = 10**9
        cpu = DeviceOption(
            "cpu", "Some Processor", True, "8 cores", 16 * gigabyte, 9 * gigabyte, ("float32",)
        )
        gpu = DeviceOption(
            "cuda:0", "Some GPU", True, "computes", 8 * gigabyte, 7 * gigabyte, ("float16", "float32")
        )
        return Devices(
            (cpu, gpu), DeviceChoice("cuda:0", "float16", "Some GPU, faster than the CPU"), "2.13.0"
        )

    def memory(self, report: Report) -> MemoryUse:
        held = (HeldModel("reader", Head.QUESTION_ANSWERING, "cpu", "float32", 90_000_000),)
        return MemoryUse(held, 600_000_000, 16 * 10**9, 9 * 10**9)


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Wait until something holds; fails after so many seconds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        QTest.qWait(5)


def press(key: Qt.Key, how: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the keyboard focus is."""
    focused = QApplication.focusWidget() or QApplication.activeWindow()
    assert focused is not None
    QTest.keyClick(focused, key, how)


def furnish(window: MainWindow, folder: Path) -> None:
    """Put something on every page of a window; `folder` is for its files."""
    contracts = folder / "contracts"
    contracts.mkdir()
    for name, text in CONTRACTS.items():
        (contracts / name).write_text(text, encoding="utf-8")
    library = save_library(window.workspace, plan_library(window.workspace, [contracts]), Silent())
    update(window.workspace, library, Silent())
    window.libraries.refresh()
    for key, texts in {
        "classify": [insides.REVIEW.text],
        "names": [NAMED],
        "fill": ["Paris is the capital of ___."],
        "follow": [insides.FOLLOWED.text, insides.FOLLOWED.pair],
    }.items():
        page: Any = shown(window, key)
        for paper, text in zip(page._papers, texts, strict=True):
            paper.replace(text)
        page.run()
        wait_until(lambda: window.lanes.work.idle)
    page = shown(window, "inspect")
    page.look_at(insides.visit())
    wait_until(lambda: window.lanes.work.idle)
    page = shown(window, "table")
    page.welcome.begin.setChecked(False)
    page.welcome.library_chosen.emit(library)
    wait_until(lambda: page.store.table is not None and bool(page.model.rows))
    page.questions.add()
    page.line.field.setPlainText("\n".join(QUESTIONS))
    page.line.go.click()
    wait_until(lambda: page.model.counts() == (4, 4) and window.lanes.work.idle)
    page.line.close_line()
    page = shown(window, "teach")
    labels = page.section()
    labels.open_files([table_file(folder)])
    wait_until(lambda: labels.setup.isVisible())
    labels.setup.labels.setPlainText("cats\nteas")
    labels.setup.begin.click()
    wait_until(lambda: labels.store.dataset is not None and labels.desk.isVisible())
    page = shown(window, "ask")
    page.sheets.current().pane.set_text(TEXT)
    page.panel.box.set_question("several?", [])
    page.presenter.ask()
    wait_until(lambda: page.panel.card.isVisible() and window.lanes.work.idle)


def shown(window: MainWindow, key: str) -> Any:
    """A page, up and filled, the window at the front."""
    window.show_page(key)
    wait_until(lambda: window.lanes.files.idle)
    window.activateWindow()
    return window.page


def places(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Every page of a furnished window, its sections and what opens on it, by name, shown one after the other."""

    def rest() -> None:
        wait_until(lambda: window.lanes.files.idle and window.lanes.work.idle)
        QTest.qWait(20)

    for key in KEYS:
        page = shown(window, key)
        rest()
        yield key, page
        match key:
            case "ask":
                for name, keys in (("the list of documents", "Ctrl+B"), ("the find bar", "Ctrl+F")):
                    shortcut(page, keys)
                    rest()
                    yield f"ask, {name}", page
                press(Qt.Key.Key_Escape)
                library = window.libraries.all[0][0]
                row = next(row for _, row in page.documents.list.rows.heads() if row.library is not None)
                row_action(page, row, tr("Remove from Spanlight…"))
                yield "ask, whether to remove a library", page
                page.documents.confirmation.withdraw()
                row_action(page, row, tr("Folders, files and kinds…"))
                yield from dialog_over(page, Contents, lambda contents: contents.save.isEnabled())
                page.presenter.show_unread(library.number)
                yield from dialog_over(page, UnreadFiles, lambda unread: unread.list.isHidden())
                shortcut(page, "Ctrl+B")
                page.panel.threshold.change.click()
                yield "ask, the threshold", page
                page.panel.threshold.change.click()
                page.sheets.show_new()
                rest()
                yield "ask, an empty text", page
                page.sheets.close_current()
            case "table":
                page.view.go_to(0, 0)
                press(Qt.Key.Key_Return)
                rest()
                yield "table, a document beside it", page
                press(Qt.Key.Key_Escape)
                page.questions.add()
                yield "table, a question", page
                page.line.close_line()
                page.head.title.acted.emit("remove")
                yield "table, whether to remove it", page
                page.remove_question.withdraw()
                page.head.documents.click()
                yield from dialog_over(page, DocumentChoice)
            case "classify":
                page._panel.ways.chosen.emit("lines")
                page.run()
                rest()
                yield "classify, lines", page
                page._panel.ways.chosen.emit("one")
            case "history":
                page.panel.bar.delete_all.click()
                rest()
                yield "history, whether to delete it", page
                page.panel.bar.question.withdraw()
            case "inspect":
                for at in page.section_indices():
                    page.names.setCurrentIndex(at)
                    rest()
                    for button in page.findChildren(QPushButton):
                        if button.isVisible() and button.text() == "Numbers":
                            button.click()
                    rest()
                    yield f"inspect, {page.names.tabText(at)}", page
                page.names.setCurrentIndex(0)
            case "teach" | "models" | "about":
                first = page.names.selected()
                for kind in page._kinds:
                    page.show_section(kind.KEY)
                    rest()
                    yield f"{key}, {kind.TITLE}", page
                page.show_section(first)
                if key == "teach":
                    head = page.section().head
                    for part in ("texts", "figures", "label"):
                        head.parts.select(part)
                        head.parts.chosen.emit(part)
                        rest()
                        yield f"teach, {part}", page
    window.show_help()
    yield from dialog_over(window, ShortcutsHelp)


def dialog_over(
    page: QWidget, kind: type[DialogT], is_filled: Callable[[DialogT], bool] = QWidget.isVisible
) -> Iterator[tuple[str, QWidget]]:
    """A dialog over a page, once it is shown and filled; it is closed afterwards."""
    wait_until(lambda: page.findChild(kind) is not None)
    dialog = page.findChild(kind)
    assert dialog is not None
    wait_until(lambda: is_filled(dialog))
    QTest.qWait(50)
    yield f"the dialog {kind.__name__}", dialog
    dialog.close()


def row_action(page: Any, row: Any, words: str) -> None:
    """Choose what the menu of a row of the list of documents offers."""
    actions = page.documents.menu_of(row).actions()
    next(action for action in actions if action.text() == words).trigger()


def shortcut(page: QWidget, keys: str) -> None:
    """Have a page's shortcut act as its keys do."""
    wanted = QKeySequence(keys)
    next(one for one in page.findChildren(QShortcut) if one.key() == wanted).activated.emit()
