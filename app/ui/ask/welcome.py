"""The welcome of the very first start: a sample on the page, its question asked by the real reader."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.report import Report
from app.flows.samples import Sample
from app.flows.workspace import Workspace
from app.ui.ask.answer_panel import AnswerPanel
from app.ui.ask.answers import Answers
from app.ui.ask.asking import Asking
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.ask.welcome_band import WelcomeBand
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.outside import open_folder
from app.ui.kit.theme import Theme

# Its first answer is sure, and in the middle of an ordinary text.
_SAMPLE = "30-minutes"


def keep_welcomed(workspace: Workspace, report: Report) -> None:
    """Save that the welcome was shown; raises SpanlightError when the disk refuses."""
    workspace.settings.welcomed = True
    workspace.save_settings()


class Welcome(QObject):
    """Shows a band above the page, and asks a sample; `came` carries the band, which the page lays out.

    The user did not ask that question: it is in no history, and the sample is closed with the user's first own action,
    unless they have asked or changed something there.
    """

    came = Signal(object)

    def __init__(
        self,
        workspace: Workspace,
        theme: Theme,
        lanes: Lanes,
        sheets: Sheets,
        asking: Asking,
        answers: Answers,
        panel: AnswerPanel,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._workspace, self._theme, self._lanes = workspace, theme, lanes
        self._sheets, self._asking, self._answers, self._panel = sheets, asking, answers, panel
        self._band: WelcomeBand | None = None
        self._sheet: Sheet | None = None
        self._job: Job | None = None
        sheets.up.connect(self._sheet_up)
        sheets.going.connect(self._sheet_going)
        sheets.edited.connect(self.leave)
        asking.asked.connect(self._asked)
        asking.answered.connect(self._answered)
        asking.left.connect(self._answered)

    @property
    def band(self) -> WelcomeBand | None:
        """The band, None while it is not shown."""
        return self._band

    def show(self, samples: Sequence[Sample], *, first: bool = False) -> None:
        """Open the sample in a new tab, or use one that has it, and ask its first question.

        At the `first` start not where the user has begun already, with a file, say.
        """
        self._note()
        if first and not all(sheet.is_untouched() for sheet in self._sheets.all()):
            return
        sample = next((one for one in samples if one.name == _SAMPLE), next(iter(samples), None))
        if sample is None or not sample.questions:
            return
        self.leave()
        sheet = self._sheets.with_text(sample.text)
        if sheet is None:
            sheet = self._sheets.new()
            sheet.begin(sample.text, name=sample.title)
            sheet.offers, sheet.passing = sample.questions, True
        self._sheet = sheet
        self._put_up()
        if sheet.outcome is None:
            self._panel.box.set_question(sample.questions[0], sheet.history)
            self._asking.ask(sheet, example=True)
        elif not sheet.outcome.running:
            self._answered(sheet)
        self._panel.box.select()
        if self._band is not None:  # Tab goes on from the next step
            self._band.open.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def leave(self) -> bool:
        """Remove the band, the sample stays for now; returns whether it was there."""
        band, self._band = self._band, None
        if band is None:
            return False
        # Of the window: after a file dialog it may not be active yet, and have no application-wide focus.
        focused = band.window().focusWidget()
        if focused is not None and band.isAncestorOf(focused):
            self._panel.box.select()
        band.hide()
        band.deleteLater()
        return True

    def _note(self) -> None:
        """Save that the welcome was shown."""
        if not self._workspace.settings.welcomed:
            # A fault of the disk is shown with the next saving; a second welcome does no harm.
            self._job = self._lanes.files.start(keep_welcomed, self._workspace)

    def _put_up(self) -> None:
        band = self._band = WelcomeBand(self._theme, self._workspace.paths.data)
        band.closed.connect(self._close)
        band.folder_asked.connect(self._open_folder)
        self.came.emit(band)

    # Events

    @Slot(object)
    def _answered(self, sheet: Sheet) -> None:
        if self._band is not None and sheet is self._sheet:
            outcome = sheet.outcome
            self._band.show_answered(outcome is not None and outcome.answered(self._answers.threshold()))

    @Slot(object)
    def _asked(self, sheet: Sheet) -> None:
        sheet.passing = False
        self.leave()

    @Slot(object)
    def _sheet_up(self, sheet: Sheet) -> None:
        if self._sheet is None or sheet is self._sheet:
            return
        self.leave()
        before, self._sheet = self._sheet, None
        if before.passing:
            self._sheets.drop(before)

    @Slot(object)
    def _sheet_going(self, sheet: Sheet) -> None:
        if sheet is self._sheet:
            self._sheet = None
            self.leave()

    @Slot()
    def _close(self) -> None:
        self.leave()
        self._panel.box.select()

    @Slot()
    def _open_folder(self) -> None:
        notice = self._panel.notice
        notice.clear()
        open_folder(self._workspace.paths.data, notice.show_not_shown, self)
