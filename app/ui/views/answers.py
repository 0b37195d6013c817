"""What a question brought: lit up on the page, said beside it, gone through, copied."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core import wording
from app.settings.settings import Settings
from app.ui.views.outcome import Outcome
from app.ui.views.sheet import Sheet
from app.ui.widgets.answer_panel import IDLE, AnswerPanel

_CHANGED = "The text was changed after this was asked."
_AWAITS_FILE = "Asked as soon as the file is open"
_AWAITS_TURN = "Asked after the question in another tab"
_GOES_ON = "begins again after the question in another tab"
_NONE_YET = f"So far: {wording.NO_SURE_ANSWER[:1].lower()}{wording.NO_SURE_ANSWER[1:]}"
_NOT_LIT = "Not marked on the page."


class Answers(QObject):
    """Shows the outcome of the sheet that is up, on its page and in the panel; `note` is for the status line."""

    note = Signal(str)

    def __init__(self, settings: Settings, panel: AnswerPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._panel = panel
        self._own_threshold: float | None = None  # until the reader's card has been read
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
        """Show what the last question about this sheet brought."""
        self.sheet = sheet
        self._panel.strip.clear()
        self.show()

    def show_if_up(self, sheet: Sheet) -> None:
        """Show a sheet's outcome anew if it is the sheet that is up."""
        if sheet is self.sheet:
            self.show()

    # What is lit up

    def light(self, sheet: Sheet) -> None:
        """Light up on a sheet's page what its outcome holds."""
        outcome = sheet.outcome
        if not sheet.is_open:
            return
        if outcome is None or outcome.stale:
            sheet.pane.put_out()
            sheet.pane.set_heat(())
            return
        found = outcome.answered(self.threshold())
        # Where it is said that there is no answer, nothing is marked but the nearest words, where a person wants them.
        sheet.pane.set_heat(outcome.heat if found or outcome.nearest else ())
        answers = outcome.answers()[: None if found else 1 if outcome.nearest else 0]
        outcome.chosen = min(outcome.chosen, max(0, len(answers) - 1))
        faint = not found or (outcome.running and outcome.kept is None)
        places = [(answer.span, answer.text) for answer in answers]
        outcome.lit = tuple(sheet.pane.light(places, outcome.chosen, faint=faint))

    def choose(self, index: int) -> None:
        """Light one of the answers up strongly, and scroll there."""
        outcome = self._outcome()
        if outcome is None or not 0 <= index < len(outcome.lit):
            return
        outcome.chosen = index
        if outcome.running and self.sheet is not None and not outcome.stale:
            outcome.keep(index)
            self.light(self.sheet)
            self.sheet.pane.reveal(outcome.chosen)
            self.show()
        elif self.sheet is not None and not outcome.stale:
            self.sheet.pane.choose(index)
            self.sheet.pane.reveal(index)
        self._panel.select(outcome.chosen)
        self._say()

    @Slot()
    def choose_first(self) -> None:
        """Go back to the answer on the card."""
        self.choose(0)

    def step(self, by: int) -> None:
        """Go to the next answer or the previous one, round and round."""
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
            outcome.nearest, outcome.chosen = on, 0
            self._panel.threshold.open(on, self._panel.card.why_not())
            self.light(self.sheet)
            self.sheet.pane.reveal(0)
            self.show()

    # What the panel shows

    @Slot()
    def show(self) -> None:
        """Show the outcome of the sheet that is up."""
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
        found = outcome.answered(self.threshold())
        if outcome.running and not found:
            panel.clear_answer()
            panel.idle.setText(_NONE_YET)
            return
        panel.show_card()
        halted = outcome.ended or (outcome.note if outcome.paused else "")
        over = f"{halted}: the best so far" if halted else "So far" if outcome.running else ""
        if found:
            no_answer = outcome.reading.no_answer_probability
            facts = self._facts(outcome)
            panel.card.show_answer(outcome.place(0), no_answer, over, facts, sure=not outcome.running)
        else:
            nearest = outcome.place(0) if outcome.answers() else None
            quick = outcome.reading.quick and not outcome.ended
            over = wording.best_passages(outcome.reading.share_of_text) if quick else outcome.ended
            panel.card.show_none(
                outcome.reading.no_answer_probability, nearest, outcome.nearest, over, self._facts(outcome)
            )
        panel.card.explain_facts(_closely(outcome))
        panel.card.offer_look(not outcome.running and not outcome.stale)
        panel.card.offer_whole(outcome.reading.quick and not outcome.running and not outcome.stale)
        others = range(1, len(outcome.answers())) if found else ()
        title = "Other places so far" if outcome.running else "Other places"
        panel.show_others([outcome.place(index) for index in others], title)
        # What is found while reading goes on does not scroll away what a person is looking at.
        panel.select(outcome.chosen, scroll=not outcome.running)
        self._say()

    @Slot()
    def _name_question(self) -> None:
        """Name the question that was asked, once another one is typed above its answer."""
        outcome = self._outcome()
        asked = (
            outcome.question if outcome is not None else self.sheet.awaits if self.sheet is not None else ""
        )
        self._panel.name_question(asked if asked != self._panel.box.question() else "")

    def _facts(self, outcome: Outcome) -> str:
        """How sure it is of the words beside the text, how long that took, and which model read what."""
        reading = outcome.reading
        if reading is None or outcome.running:
            return ""
        read = (
            "the best passages read"
            if reading.quick
            else "read whole"
            if reading.complete
            else "read in part"
        )
        by = f" by {reading.model}" if reading.model else ""
        took = f"{wording.duration(reading.seconds)}, {read}{by}"
        if not outcome.answered(self.threshold()):
            return took
        sure = wording.sure_of_both(outcome.answers()[0].probability, reading.no_answer_probability)
        return f"{sure} · {took}" if sure else took

    def _offers(self) -> list[str]:
        """The questions to try about a sample, less the one that was asked."""
        outcome = self._outcome()
        if self.sheet is None or (outcome is not None and outcome.running):
            return []
        return [one for one in self.sheet.offers if outcome is None or one != outcome.question]

    def _say(self) -> None:
        """Say what holds of the answer shown, below it."""
        outcome = self._outcome()
        if outcome is None or outcome.reading is None:
            return
        if outcome.stale:
            self._panel.card.say(_CHANGED, again=not outcome.running)
        elif outcome.lit and not outcome.lit[outcome.chosen] and self.sheet is not None:
            self._panel.card.say(f"{_NOT_LIT} {self.sheet.pane.why_not(outcome.chosen)}")
        elif self._panel.card.note() == _CHANGED or self._panel.card.note().startswith(_NOT_LIT):
            self._panel.card.say("")

    # Copying

    @Slot()
    def _copy_first(self) -> None:
        self._copy(0)

    @Slot()
    def copy(self) -> None:
        """Copy the answer that is lit up strongly, with its sentence."""
        outcome = self._outcome()
        self._copy(outcome.chosen if outcome is not None else 0)

    @Slot(int)
    def _copy_row(self, row: int) -> None:
        self._copy(row + 1)

    def _copy(self, index: int) -> None:
        outcome = self._outcome()
        if outcome is None or outcome.reading is None or index >= len(outcome.answers()):
            return
        if outcome.answered(self.threshold()) or outcome.nearest:
            QGuiApplication.clipboard().setText(outcome.place(index).copied())
            self.note.emit("Copied with its source")
            if index == 0:
                self._panel.card.copied()
        else:
            said, _ = wording.without_answer(
                outcome.reading.no_answer_probability, whole=outcome.reading.read_whole
            )
            QGuiApplication.clipboard().setText(said)
            self.note.emit("Copied")

    # The threshold

    def set_own_threshold(self, threshold: float) -> None:
        """Take the threshold that comes with the reader."""
        self._own_threshold = threshold
        self._show_threshold()

    def threshold(self) -> float | None:
        """The threshold that the person chose; None for the reader's own."""
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
        return self.sheet.said if self.sheet is not None else None


def _closely(outcome: Outcome) -> str:
    """How a text was read of which only some passages were read closely, for who wants to know."""
    reading = outcome.reading
    if reading is None or outcome.running or not reading.screened:
        return ""
    return (
        f"{wording.read_closely(reading.windows, reading.screened)}: all of them were looked over first, quickly and a"
        " little inexactly (in 8-bit integers). Those that may hold one of these answers were then read closely, and"
        " only what was read closely counts for an answer and its probability."
    )
