"""A line that says that a text is in a language that the model does not read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame

from app.core.languages import LanguageSubject, language
from app.core.models import Head
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr

if TYPE_CHECKING:
    from app.core.models import ModelCard
    from app.flows.models.languages import OtherLanguage


class LanguageLine(QFrame):
    """A sentence about a language that the head's model does not read, and a button for a model that reads it.

    Hidden while there is nothing to say. `used` carries the card of a model that the button has put to use; where none
    is installed, the button sends `go`, as a page does, to the models on offer. `updated` is sent when a check has
    ended, and when its result no longer holds.
    """

    used = Signal(object)
    go = Signal(str, object)
    failed = Signal(object)
    updated = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes, head: Head) -> None:
        super().__init__()
        self._workspace, self._lanes, self._head = workspace, lanes, head
        self._subjects: tuple[LanguageSubject, ...] = ()
        self._other: OtherLanguage | None = None
        self._job: Job | None = None
        self._words = plain_label(type="small", ink="quiet", selectable=True)
        theme.in_steps(self._words.setIndent, 1)  # aligned with the button's text
        self.button = push_button(theme, kind="link")
        mark(self.button, type="small")
        column(theme, self._words, (self.button, 0, Qt.AlignmentFlag.AlignLeft), parent=self)
        self.button.clicked.connect(self._act)
        self.hide()

    def words(self) -> str:
        """The shown sentence; empty while there is none."""
        return "" if self._other is None else self._words.text()

    def other_language(self) -> str:
        """The code of the language that the model does not read; empty if there is none."""
        return "" if self._other is None else self._other.language

    def check(self, *subjects: LanguageSubject) -> None:
        """Check in the background whether the model reads the languages of these subjects, and show it if not."""
        with_words = tuple(each for each in subjects if each.text.strip() or any(each.languages))
        if with_words != self._subjects:
            are_counts = with_words and all(
                sum(each.languages.values()) > 1 for each in (*self._subjects, *with_words)
            )
            if not are_counts:  # the last count of documents stays until the next is known
                self._show(None)
            self._subjects = with_words
            self.check_again()

    @Slot()
    def check_again(self) -> None:
        """Check the same subjects again, as another model may be in use."""
        if self._job is not None:
            self._job.drop()
            self._job = None
        if not self._subjects:
            return
        from app.flows.models.languages import other_language

        # The lane whose process detects languages.
        job = self._lanes.documents.start_aside(other_language, self._workspace, self._head, self._subjects)
        self._job = job.then(self._show)  # the page itself says if there is no model

    @Slot(object)
    def _show(self, other: OtherLanguage | None) -> None:
        self._other = other
        if other is not None:
            able = other.able
            self._words.setText(other.sentence)
            self.button.setText(
                tr("Use {model}", model=able.title)
                if able
                else tr("See models that read {language}", language=language(other.language))
            )
            self.button.setAccessibleName(self.button.text())
        self.setVisible(other is not None)
        self.updated.emit()

    @Slot()
    def _act(self) -> None:
        if self._other is None:
            return
        if self._other.able is None:
            self.go.emit("models", ("offered", (self._head.value, self._other.language)))
            return
        from app.flows.models.installed import use

        chosen = partial(use, self._workspace, self._head, self._other.able.folder)
        self._lanes.files.start_write(do, chosen).then(self._used, self.failed)

    @Slot(object)
    def _used(self, card: ModelCard) -> None:
        self.check_again()
        self.used.emit(card)
