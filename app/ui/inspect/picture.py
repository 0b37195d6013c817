"""The section What happens here: the picture of the model from text to result, as it ran on this text."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QPushButton, QTreeWidget, QTreeWidgetItem

from app.core.inside import ModelPicture, ModuleRow
from app.core.inspection import LookAtModel
from app.core.message import Message
from app.core.models import Head, family_title, model_title
from app.ui.inspect.charts.flow_picture import FlowPicture
from app.ui.inspect.own_head import OwnHeadCard
from app.ui.inspect.section import Section, SectionCard, at_reading_width
from app.ui.kit.boxes import row
from app.ui.kit.parts import Sideways, as_tip, plain_label
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_EXPANDED_LEVELS = 2  # of the tree, from its root
_VISIBLE_ROWS = 16
_POOLED = "pooled"


def questions_and_answers(picture: ModelPicture) -> tuple[tuple[str, str], ...]:
    """Two questions with their answers: why one token or every token, and what the pooled output is."""
    first, family = picture.window.tokens[0].piece, family_title(picture.family)
    classes = next((head for head in picture.heads if head.head is Head.CLASSIFICATION), None)
    pooled = classes is not None and _POOLED in classes.takes
    each = tr(
        "An answer may start or end at any token of the text, so each is judged by a state of its own. A class is one"
        " result for the whole text, so one state must stand for all of it. That is the first token, {token}: it means"
        " nothing by itself, and in every layer it looks at all others, so it can gather what the class depends on.",
        token=first,
    )
    if pooled:
        which = tr(
            "Why does question answering take every token’s state, and classification only the pooled {token}?",
            token=first,
        )
        why = tr(
            "The sequence output’s first vector is {token} as the last layer leaves it. The pooled output is that"
            " vector put through one more layer: {size:,} weighted sums of its numbers, each squeezed between −1 and 1"
            " by tanh. Other numbers come out, made to judge the text as a whole: BERT’s pooler learned that by telling"
            " whether one passage follows another, ALBERT’s by telling which of two came first, and a classifier goes"
            " on teaching it. For a text to classify, “Pooled output and [CLS]” proves it in numbers.",
            token=first,
            size=picture.trunk[-1].output[-1],
        )
    else:
        which = tr(
            "Why does question answering take every token’s state, and classification only {token}?",
            token=first,
        )
        why = tr(
            "In BERT the pooled output is the first token’s vector put through one more layer, dense and tanh, so its"
            " numbers are others. {family} has no such layer ahead of its heads here: the head for classes takes the"
            " first token’s vector itself and has a dense layer of its own, as the picture shows.",
            family=family,
        )
    return (which, each), (tr("Why is the pooled output not the first vector of the sequence output?"), why)


def why_it_takes(head: Head, first: str) -> str:
    """What a head takes, and why, in words; `first` is the model's first token."""
    if head is Head.QUESTION_ANSWERING:
        return tr(
            "Any token may be where the answer starts or ends, so this head takes every token’s state; a head that"
            " judges the text as a whole takes only the first token, {token}.",
            token=first,
        )
    if head in (Head.CLASSIFICATION, Head.NEXT_SENTENCE):
        return tr(
            "This head judges the text as a whole, so it takes only the first token, {token}, which has looked at"
            " all others; a head that says something of each word takes every token’s state.",
            token=first,
        )
    return tr(
        "This head takes every token’s state, because each token gets a result of its own; a head that judges the"
        " text as a whole takes only the first token, {token}.",
        token=first,
    )


class AnswersCard(SectionCard):
    """The card of the two questions, each with its answer below."""

    def __init__(self, theme: Theme) -> None:
        self._rows = [
            (plain_label(type="small_strong", selectable=True), plain_label(selectable=True))
            for _ in range(2)
        ]
        super().__init__(
            theme,
            tr("Why it is so"),
            tr("sequence output and pooled output"),
            tr("What is often asked of BERT’s heads, answered for the model above."),
            *(at_reading_width(theme, label) for pair in self._rows for label in pair),
        )

    def show_picture(self, picture: ModelPicture) -> None:
        """Show the questions and answers for this model."""
        for (question, answer), (question_text, reason) in zip(
            self._rows, questions_and_answers(picture), strict=True
        ):
            question.setText(question_text)
            answer.setText(reason)


class PictureSection(Section):
    """The picture, the tree of all modules, questions and answers, and a head of one's own."""

    KEY = "picture"
    TITLE = Message("What happens here")
    TERM = Message("encoder and heads, with the shapes that flow")
    ABOUT = Message(
        "The text is cut into tokens, each token becomes a row of numbers, and layer by layer every token takes up"
        " something of the others."
    )

    def build(self) -> None:
        self._shown: ModelPicture | None = None
        self._facts = plain_label(ink="quiet")
        self._picture = self.main = FlowPicture(self.theme)
        self._tree_button = QPushButton(tr("Show every module"))
        self._tree_button.setCheckable(True)
        self._tree_button.toggled.connect(self._show_tree)
        copy = QPushButton(tr("Copy the tree as text"))
        copy.setToolTip(as_tip(tr("What print(model) gives")))
        copy.clicked.connect(self._copy_tree)
        self._tree = ModuleTree(self.theme)
        self._answers, self._own_head = AnswersCard(self.theme), OwnHeadCard(self.theme)
        self._own_head.note.connect(self.note)
        self.add_results(self._facts, Sideways(self._picture), self.chart_bar(self._picture))
        self.body.addLayout(row(self.theme, self._tree_button, copy, 1, gap=4))
        self.results += (self._tree_button, copy)
        self.add_results(self._tree, self._answers, self._own_head)

    def begin(self) -> None:
        self.about.setText(self.ABOUT)
        self.query(LookAtModel(self.visit.subject), tr("Opening the model"), self._show)

    @Slot(object)
    def _show(self, picture: ModelPicture) -> None:
        self._shown = picture
        self._picture.set_picture(picture)
        self._facts.setText(
            tr(
                "{model} · {family} · {n:,} weight · read off the model while it ran on {device}. Grey columns are"
                " heads that this family can have too.",
                "{model} · {family} · {n:,} weights · read off the model while it ran on {device}. Grey columns are"
                " heads that this family can have too.",
                n=picture.parameters,
                model=model_title(picture.model),
                family=family_title(picture.family),
                device=picture.device,
            )
        )
        why = why_it_takes(self.visit.subject.head, picture.window.tokens[0].piece)
        self.about.setText(f"{localised(self.ABOUT)} {why}")
        self._tree.set_modules(picture.modules)
        self._answers.show_picture(picture)
        self._own_head.show_picture(picture)
        self.show_results()
        self._tree.setVisible(self._tree_button.isChecked())

    @Slot(bool)
    def _show_tree(self, shown: bool) -> None:
        self._tree_button.setText(tr("Hide the modules") if shown else tr("Show every module"))
        self._tree.setVisible(shown)

    @Slot()
    def _copy_tree(self) -> None:
        if self._shown is not None:
            QGuiApplication.clipboard().setText(self._shown.printed)
            self.note.emit(tr("The modules are copied as text"))


class ModuleTree(QTreeWidget):
    """A model's modules as a tree, with class, details and weights; Ctrl+C copies the path of the current one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(tr("Every module"))
        self.setColumnCount(4)
        self.setHeaderLabels([tr("Module"), tr("Class"), tr("What it says of itself"), tr("Weights")])
        self.headerItem().setTextAlignment(3, Qt.AlignmentFlag.AlignRight)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        theme.in_steps(self.setIndentation, 4)

    def set_modules(self, rows: tuple[ModuleRow, ...]) -> None:
        """Show these modules, each below the last one before it that is less deep."""
        self.clear()
        above: list[QTreeWidgetItem] = []
        for one in rows:
            weights = tr("{number:,}", number=one.parameters) if one.parameters else ""
            item = QTreeWidgetItem([one.name or one.kind, one.kind, one.detail, weights])
            item.setData(0, Qt.ItemDataRole.UserRole, one.path)
            item.setToolTip(0, as_tip(one.path))
            item.setTextAlignment(3, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            del above[one.depth :]
            if above:
                above[-1].addChild(item)
            else:
                self.addTopLevelItem(item)
            above.append(item)
            item.setExpanded(one.depth < _EXPANDED_LEVELS)
        for column in (0, 1, 3):
            self.resizeColumnToContents(column)
            self.setColumnWidth(column, self.columnWidth(column) + self._theme.step(4))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.matches(QKeySequence.StandardKey.Copy) and item is not None:
            QGuiApplication.clipboard().setText(str(item.data(0, Qt.ItemDataRole.UserRole)))
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(120), (_VISIBLE_ROWS + 2) * self.fontMetrics().height() * 3 // 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(60), self.sizeHint().height())
