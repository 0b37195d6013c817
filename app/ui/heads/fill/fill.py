"""The page that fills in a text's blanks."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Slot

from app.core import wording
from app.core.inspection import Subject, Visit
from app.core.message import Message
from app.core.models import Head
from app.core.requests import TextToFill
from app.core.results import FilledBlank, FilledText
from app.flows.heads.heads import fill
from app.flows.heads.kept import HeadResult, KeptResult
from app.flows.samples import FILL
from app.flows.workspace import Workspace
from app.ui.document.find_bar import IN_FIND_BAR
from app.ui.heads.fill.blank_editor import BlankEditor
from app.ui.heads.fill.fill_panel import FillPanel
from app.ui.heads.text_page import TextPage
from app.ui.heads.text_panel import centred, source_line
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# Earlier results are kept for undo and redo.
_MAX_RESULTS = 16


class FillView(TextPage):
    """A text with highlighted blanks at the left; the words for the chosen blank at the right."""

    KEY = "fill"
    TITLE = Message("Fill in")
    ICON = "fill"
    SHORTCUTS = (
        ("Ctrl+Enter", Message("Find words for the blanks")),
        ("Esc", Message("Stop")),
        ("Ctrl+B", Message("Make a blank of the selected word")),
        ("F3", Message("Next blank")),
        ("Shift+F3", Message("Previous blank")),
        ("Alt+1 … Alt+9", Message("Put a word of the list in its place; in the list 1 … 9, Enter")),
        ("Ctrl+Z", Message("Give the blank back")),
        ("Ctrl+I", Message("Look inside: how the model came to it")),
        ("Ctrl+F", Message("Find in the text")),
        IN_FIND_BAR,
        ("Ctrl+O", Message("Open a text file")),
        ("Ctrl+L", Message("Go to the text")),
    )
    HEAD = Head.MASKED_WORDS
    SAMPLES = FILL
    DRAFTS = ("fill",)
    _panel: FillPanel

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._results: dict[str, FilledText] = {}  # by text, the latest last
        self._typed_words: dict[int, str] = {}  # by the index of their blank
        self._blank_count = 0  # when the words were typed
        self._keeps_words = False
        self._editor = BlankEditor(
            theme, tr("Text with blanks"), tr("Type or paste a text with ___ where a word is missing.")
        )
        panel = FillPanel(theme)
        self._connect(panel)
        self.build(centred(theme, self._editor), (self._editor,), panel)

    # Filling in

    @Slot()
    def run(self) -> None:
        """Find the words for all blanks, replacing a running flow."""
        self._panel.notice.hide()
        blanks = self._editor.blanks()
        if not blanks:
            self._panel.notice.show_hint(
                tr("There is no blank yet."),
                tr("Type ___ where a word is missing, or make a blank of a word."),
            )
            self._editor.setFocus()
            return
        words = tuple(self._word_for(number) for number in range(len(blanks)))
        request = TextToFill(self._editor.text(), blanks, words if any(words) else ())
        ready = tr(
            "Getting ready to fill in the blank", "Getting ready to fill in {n:,} blanks", n=len(blanks)
        )
        self.start(ready, fill, request)

    def show_result(self, kept: KeptResult) -> None:
        (text,), result = kept.texts, kept.result
        assert isinstance(result, FilledText)
        self._results.pop(text, None)
        self._results[text] = result
        if len(self._results) > _MAX_RESULTS:
            del self._results[next(iter(self._results))]
        # A result of an earlier session comes with what was typed then.
        if self._job is None and len(result.blanks) == self._blank_count:
            asked = ((number, blank.asked) for number, blank in enumerate(result.blanks))
            self._typed_words = {number: guess.word for number, guess in asked if guess is not None}

    def result_note(self, result: HeadResult) -> str:
        assert isinstance(result, FilledText)
        return tr(
            "Words for {n:,} blank found in {time}", "Words for {n:,} blanks found in {time}",
            n=len(result.blanks), time=wording.duration(result.seconds),
        )  # fmt: skip

    def is_outdated(self) -> bool:
        return self._panel.is_stale or (bool(self._results) and self._editor.text() not in self._results)

    @Slot()
    def refresh(self) -> None:
        count, index = len(self._editor.blanks()), self._editor.index
        if count != self._blank_count:  # the indices of the typed words no longer match
            self._typed_words.clear()
        self._blank_count = count
        panel, outdated = self._panel, self.is_outdated()
        panel.show_text(empty=self._editor.is_empty(), blanks=count)
        if index < 0:
            panel.set_outdated(False)
            return
        panel.card.show_blank(index, count, self._editor.word_of(index))
        panel.card.question.set_word(self._word_for(index))
        # While new words are being looked for, the outdated ones stay.
        if not (outdated and (self.working() or self._keeps_words)):
            latest = self._latest()
            panel.show_words(self._filled(), source_line(latest) if latest else "")
        panel.set_outdated(outdated)

    def _filled(self) -> FilledBlank | None:
        """The result for the chosen blank, of this text or of the latest one if it has as many blanks."""
        index, count = self._editor.index, len(self._editor.blanks())
        found = self._results.get(self._editor.text(), self._latest())
        return found.blanks[index] if found and index >= 0 and len(found.blanks) == count else None

    def _latest(self) -> FilledText | None:
        return next(reversed(self._results.values()), None)

    # Words and blanks

    @Slot(int)
    def _put_word(self, row: int) -> None:
        filled = self._filled()
        if filled is None or not 0 <= row < len(filled.guesses):
            return
        index, word = self._editor.index, filled.guesses[row].word
        self._keeps_words = len(self._editor.blanks()) > 1
        self._editor.fill_in(index, word)
        if not self._editor.blanks():
            self.note.emit(tr("“{word}” put in its place; Ctrl+Z gives the blank back", word=word))
            self._editor.setFocus()
            return
        # The other blanks have one more word of context now: they are computed again.
        self._editor.choose(min(index, len(self._editor.blanks()) - 1))
        self.run()
        self._keeps_words = False

    @Slot()
    def _make_blank(self) -> None:
        self._panel.notice.hide()
        try:
            self._editor.make_blank()
        except ValueError:
            hint = tr("Select one word, or a few, without a blank among them.")
            self._panel.notice.show_hint(tr("That cannot become a blank."), hint)
        self._editor.setFocus()

    @Slot()
    def _restore_word(self) -> None:
        index = self._editor.index
        if word := self._editor.word_of(index):
            self._editor.fill_in(index, word)
        self._editor.setFocus()

    @Slot(str)
    def _word_edited(self, word: str) -> None:
        self._typed_words[self._editor.index] = word.strip()
        filled = self._filled()
        self._panel.card.question.show_answer(filled.asked if filled is not None else None)

    def _word_for(self, number: int) -> str:
        return self._typed_words.get(number, self._editor.word_of(number))

    def visit(self) -> Visit | None:
        text, blanks, index = self._editor.text(), self._editor.blanks(), self._editor.index
        if not blanks:
            return None
        subject = Subject(Head.MASKED_WORDS, text, focus=blanks[index], blanks=blanks)
        found = self._results.get(text)
        return Visit(subject, found.model if found else "", wording.first_words(text))

    def try_sample(self, index: int) -> None:
        super().try_sample(index)
        self._editor.choose(0)

    def _connect(self, panel: FillPanel) -> None:
        card = panel.card
        panel.blank.clicked.connect(self._make_blank)
        self._editor.chosen.connect(self.refresh)
        card.words.picked.connect(self._put_word)
        card.previous.clicked.connect(partial(self._editor.step, -1))
        card.next.clicked.connect(partial(self._editor.step, 1))
        card.back.clicked.connect(self._restore_word)
        card.foot.look_requested.connect(self._look_inside)
        card.words.undo_requested.connect(self._editor.searched.undo)
        card.words.redo_requested.connect(self._editor.searched.redo)
        card.question.field.textEdited.connect(self._word_edited)
        card.question.field.returnPressed.connect(self.run)
        card.question.ask.clicked.connect(self.run)
        self.add_shortcuts(
            ("Ctrl+B", self._make_blank),
            ("F3", partial(self._editor.step, 1)),
            ("Shift+F3", partial(self._editor.step, -1)),
            *((f"Alt+{row + 1}", partial(card.words.pick, row)) for row in range(9)),
        )
