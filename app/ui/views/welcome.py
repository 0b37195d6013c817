"""The welcome of the very first start: a sample on the page, its question asked by the real reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

from app.core.report import Report
from app.flows.samples import Sample
from app.flows.workspace import Workspace
from app.ui.jobs import Job
from app.ui.outside import open_folder
from app.ui.views.sheet import Sheet
from app.ui.widgets.welcome_band import WelcomeBand

if TYPE_CHECKING:
    from app.ui.views.ask import AskView

# One whose first answer is sure, and stands in the middle of a text as people have them.
_SAMPLE = "30-minutes"


def keep_welcomed(workspace: Workspace, report: Report) -> None:
    """Have no later start welcome anybody; raises SpanlightError when the disk refuses."""
    workspace.settings.welcomed = True
    workspace.save_settings()


class Welcome(QObject):
    """Shows a band above the page, and asks a sample.

    The person did not ask that question: it comes into no history, and the sample is closed with the first thing of
    their own, unless they have asked or changed something there.
    """

    def __init__(self, view: AskView) -> None:
        super().__init__(view)
        self._view = view
        self._band: WelcomeBand | None = None
        self._sheet: Sheet | None = None
        self._job: Job | None = None
        view.sheets.up.connect(self._sheet_up)
        view.sheets.going.connect(self._sheet_going)
        view.sheets.edited.connect(self.leave)
        view.asking.asked.connect(self._asked)
        view.asking.answered.connect(self._answered)
        view.asking.left.connect(self._answered)

    @property
    def band(self) -> WelcomeBand | None:
        """What is shown, None while there is nothing."""
        return self._band

    def show(self, samples: Sequence[Sample], *, first: bool = False) -> None:
        """Open the sample in a tab of its own, or the one that is open, and ask its first question.

        The `first` time not where somebody has begun already, with a file that they opened, say.
        """
        self._note()
        if first and not all(sheet.is_untouched() for sheet in self._view.sheets.all()):
            return
        view = self._view
        sample = next((one for one in samples if one.name == _SAMPLE), next(iter(samples), None))
        if sample is None or not sample.questions:
            return
        self.leave()
        sheet = view.sheets.with_text(sample.text)
        if sheet is None:
            sheet = view.sheets.new()
            sheet.begin(sample.text, name=sample.title)
            sheet.offers, sheet.passing = sample.questions, True
        self._sheet = sheet
        self._put_up()
        if sheet.outcome is None:
            view.panel.box.set_question(sample.questions[0], sheet.history)
            view.asking.ask(sheet, example=True)
        elif not sheet.outcome.running:
            self._answered(sheet)
        view.panel.box.select()
        if self._band is not None:  # Tab goes on from what is to be done next
            self._band.open.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def leave(self) -> bool:
        """Take the band away, the sample stays for now; returns whether it was there."""
        band, self._band = self._band, None
        if band is None:
            return False
        # The window's own: after the dialog of files it may not be the active one yet.
        focused = self._view.window().focusWidget()
        if focused is not None and band.isAncestorOf(focused):
            self._view.panel.box.select()
        self._view.column.removeWidget(band)
        band.hide()
        band.deleteLater()
        return True

    def _note(self) -> None:
        """Have no later start welcome anybody."""
        if not self._view.workspace.settings.welcomed:
            # Where the disk refuses, that is said by whatever is saved next; a second welcome does no harm.
            self._job = self._view.lanes.files.start(keep_welcomed, self._view.workspace)

    def _put_up(self) -> None:
        view = self._view
        band = self._band = WelcomeBand(view.theme, view.workspace.paths.data)
        view.column.insertWidget(1, band)
        band.follow(view.tabs.undo_button())
        view.theme.refresh()  # with a stylesheet in force Qt drops the fonts of what gets a parent
        band.closed.connect(self._close)
        band.open_asked.connect(view.choosing.choose)
        band.folder_asked.connect(self._open_folder)

    # What happens

    @Slot(object)
    def _answered(self, sheet: Sheet) -> None:
        if self._band is not None and sheet is self._sheet:
            outcome = sheet.outcome
            self._band.say_answered(outcome is not None and outcome.answered(self._view.answers.threshold()))

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
            self._view.sheets.drop(before)

    @Slot(object)
    def _sheet_going(self, sheet: Sheet) -> None:
        if sheet is self._sheet:
            self._sheet = None
            self.leave()

    @Slot()
    def _close(self) -> None:
        self.leave()
        self._view.panel.box.select()

    @Slot()
    def _open_folder(self) -> None:
        notice = self._view.panel.notice
        notice.clear()
        open_folder(self._view.workspace.paths.data, notice.show_not_shown, self)
