"""The welcome of the very first start: a sample on the page, with its question asked of the real reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QWidget

from app.core.report import Report
from app.flows.samples import Sample
from app.flows.workspace import Workspace
from app.settings.paths import short_path
from app.ui.ask.answer_panel import AnswerPanel
from app.ui.ask.controller import AskController
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.boxes import column, row, turn
from app.ui.kit.jobs import Job
from app.ui.kit.outside import open_folder
from app.ui.kit.page import Page
from app.ui.kit.parts import ElidedLabel, Label, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

# The sample: its first answer is sure, and stands in the middle of an ordinary text.
_SAMPLE = "30-minutes"
# In steps: in a narrower band the buttons are below the text.
_NARROW = 170


def keep_welcomed(workspace: Workspace, report: Report) -> None:
    """Save that the welcome was shown; raises SpanlightError when the disk refuses."""
    workspace.settings.welcomed = True
    workspace.save_settings()


class WelcomeBand(QFrame):
    """The band above the page: what Spanlight does, what is shown, where data is kept, and that it stays here.

    `line` is about the sample. Its buttons are `open`, for a file of the user's own, `folder`, where data is kept, and
    `close_button`.
    """

    def __init__(self, theme: Theme, data: Path) -> None:
        super().__init__()
        self._theme = theme
        mark(self, kind="welcome")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Welcome to Spanlight"))
        self._title = plain_label(tr("Ask a document, and the answer lights up"), type="title")
        self.line = plain_label()
        self._signs = [Label(), Label()]
        self._private = plain_label(
            tr("Nothing that you open or ask leaves this computer."), type="small", ink="quiet"
        )
        self._place = ElidedLabel(tr("What you keep lies in {folder}", folder=short_path(data)))
        mark(self._place, type="small", ink="quiet")
        self.folder = push_button(theme, tr("Open the folder"), kind="link", tip=str(data))
        mark(self.folder, type="small")
        self.open = push_button(
            theme, tr("Open a file of yours…"), kind="primary", tip=tr("Open files  (Ctrl+O)")
        )
        self.close_button = push_button(theme, tr("Got it"), tip=tr("Put this away  (Esc)"))
        self._before: QWidget | None = None
        self._lay_out()
        self._set_line(
            tr("This is a sample. The question at the right is being asked about it, on this computer…")
        )
        theme.in_steps(self._whole.setContentsMargins, 6, 4, 6, 4)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_answered(self, found: bool) -> None:
        """Show the text for after the sample was read; `found`: there is an answer."""
        if found:
            self._set_line(
                tr(
                    "This is a sample. The question at the right was asked about it:"
                    " its answer is lit up in the text."
                )
            )
        else:
            self._set_line(tr("This is a sample. Ask it something, or open a file of yours."))

    def follow(self, before: QWidget) -> None:
        """Put the buttons into the tab order behind the widget `before`, in their visual order."""
        self._before = before
        self._set_tab_order()

    def _set_tab_order(self) -> None:
        if self._before is None:
            return
        buttons = (self.open, self.close_button)
        one = self._before
        for after in (self.folder, *buttons) if self._is_narrow() else (*buttons, self.folder):
            QWidget.setTabOrder(one, after)
            one = after

    def _set_line(self, words: str) -> None:
        self.line.setText(words)
        self.line.setAccessibleName(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the buttons and the facts where there is little room."""
        super().resizeEvent(event)
        self._arrange()

    def _lay_out(self) -> None:
        theme, (private, place) = self._theme, self._signs
        self._facts = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._facts.addLayout(row(theme, private, (self._private, 1), gap=2))
        self._facts.addLayout(row(theme, place, (self._place, 1000), self.folder, 1, gap=2), 1)
        self._buttons = row(theme, self.open, self.close_button, 1, gap=2)
        self._whole = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._whole.addLayout(column(theme, self._title, self.line, self._facts, gap=1.5), 1)
        self._whole.addLayout(self._buttons)

    def _is_narrow(self) -> bool:
        return self.width() < self._theme.step(_NARROW)

    def _have_facts_room(self) -> bool:
        """Whether both facts fit side by side, left of the buttons."""
        step = self._theme.step
        words = self._private.fontMetrics().horizontalAdvance(self._private.text())
        facts = words + self._place.natural_width() + self.folder.sizeHint().width()
        gaps = step(8) + 2 * step(4) + 3 * step(2)  # between the two, behind their icons, and within each
        buttons = step(8) + self._buttons.sizeHint().width()
        return self.contentsRect().width() - 2 * step(6) >= facts + gaps + buttons

    def _arrange(self) -> None:
        step, is_narrow = self._theme.step, self._is_narrow()
        is_wide = not is_narrow and self._have_facts_room()
        turn(self._whole, beside=not is_narrow)
        self._whole.setSpacing(step(3 if is_narrow else 8))
        turn(self._facts, beside=is_wide)
        self._facts.setSpacing(step(8) if is_wide else 0)
        self._private.setWordWrap(not is_wide)
        self._set_tab_order()

    @Slot()
    def _restyle(self) -> None:
        theme, step = self._theme, self._theme.step
        self._place.setMaximumWidth(self._place.natural_width())
        size = step(4)
        for sign, icon in zip(self._signs, ("offline", "document"), strict=True):
            sign.setPixmap(theme.icon(icon, "accent").pixmap(QSize(size, size), self.devicePixelRatioF()))
        self._arrange()


class Welcome(QObject):
    """Shows a band above the page, and asks about a sample; `shown` carries the band, which the page lays out.

    The question is not the user's: it is in no history, and the sample is closed when the user shows another sheet,
    unless they have typed, changed or asked something in it.
    """

    shown = Signal(object)

    def __init__(self, page: Page, sheets: Sheets, controller: AskController, panel: AnswerPanel) -> None:
        super().__init__(page)
        self._workspace, self._theme, self._lanes = page.workspace, page.theme, page.lanes
        self._sheets, self._controller, self._panel = sheets, controller, panel
        self.band: WelcomeBand | None = None  # while it is shown
        self._sheet: Sheet | None = None
        self._job: Job | None = None
        sheets.shown.connect(self._sheet_shown)
        sheets.closing.connect(self._sheet_closing)
        controller.asking.connect(self._asking)
        controller.ended.connect(self._question_ended)

    def show(self, samples: Sequence[Sample], *, first: bool = False) -> None:
        """Open the sample in a new tab, or show the tab that has it, and ask its first question.

        At the `first` start nothing is shown where the user has begun already, with a file, say.
        """
        self.keep_welcomed()
        if first and not all(sheet.is_untouched() for sheet in self._sheets.all()):
            return
        sample = next((one for one in samples if one.name == _SAMPLE), next(iter(samples), None))
        if sample is None or not sample.questions:
            return
        self.leave()
        sheet = self._sheets.bring_text(sample.text)
        is_new = sheet is None
        if sheet is None:
            sheet = self._sheets.new()
            sheet.show_text(sample.text, name=localised(sample.title))
            sheet.session.suggestions = sample.questions
        self._sheet = sheet
        self._show_band()
        run = sheet.session.run
        if run is None:
            self._panel.box.set_question(sample.questions[0], sheet.session.history)
            sheet.session.is_demo = is_new  # until anything is typed or asked
            self._controller.ask(sheet, is_example=True)
        elif not run.is_running:
            self._question_ended(sheet)
        self._panel.box.select()
        if self.band is not None:  # the next thing to do
            self.band.open.setFocus(Qt.FocusReason.OtherFocusReason)

    def keep_welcomed(self) -> None:
        """Save that the welcome was shown."""
        if not self._workspace.settings.welcomed:
            # A fault of the disk is shown at the next save; a second welcome does no harm.
            self._job = self._lanes.files.start(keep_welcomed, self._workspace)

    @Slot()
    def leave(self) -> bool:
        """Remove the band, but not the sample; returns whether there was one."""
        band, self.band = self.band, None
        if band is None:
            return False
        # The window's own focus widget: after a file dialog the window may not be active yet.
        focused = band.window().focusWidget()
        if focused is not None and band.isAncestorOf(focused):
            self._panel.box.select()
        band.hide()
        band.deleteLater()
        return True

    def _show_band(self) -> None:
        band = self.band = WelcomeBand(self._theme, self._workspace.paths.data)
        band.close_button.clicked.connect(self._close)
        band.folder.clicked.connect(self._open_folder)
        self.shown.emit(band)

    # Events

    @Slot(object)
    def _question_ended(self, sheet: Sheet | None) -> None:
        if self.band is not None and sheet is not None and sheet is self._sheet:
            run = sheet.session.run
            self.band.show_answered(run is not None and run.is_answered)

    @Slot(object)
    def _asking(self, sheet: Sheet | None) -> None:
        if sheet is not None:
            sheet.session.is_demo = False
            self.leave()

    @Slot(object)
    def _sheet_shown(self, sheet: Sheet) -> None:
        if self._sheet is None or sheet is self._sheet:
            return
        self.leave()
        before, self._sheet = self._sheet, None
        if before.session.is_demo:
            self._sheets.drop(before)

    @Slot(object)
    def _sheet_closing(self, sheet: Sheet) -> None:
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
        notice.hide()
        open_folder(self._workspace.paths.data, notice.show_unopened, self)
