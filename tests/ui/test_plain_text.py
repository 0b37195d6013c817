"""Texts of others are shown as plain, legible text: nothing that Qt draws is read as HTML, or opens what it names."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QMessageBox,
    QTabBar,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from app.ui.heads.classify.classify import LINES, ClassifyView
from app.ui.heads.classify.result_table import ResultTable
from app.ui.heads.text_panel import TextPanel
from app.ui.kit.parts import Button, StyledLabel, as_tip, plain_label
from app.ui.kit.theme import Theme
from app.ui.window import last_words
from app.ui.window.pages import KEYS
from app.ui.window.window import MainWindow
from tests.helpers.classify_page import edit
from tests.helpers.windows import FakeEngine, settle

UI = Path(__file__).resolve().parent.parent.parent / "app" / "ui"
HEADS = (Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS, Head.NEXT_SENTENCE)


# As the source has it


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_ours(node: ast.expr) -> bool:
    """Whether an expression is written in the source, or is made legible there."""
    match node:
        case ast.Constant() | ast.Call(func=ast.Name(id="as_tip")):
            return True
        case ast.Call(func=ast.Name(id="tr" | "localised"), args=texts, keywords=[]):
            return all(map(is_ours, texts))
        case ast.Name(id=name):
            return name.strip("_").isupper()
        case ast.JoinedStr(values=values):
            return all(map(is_ours, values))
        case ast.FormattedValue(value=value) | ast.Subscript(value=value):
            return is_ours(value)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            return is_ours(one) and is_ours(other)
    return False


TIPS = {"setToolTip": -1, "setTabToolTip": -1, "setWhatsThis": -1, "setStatusTip": -1, "showText": 1}
SETS_HTML = ("setHtml", "insertHtml", "appendHtml", "setMarkdown", "insertMarkdown")
READS_HTML = (
    "QTextBrowser",
    "QTextEdit",
    "QErrorMessage",
    "QWhatsThis",
    "QStaticText",
    "QTextDocumentFragment",
)
LABELS = "app/ui/kit/parts.py"


def faults_of_call(node: ast.Call, file: str) -> Iterator[str]:
    name = called(node)
    if name in TIPS and not is_ours(node.args[TIPS[name]]):
        yield f"{name} takes as_tip(...)"
    if name == "setItemData" and "ToolTipRole" in ast.unparse(node) and not is_ours(node.args[1]):
        yield f"{name} takes as_tip(...)"
    if name in SETS_HTML or name in READS_HTML:
        yield f"{name}: texts are plain"
    if name == "setTextFormat" and ast.unparse(node.args[0]) != "Qt.TextFormat.PlainText":
        yield "the style sheet says which label is not plain"
    if name == "QLabel" and file != LABELS:
        yield "a label is one of kit/parts.py"


def faults_of_class(node: ast.ClassDef, tree: ast.Module, file: str) -> Iterator[str]:
    bases = [ast.unparse(base) for base in node.bases]
    if "QLabel" in bases and file != LABELS:
        yield "a label is one of kit/parts.py"
    functions = [each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    if "QTextEdit" in bases and "loadResource" not in functions:
        yield "its document loads nothing"


def faults(tree: ast.Module, file: str = "") -> list[str]:
    """What a file does with texts that could be read as HTML, or shown as they are."""
    found: list[str] = []
    for node in ast.walk(tree):
        said: Iterator[str] = iter(())
        match node:
            case ast.Call():
                said = faults_of_call(node, file)
            case ast.ClassDef():
                said = faults_of_class(node, tree, file)
            case ast.If(test=ast.Compare(comparators=[ast.Attribute(attr="ToolTipRole")])):
                given = [each.value for each in node.body if isinstance(each, ast.Return) and each.value]
                said = ("a model gives tips as as_tip(...)" for each in given if not is_ours(each))
        found += [f"{file}:{getattr(node, 'lineno', 0)}: {each}" for each in said]
    return found


def test_no_text_is_shown_but_as_plain_text() -> None:
    files = sorted(UI.rglob("*.py"))
    assert len(files) > 100
    found = [
        fault
        for file in files
        for fault in faults(ast.parse(file.read_text("utf-8")), file.relative_to(UI.parent.parent).as_posix())
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "widget.setToolTip(name)",
        "widget.setToolTip(f'{NAME}: {path}')",
        "widget.setToolTip(tr('{name} is not read', name=name))",
        "bar.setTabToolTip(0, title or path)",
        "QToolTip.showText(place, row.tip, self)",
        "choice.setItemData(0, card.folder, Qt.ItemDataRole.ToolTipRole)",
        "if role == Qt.ItemDataRole.ToolTipRole:\n    return row.path",
        "page.setHtml(text)",
        "label.setTextFormat(Qt.TextFormat.RichText)",
        "label = QLabel(text)",
        "class Page(QTextEdit): pass",
    ],
)
def test_what_is_refused(line: str) -> None:
    assert faults(ast.parse(line))


# As the window shows it


@contextmanager
def watched(fifo: Path) -> Iterator[Callable[[], bool]]:
    """A named pipe, and whether anybody has opened it to read: who did would wait for ever without this."""
    os.mkfifo(fifo)
    with subprocess.Popen(["sh", "-c", 'echo > "$0"', str(fifo)]) as waiting:
        yield lambda: waiting.poll() is not None
        waiting.kill()


def hostile(name: Path | str) -> str:
    return f"<img src='{name}'><b>bold</b>&amp; \u202egpj.exe\x1b[31m"


def is_plain(text: str) -> bool:
    return not set(text) & set("\u202e\x1b")


class HostileEngine(FakeEngine):
    """Classifies texts into labels that are harmful."""

    def __init__(self, label: str) -> None:
        name = f"a\u202eb <b>model</b> {label}"
        cards = [
            ModelCard(
                name, f"/m/{head.value}", "bert", (head,), labels=(label, "y" * 300_000), description=label
            )
            for head in (*HEADS, Head.TOKEN_CLASSIFICATION)
        ]
        super().__init__(self._classes, *cards)
        self._label = label

    def _classes(self, request: object, choice: ModelChoice | None, report: Report) -> Classifications:
        assert isinstance(request, TextsToClassify)
        scores = (ClassScore(self._label, 0.9), ClassScore("other", 0.1))
        items = tuple(Classification(scores, self._label, windows=1, tokens=3) for _ in request.texts)
        return Classifications(items, 0.1, model=self.cards[0].name, device="CPU")


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    return tmp_path / "pipe"


@pytest.fixture
def engine(fifo: Path) -> FakeEngine:
    return HostileEngine(hostile(fifo))


def tip_now() -> QLabel:
    """The tool tip on the screen."""
    return next(each for each in QApplication.topLevelWidgets() if each.inherits("QTipLabel"))  # type: ignore[return-value]


def texts_in(model: QAbstractItemModel, role: Qt.ItemDataRole) -> Iterator[str]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
    for row in range(min(50, model.rowCount(QModelIndex()))):
        for column in range(columns):
            text = model.index(row, column, QModelIndex()).data(role)
            if isinstance(text, str):
                yield text
    for at in range(columns):
        text = model.headerData(at, Qt.Orientation.Horizontal, role)
        if isinstance(text, str):
            yield text


def check(widget: QWidget) -> set[str]:
    """Hold every label, tip and item below a widget to be plain and legible; what was seen."""
    seen: set[str] = set()
    for each in (widget, *widget.findChildren(QWidget)):
        each.ensurePolished()
        if isinstance(each, QLabel):
            rich = isinstance(each, StyledLabel)
            wanted = Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText
            assert each.textFormat() is wanted, (each, each.text())
            assert not (rich and ("<img" in each.text() or "<b>" in each.text()))
            seen.add(each.text())
        if isinstance(each, QTabBar):
            seen |= {each.tabText(at) for at in range(each.count())}
            seen |= {each.tabToolTip(at) for at in range(each.count())}
        if isinstance(each, QComboBox):
            seen |= {each.itemText(at) for at in range(each.count())}
        if isinstance(each, QAbstractItemView) and each.model() is not None:
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                seen |= set(texts_in(each.model(), role))
        seen |= {each.toolTip(), each.windowTitle()}
    assert not [text for text in seen if not is_plain(text)]
    assert max(map(len, seen)) < 5_000
    return seen


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_every_page_is_plain(
    open_window: Callable[[], MainWindow], qtbot: QtBot, fifo: Path, tmp_path: Path
) -> None:
    text = hostile(fifo)
    file = tmp_path / f"{text.replace('/', '_')[-60:]}.txt"
    file.write_text(f"{text}\nThe lighthouse is red.\n", encoding="utf-8")
    with watched(fifo) as opened:
        window = open_window()
        window.open_files([file])
        window.workspace.settings.recent_files = [str(file), "/x/<b>R&D</b>\u202e.txt"]
        settle(window, qtbot)
        seen: set[str] = set()
        for key in KEYS:
            window.show_page(key)
            settle(window, qtbot)
            qtbot.wait(50)
            seen |= check(window)
        window.notice.show_fault(text, text)
        window.status.set_note("ask", text)
        window.status.set_state("fault", text, text)
        seen |= check(window)
        for each in window.findChildren(QLabel):
            each.setText(text)  # wherever one may get there by other ways
            each.sizeHint()
        QApplication.processEvents()
        assert not opened()
    assert any("bold" in each for each in seen)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_tip_on_a_table_opens_nothing(
    open_page: Callable[[type[ClassifyView], FakeEngine], ClassifyView], qtbot: QtBot, fifo: Path
) -> None:
    text = hostile(fifo)
    view = open_page(ClassifyView, HostileEngine(text))
    view.findChild(TextPanel).ways._buttons[LINES].click()  # type: ignore[union-attr]
    edit(view).setPlainText(f"{text}\nAnother text\n")
    view.run()
    table = view.findChild(ResultTable)
    assert isinstance(table, ResultTable)
    qtbot.waitUntil(lambda: table.row_count() == 2 and table.isVisible())
    check(view)
    with watched(fifo) as opened:
        for column in range(3):
            place = table.visualRect(table.model().index(0, column)).center()
            event = QHelpEvent(QEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place))
            QApplication.sendEvent(table.viewport(), event)
            QApplication.processEvents()
            if QToolTip.isVisible():
                assert tip_now().textFormat() is Qt.TextFormat.PlainText
        QToolTip.showText(QPoint(5, 5), text, view)  # wherever one comes from
        tip_now().grab()
        QApplication.processEvents()
        assert tip_now().textFormat() is Qt.TextFormat.PlainText and not opened()
        QToolTip.hideText()


def test_a_fault_before_the_window_is_plain(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[QMessageBox] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: shown.append(box))
    last_words.show("<img src='/x'>\u202e is broken.")
    (box,) = shown
    assert box.textFormat() is Qt.TextFormat.PlainText and box.text() == "<img src='/x'> is broken."


def test_a_styled_label_shows_what_it_is_given(theme: Theme, qtbot: QtBot) -> None:
    label = StyledLabel()
    qtbot.addWidget(label)
    label.set_runs(("<b>not bold</b> & so on", "color: #123456"), ("", ""), ("\nnext\u202e", ""))
    assert label.text() == (
        '<span style="color: #123456">&lt;b&gt;not bold&lt;/b&gt; &amp; so on</span><span style=""><br>next</span>'
    )
    label.show()
    assert label.textFormat() is Qt.TextFormat.RichText


def test_a_button_shows_an_ampersand(theme: Theme, qtbot: QtBot) -> None:
    button = Button("R&D\u202e")
    qtbot.addWidget(button)
    assert button.text() == "R&D" and button.shortcut().isEmpty()
    button.setText("a && b")
    assert button.text() == "a && b"


def test_long_tips_have_lines_that_fit(theme: Theme, qtbot: QtBot) -> None:
    tip = as_tip("word " * 1000 + "\n\nlast")
    assert max(map(len, tip.splitlines())) <= 90 and len(tip) <= 2100 and tip.endswith("…")
    assert as_tip("one\n\ntwo") == "one\n\ntwo" and as_tip("") == ""
    label = plain_label("<i>x</i>\x07")
    qtbot.addWidget(label)
    assert label.text() == "<i>x</i> "
