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
from app.flows.heads.kept import KeptResult
from app.flows.samples import FILL
from app.flows.workspace import Workspace
from app.ui.document.finding import IN_FIND_BAR
from app.ui.heads.fill.blank_editor import BlankEditor
from app.ui.heads.fill.fill_panel import FillPanel
from app.ui.heads.text_page import TextPage, centred
from app.ui.heads.text_panel import source_line
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# So that undo and redo find earlier results.
_MAX_RESULTS = 16


class FillResults:
    """Results by text; `typed_words` has the words that the user typed, by blank."""

    def __init__(self) -> None:
        self.typed_words: dict[int, str] = {}
        self.latest: FilledText | None = None
        self._found: dict[str, FilledText] = {}
        self._count = 0

    def take(self, text: str, result: FilledText) -> None:
        """Store the result for a text."""
        self.latest = result
        self._found.pop(text, None)
        self._found[text] = result
        if len(self._found) > _MAX_RESULTS:
            del self._found[next(iter(self._found))]

    def for_text(self, text: str) -> FilledText | None:
        """The result for exactly this text."""
        return self._found.get(text)

    def kept(self) -> KeptResult | None:
        """The latest result with its text; None before one."""
        return KeptResult((next(reversed(self._found)),), self.latest) if self.latest is not None else None

    def take_kept(self, kept: KeptResult, result: FilledText) -> None:
        """Store the result of an earlier session, with the words that were asked for then."""
        self.take(kept.texts[0], result)
        self.count_blanks(len(result.blanks))
        asked = ((at, blank.asked) for at, blank in enumerate(result.blanks))
        self.typed_words = {at: guess.word for at, guess in asked if guess is not None}

    def outdated(self, text: str) -> bool:
        """Whether there are only results of other texts."""
        return self.latest is not None and text not in self._found

    def count_blanks(self, count: int) -> None:
        """Clear the typed words if the number of blanks changed, since their numbers no longer match."""
        if count != self._count:
            self.typed_words.clear()
        self._count = count

    def source(self) -> str:
        """The model, the device and the time of the latest result."""
        latest = self.latest
        return source_line(latest.model, latest.device, latest.seconds) if latest is not None else ""


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
    SAMPLES = FILL
    DRAFTS = ("fill",)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._results = FillResults()
        self._requested = ""
        self._placing = False
        self._editor = BlankEditor(
            theme, tr("Text with blanks"), tr("Type or paste a text with ___ where a word is missing.")
        )
        self._fill_panel = FillPanel(theme)
        self._connect()
        self.build(centred(theme, self._editor), (self._editor,), self._fill_panel, Head.MASKED_WORDS)

    # Filling in

    @Slot()
    def run(self) -> None:
        """Find the words for all blanks, replacing a running flow."""
        self._panel.notice.clear()
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
        self._requested = request.text
        ready = tr(
            "Getting ready to fill in the blank", "Getting ready to fill in {n:,} blanks", n=len(blanks)
        )
        self.start(ready, fill, request)

    def take(self, result: object) -> None:
        if isinstance(result, FilledText):
            self._results.take(self._requested, result)
            self.note.emit(
                tr(
                    "Words for {n:,} blank found in {time}", "Words for {n:,} blanks found in {time}",
                    n=len(result.blanks), time=wording.duration(result.seconds),
                )
            )  # fmt: skip

    def result(self) -> KeptResult | None:
        return self._results.kept()

    def take_kept(self, kept: KeptResult) -> None:
        if isinstance(kept.result, FilledText):
            self._results.take_kept(kept, kept.result)

    @Slot()
    def refresh(self) -> None:
        text, count, index = self._editor.text(), len(self._editor.blanks()), self._editor.index
        self._results.count_blanks(count)
        panel = self._fill_panel
        outdated = panel.is_stale or self._results.outdated(text)
        panel.show_text(empty=self._editor.is_empty(), blanks=count)
        if index < 0:
            panel.set_outdated(False)
            return
        panel.card.show_blank(index, count, self._editor.word_of(index))
        panel.card.question.set_word(self._word_for(index))
        if not (outdated and (self.working() or self._placing)):  # what is shown stays until there is better
            panel.show_words(self._filled(), self._results.source())
        panel.set_outdated(outdated)

    def _filled(self) -> FilledBlank | None:
        """The result for the chosen blank, of this text or of an earlier one with as many blanks."""
        index, count = self._editor.index, len(self._editor.blanks())
        found = self._results.for_text(self._editor.text()) or self._results.latest
        return found.blanks[index] if found and index >= 0 and len(found.blanks) == count else None

    # Words and blanks

    @Slot(int)
    def _pick(self, row: int) -> None:
        filled = self._filled()
        if filled is None or not 0 <= row < len(filled.guesses):
            return
        index, word = self._editor.index, filled.guesses[row].word
        self._placing = len(self._editor.blanks()) > 1
        self._editor.put(index, word)
        if not self._editor.blanks():
            self.note.emit(tr("“{word}” put in its place; Ctrl+Z gives the blank back", word=word))
            self._editor.setFocus()
            return
        # The other blanks now have one more context word: they are computed again.
        self._editor.choose(min(index, len(self._editor.blanks()) - 1))
        self.run()
        self._placing = False

    @Slot()
    def _make_blank(self) -> None:
        self._panel.notice.clear()
        try:
            self._editor.make_blank()
        except ValueError:
            hint = tr("Select one word, or a few, without a blank among them.")
            self._panel.notice.show_hint(tr("That cannot become a blank."), hint)
        self._editor.setFocus()

    @Slot()
    def _give_back(self) -> None:
        self._editor.give_back(self._editor.index)
        self._editor.setFocus()

    @Slot()
    def _next(self) -> None:
        self._editor.step(1)

    @Slot()
    def _previous(self) -> None:
        self._editor.step(-1)

    @Slot(str)
    def _word_edited(self, word: str) -> None:
        self._results.typed_words[self._editor.index] = word.strip()
        filled = self._filled()
        self._fill_panel.card.question.show_answer(filled.asked if filled is not None else None)

    def _word_for(self, number: int) -> str:
        return self._results.typed_words.get(number, self._editor.word_of(number))

    @Slot()
    def _look_inside(self) -> None:
        text, blanks, index = self._editor.text(), self._editor.blanks(), self._editor.index
        if not blanks:
            return
        subject = Subject(Head.MASKED_WORDS, text, focus=blanks[index], blanks=blanks)
        found = self._results.for_text(text)
        self.look_inside.emit(Visit(subject, found.model if found else "", wording.first_words(text)))

    @Slot(int)
    def try_sample(self, index: int) -> None:
        self._editor.replace(self._samples[index].text)
        self._editor.choose(0)
        self.run()

    def _connect(self) -> None:
        card = self._fill_panel.card
        self._fill_panel.blank.clicked.connect(self._make_blank)
        self._editor.chosen.connect(self.refresh)
        card.words.picked.connect(self._pick)
        card.previous.clicked.connect(self._previous)
        card.next.clicked.connect(self._next)
        card.back.clicked.connect(self._give_back)
        card.foot.look_requested.connect(self._look_inside)
        card.words.undo_requested.connect(self._editor.undo)
        card.words.redo_requested.connect(self._editor.redo)
        card.question.field.textEdited.connect(self._word_edited)
        card.question.submitted.connect(self.run)
        self.add_shortcuts(
            ("Ctrl+B", self._make_blank),
            ("F3", self._next),
            ("Shift+F3", self._previous),
            ("Ctrl+I", self._look_inside),
            *((f"Alt+{row + 1}", partial(card.words.pick, row)) for row in range(9)),
        )
