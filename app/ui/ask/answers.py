"""The answers to a question: highlighted on the page, shown in the panel, stepped through, copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core import wording
from app.settings.settings import Settings
from app.ui.ask.answer_panel import IDLE, AnswerPanel
from app.ui.ask.outcome import Outcome
from app.ui.ask.sheet import Sheet

if TYPE_CHECKING:
    from app.core.offers import OfferedModel

_CHANGED = "The text was changed after this was asked."
_AWAITS_FILE = "Asked as soon as the file is open"
_AWAITS_TURN = "Asked after the question in another tab"
_GOES_ON = "begins again after the question in another tab"
_NONE_YET = "Nothing sure so far."
_PROVISIONAL = "Provisional: still reading"
_NOT_LIT = "Not marked on the page."


class Answers(QObject):
    """Shows the outcome of the current sheet, on its page and in the panel.

    `note` is for the status line; `unsure` is sent to look for stronger readers, after words with low confidence.
    """

    note = Signal(str)
    unsure = Signal()

    def __init__(self, settings: Settings, panel: AnswerPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._panel = panel
        self._own_threshold: float | None = None  # until the reader's card has been read
        self._readers: tuple[OfferedModel, ...] | None = None
        self.sheet: Sheet | None = None
        panel.card.chosen.connect(self.choose_first)
        panel.card.copy_asked.connect(self._copy_first)
        panel.card.nearest_asked.connect(self._show_nearest)
        panel.list.chosen.connect(self._row_chosen)
        panel.list.copy_asked.connect(self._copy_row)
        panel.threshold.changed.connect(self._threshold_moved)
        panel.threshold.own_asked.connect(self._take_own_threshold)
        panel.box.edited.connect(self._name_question)

    def show_sheet(self, sheet: Sheet) -> None:
        """Show the outcome of the last question about this sheet."""
        self.sheet = sheet
        self._panel.strip.clear()
        self.show()

    def show_if_up(self, sheet: Sheet) -> None:
        """Update the outcome shown if this is the current sheet."""
        if sheet is self.sheet:
            self.show()

    # Highlights

    def light(self, sheet: Sheet) -> None:
        """Highlight the answers of a sheet's outcome on its page."""
        outcome = sheet.outcome
        if not sheet.is_open:
            return
        if outcome is None or outcome.stale:
            sheet.pane.clear_highlights()
            sheet.pane.set_heat(())
            return
        answers = outcome.shown(self.threshold())
        sheet.pane.set_heat(outcome.heat if answers else ())
        outcome.chosen = min(outcome.chosen, max(0, len(answers) - 1))
        faint = not outcome.answered(self.threshold()) or (outcome.running and outcome.pinned is None)
        places = [(answer.span, answer.text) for answer in answers]
        outcome.lit = tuple(sheet.pane.light(places, outcome.chosen, faint=faint))

    def choose(self, index: int) -> None:
        """Highlight one of the answers strongly, and scroll to it."""
        outcome = self._outcome()
        if outcome is None or not 0 <= index < len(outcome.lit):
            return
        outcome.chosen = index
        if outcome.running and self.sheet is not None and not outcome.stale:
            outcome.pin(index)
            self.light(self.sheet)
            self.sheet.pane.reveal(outcome.chosen)
            self.show()
        elif self.sheet is not None and not outcome.stale:
            self.sheet.pane.choose(index)
            self.sheet.pane.reveal(index)
        self._panel.select(outcome.chosen)
        self._show_note()

    @Slot()
    def choose_first(self) -> None:
        """Go back to the answer on the card."""
        self.choose(0)

    def step(self, by: int) -> None:
        """Go to the next answer or the previous one, cyclically."""
        outcome = self._outcome()
        if outcome is not None and outcome.lit:
            self.choose((outcome.chosen + by) % len(outcome.lit))

    @Slot(int)
    def _row_chosen(self, row: int) -> None:
        self.choose(row + 1)

    @Slot(bool)
    def _show_nearest(self, on: bool) -> None:
        outcome = self._outcome()
        if outcome is not None and self.sheet is not None:
            outcome.why_not, outcome.chosen = on, 0
            self._panel.threshold.open(on, self._panel.card.why_not())
            self.light(self.sheet)
            self.sheet.pane.reveal(0)
            self.show()

    # The panel

    @Slot()
    def show(self) -> None:
        """Show the outcome of the current sheet."""
        panel, outcome = self._panel, self._outcome()
        self._show_threshold()
        self._name_question()
        panel.offer(self._offers())
        awaits = self.sheet.awaits if self.sheet is not None else ""
        if awaits and self.sheet is not None:
            panel.strip.waiting(_AWAITS_TURN if self.sheet.is_open else _AWAITS_FILE)
        elif outcome is None or not outcome.running:
            panel.strip.clear()
        elif outcome.paused:
            panel.strip.rest(f"{outcome.note}: {_GOES_ON}", outcome.reached)
        elif outcome.progress is None:
            panel.strip.waiting(outcome.waiting)
        else:
            panel.strip.show_progress(outcome.progress)
        panel.idle.setText(IDLE)
        if outcome is None or outcome.reading is None:
            panel.clear_answer()
            panel.idle.setVisible(not awaits and (outcome is None or not outcome.running))
            if outcome is not None and outcome.ended:
                panel.idle.setText(f"{outcome.ended}, before anything was found.")
            return
        reading = outcome.judged(self.threshold())
        if outcome.running and reading.shown is None:
            panel.clear_answer()
            panel.idle.setText(_NONE_YET)
            return
        panel.show_card()
        halted = outcome.ended or (outcome.note if outcome.paused else "")
        over = f"{halted}: the best so far" if halted else _PROVISIONAL if outcome.running else ""
        if reading.best is not None:
            panel.card.show_answer(
                outcome.place(0),
                reading.no_answer_probability,
                over,
                _facts(outcome),
                sure=not outcome.running,
            )
        elif reading.shown is not None:
            panel.card.show_low_confidence(
                outcome.place(0),
                reading.no_answer_probability,
                over,
                _facts(outcome),
                sure=not outcome.running,
            )
        else:
            nearest = outcome.place(0) if outcome.answers() else None
            quick = reading.quick and not outcome.ended
            over = wording.best_passages(reading.share_of_text) if quick else outcome.ended
            panel.card.show_none(
                reading.no_answer_probability,
                nearest,
                outcome.why_not,
                over,
                _facts(outcome),
                whole=reading.judged_whole and not outcome.ended,
            )
        panel.card.offer_look(not outcome.running and not outcome.stale)
        panel.card.offer_whole(reading.quick and not outcome.running and not outcome.stale)
        others = range(1, len(outcome.answers())) if reading.shown is not None else ()
        title = "Other places so far" if outcome.running else "Other places"
        panel.show_others([outcome.place(index) for index in others], title)
        self._offer_readers(outcome)
        # Answers that come while reading goes on do not scroll the list away from where the user is.
        panel.select(outcome.chosen, scroll=not outcome.running)
        self._show_note()

    def _offer_readers(self, outcome: Outcome) -> None:
        """Recommend a stronger reader where the final answer has low confidence."""
        self._panel.offer_readers("")
        reading = outcome.judged(self.threshold())
        if outcome.running or reading.best is not None or reading.shown is None:
            return
        if self._readers is None:
            self.unsure.emit()
            return
        if not self._readers:
            return
        from app.flows.models.catalogue import recommended, summary

        speed = self._settings.reading_speed
        best = recommended(self._readers, speed)
        others = [model for model in self._readers if model is not best]
        advice = (
            f"Recommended: {summary(best, speed)}." if best else "All are large or slow for this computer."
        )
        also = (
            f" {'Also' if best else 'They are'}: {', '.join(model.title for model in others)}."
            if others
            else ""
        )
        self._panel.offer_readers(
            f"A stronger reader may be surer. {advice}{also}",
            "\n".join(summary(model, speed) for model in others),
        )

    @Slot(object)
    def set_readers(self, readers: tuple[OfferedModel, ...] | None) -> None:
        """Set the stronger readers that can be installed; None to look for them again when needed."""
        self._readers = readers
        outcome = self._outcome()
        if outcome is not None and outcome.reading is not None:
            self._offer_readers(outcome)

    @Slot()
    def _name_question(self) -> None:
        """Name the answered question once another one is typed above its answer."""
        outcome = self._outcome()
        answered = (
            outcome.question if outcome is not None else self.sheet.awaits if self.sheet is not None else ""
        )
        self._panel.name_question(answered if answered != self._panel.box.question() else "")

    def _offers(self) -> list[str]:
        """The questions to try about a sample, except the one that was asked."""
        outcome = self._outcome()
        if self.sheet is None or (outcome is not None and outcome.running):
            return []
        return [one for one in self.sheet.offers if outcome is None or one != outcome.question]

    def _show_note(self) -> None:
        """Update the note below the answer shown."""
        outcome = self._outcome()
        if outcome is None or outcome.reading is None:
            return
        if outcome.stale:
            self._panel.card.set_note(_CHANGED, again=not outcome.running)
        elif outcome.lit and not outcome.lit[outcome.chosen] and self.sheet is not None:
            self._panel.card.set_note(f"{_NOT_LIT} {self.sheet.pane.why_not(outcome.chosen)}")
        elif self._panel.card.note() == _CHANGED or self._panel.card.note().startswith(_NOT_LIT):
            self._panel.card.set_note("")

    # Copying

    @Slot()
    def _copy_first(self) -> None:
        self._copy(0)

    @Slot()
    def copy(self) -> None:
        """Copy the answer that is highlighted strongly, with its sentence."""
        outcome = self._outcome()
        self._copy(outcome.chosen if outcome is not None else 0)

    @Slot(int)
    def _copy_row(self, row: int) -> None:
        self._copy(row + 1)

    def _copy(self, index: int) -> None:
        outcome = self._outcome()
        if outcome is None or outcome.reading is None or index >= len(outcome.answers()):
            return
        if outcome.shown(self.threshold()):
            QGuiApplication.clipboard().setText(outcome.place(index).copied())
            self.note.emit("Copied with its source")
            if index == 0:
                self._panel.card.copied()
        else:
            words, _ = wording.without_answer(
                outcome.reading.no_answer_probability, whole=outcome.reading.judged_whole
            )
            QGuiApplication.clipboard().setText(words)
            self.note.emit("Copied")

    # The threshold

    def set_own_threshold(self, threshold: float) -> None:
        """Set the reader's own threshold."""
        self._own_threshold = threshold
        self._show_threshold()

    def threshold(self) -> float | None:
        """The threshold that the user chose; None for the reader's own."""
        return self._settings.ask_threshold

    @Slot(float)
    def _threshold_moved(self, threshold: float) -> None:
        self._settings.ask_threshold = min(0.99, max(0.01, threshold))
        self._threshold_changed()

    @Slot()
    def _take_own_threshold(self) -> None:
        self._settings.ask_threshold = None
        self._threshold_changed()

    def _threshold_changed(self) -> None:
        outcome = self._outcome()
        if outcome is not None and self.sheet is not None and outcome.reading is not None:
            outcome.chosen = 0
            self.light(self.sheet)
        self.show()

    def _show_threshold(self) -> None:
        chosen = self.threshold()
        shown = self._own_threshold if chosen is None else chosen
        if shown is not None:
            self._panel.threshold.set_threshold(shown, chosen is None)

    def _outcome(self) -> Outcome | None:
        return self.sheet.shown_outcome if self.sheet is not None else None


def _facts(outcome: Outcome) -> str:
    """The time that reading took, what was read, and by which model."""
    reading = outcome.reading
    if reading is None or outcome.running:
        return ""
    by = f" by {reading.model}" if reading.model else ""
    read = "read whole" if reading.complete else "read in part"
    if reading.complete and reading.quick:
        found = f"found by {reading.finder}, " if reading.finder not in ("", reading.model) else ""
        read = f"the best passages {found}read"
    return f"{wording.duration(reading.seconds)}, {read}{by}"
