"""The page of one available model: what is known of it, and the next step, to look it up or to download it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QIcon

from app.core import wording
from app.core.offers import OfferedModel, Passport
from app.core.report import Report
from app.flows.measure.measure import measured
from app.flows.models.catalogue import suits
from app.flows.models.get import look_up
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.facts import FactsGrid
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.parts import plain_label, push_button, rule
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr
from app.ui.models.details import ModelSheet
from app.ui.models.downloads import Downloads, Stage
from app.ui.models.offers import offered_facts, passport_facts

_BUSY = (Stage.WAITING, Stage.RUNNING, Stage.DISCARDING)


class OfferSheet(ModelSheet):
    """A model of the catalogue, or of any repository: its next action with a hint, then its facts.

    `strip` shows a look-up, `link` leads to the section Network. `note` is one line for the status line;
    `show_requested` carries the folder of an installed model to show, `looked_up` a repository's name as requested and
    its own name, `download_begun` a repository whose download was begun here while the keyboard focus was here.
    """

    note = Signal(str)
    show_requested = Signal(str)
    looked_up = Signal(str, str)
    download_begun = Signal(str)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes, downloads: Downloads) -> None:
        super().__init__(theme)
        self._workspace = workspace
        self._lanes = lanes
        self._downloads = downloads
        self._repository = ""
        self._offered: OfferedModel | None = None
        self._suitability = ""
        self._folder = ""
        self._passports: dict[str, tuple[Passport, str]] = {}
        self._job: Job | None = None
        self.refusal = Notice(theme, closable=False)
        self.notice = Notice(theme)
        self.strip = ProgressStrip(theme)
        self.facts = FactsGrid(theme)
        self.button = push_button(theme, kind="primary")
        self._hint = plain_label(type="small", ink="quiet")
        self.link = push_button(theme, kind="link")
        hints = column(theme, self._hint, (self.link, 0, Qt.AlignmentFlag.AlignLeft))
        action = row(theme, self.button, (hints, 1), gap=3)
        self.put(self.refusal, self.notice, action, self.strip, rule(), self.facts)
        self.button.clicked.connect(self.act)
        self.strip.stop_asked.connect(self.stop)
        self.notice.closed.connect(self.refresh)
        downloads.changed.connect(self.refresh)

    @property
    def repository(self) -> str:
        """The shown repository, empty for none."""
        return self._repository

    @property
    def passport(self) -> Passport | None:
        """The passport of the shown repository, None before it was looked up."""
        return self.passport_of(self._repository)

    def passport_of(self, repository: str) -> Passport | None:
        """A repository's passport, from a look-up of this session or from its download; None if it has neither."""
        if repository in self._passports:
            return self._passports[repository][0]
        begun = self._downloads.find(repository)
        return begun.passport if begun is not None else None

    def _stage(self) -> Stage | None:
        """The stage of the shown repository's download, None if it has none."""
        begun = self._downloads.find(self._repository)
        return begun.stage if begun is not None else None

    def show_model(self, repository: str, offered: OfferedModel | None, suits: str, folder: str) -> None:
        """Show a repository; `offered` is its entry in the catalogue, `folder` its folder if it is installed."""
        if repository != self._repository and self._job is not None:
            self._job.drop()
            self.strip.clear()
        if repository != self._repository:
            self.notice.hide()
        if self._folder and not folder:
            self._passports.pop(repository, None)  # it was removed: the cache's content may have changed
        self._repository, self._offered, self._suitability, self._folder = repository, offered, suits, folder
        self.refresh()

    @Slot()
    def stop(self) -> bool:
        """Stop a look-up; returns whether one was running."""
        if self._job is not None and self._job.running:
            self._job.stop()
            return True
        return False

    @Slot()
    def refresh(self) -> None:
        """Show the current state."""
        if not self._repository:
            return
        known, offered = self.passport, self._offered
        title = offered.title if offered is not None else self._repository.rpartition("/")[2]
        line = offered.line if offered is not None else tr("It is not in Spanlight’s own list.")
        here = bool(self._folder)
        facts = offered_facts(offered, self._suitability, installed=here) if offered is not None else []
        if known is not None:
            suits = self._passports[self._repository][1] if self._repository in self._passports else ""
            facts = passport_facts(known, suits, offered, installed=here)
        self.set_title(title, self._repository, line)
        self.facts.set_facts(facts)
        if known is not None and known.card is None:
            self.refusal.show_fault(known.refused or tr("This model cannot be used here."), known.hint)
        else:
            self.refusal.hide()
        self._offer_next(known)

    def _offer_next(self, known: Passport | None) -> None:
        stage = self._stage()
        if self._folder:
            self._offer(tr("Show it"), tr("It is installed."), quiet=True)
        elif stage in _BUSY:
            self._offer("", tr("It is being downloaded: see below."))
        elif stage in (Stage.PAUSED, Stage.FAILED):
            offline = self._workspace.settings.offline
            hint = (
                tr("Spanlight is offline.") if offline else tr("It was begun and is not finished: see below.")
            )
            link = tr("Network…") if offline else ""
            self._offer(tr("Resume"), hint, icon="save", possible=not offline, link=link)
        elif known is not None and known.card is None:
            self._offer("", tr("Nothing of it was downloaded."))
        elif known is not None:
            self._offer_download(known)
        elif self._workspace.settings.offline:
            self.notice.hide()
            self._offer(
                tr("Look it up"), tr("Spanlight is offline: nothing is asked of the network."), icon="search",
                possible=False, link=tr("Network…"),
            )  # fmt: skip
        else:
            host = self._workspace.network.endpoint.partition("://")[2]
            again = bool(self.notice.sentence())
            self._offer(
                tr("Try again") if again else tr("Look it up"),
                tr(
                    "Asks {host} about the model, and measures the download speed with about 2 MB."
                    " Nothing is kept yet.", host=host,
                ),
                icon="again" if again else "search", possible=self._job is None or not self._job.running,
            )  # fmt: skip

    def _offer_download(self, known: Passport) -> None:
        download = tr("Download {size}", size=wording.size(known.to_fetch))
        short = known.free_disk and known.to_fetch > known.free_disk
        if self._workspace.settings.offline and known.to_fetch:
            offline, link = tr("Spanlight is offline."), tr("Network…")
            self._offer(download, offline, icon="save", possible=False, link=link)
        elif short:
            free = wording.size(known.free_disk)
            short_of = tr("There is not enough room: {size} are free.", size=free)
            self._offer(download, short_of, icon="save", possible=False)
        elif not known.to_fetch:
            self._offer(tr("Add it"), tr("Its files are in the Hugging Face cache: nothing is downloaded."))
        else:
            hint = tr("It can be paused, and goes on where it was.")
            if known.gated:
                register = tr("Its owner asks people to register first.")
                hint = f"{hint} {register}"
            self._offer(download, hint, icon="save")

    def _offer(
        self,
        action: str,
        hint: str,
        *,
        icon: str = "",
        possible: bool = True,
        link: str = "",
        quiet: bool = False,
    ) -> None:
        """Offer an action, none if it is empty; `hint` explains it, and `quiet` makes it less prominent."""
        for button, text in ((self.button, action), (self.link, link)):
            button.setText(text)
            button.setAccessibleName(text)
            button.setVisible(bool(text))
        mark(self.button, kind="" if quiet else "primary")
        self.button.setIcon(self._theme.icon(icon, "ink" if quiet else "on_accent") if icon else QIcon())
        self.button.setEnabled(possible)
        self._hint.setText(hint)
        # Level with the text of the link, which has a margin around it.
        self._hint.setContentsMargins(self._theme.step(1) if action else 0, 0, 0, 0)

    def hint(self) -> str:
        """The hint next to the button."""
        return self._hint.text()

    @Slot()
    def go_in(self) -> None:
        """Put the keyboard focus on the action's button, or else on the text, which the arrow keys scroll."""
        able = self.button.isVisibleTo(self) and self.button.isEnabled()
        (self.button if able else self).setFocus(Qt.FocusReason.ShortcutFocusReason)

    # What the button does

    @Slot()
    def act(self) -> None:
        """Run the next action: look it up, download it, or show it."""
        known = self.passport
        here = self.button.hasFocus()
        if self._folder:
            self.show_requested.emit(self._folder)
        elif self._stage() in (Stage.PAUSED, Stage.FAILED):
            if (begun := self._downloads.find(self._repository)) is not None:
                begun.resume()
        elif known is None:
            self._look_up()
        elif known.card is not None and self._stage() not in _BUSY:
            self._downloads.start(known)
        # The button is gone, or has another action now: the keyboard goes on to the download's row.
        if here and self._stage() in _BUSY:
            self.download_begun.emit(self._repository)

    @Slot()
    def _look_up(self) -> None:
        if not self._repository or (self._job is not None and self._job.running):
            return
        self.notice.hide()
        commit = self._offered.commit if self._offered is not None else ""
        self.strip.show_busy(tr("Looking it up"))
        job = self._lanes.lookups.start(_look_up_passport, self._workspace, self._repository, commit)
        self._job = job.then(self._passport_found, self._failed, self._finish_look_up)
        self.refresh()

    @Slot(object)
    def _passport_found(self, found: tuple[str, Passport, str]) -> None:
        requested, passport, suits = found
        self._passports[requested] = (passport, suits)
        if passport.repository != requested:
            self._passports[passport.repository] = (passport, suits)
        self.looked_up.emit(requested, passport.repository)
        self.note.emit(tr("{model} was looked up; nothing was downloaded", model=passport.repository))
        self._finish_look_up()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self.notice.show_error(error)
        self._finish_look_up()

    @Slot()
    def _finish_look_up(self) -> None:
        here = self.isAncestorOf(self.window().focusWidget() or self.window())
        self.strip.clear()
        self.refresh()
        if here:
            self.go_in()


def _look_up_passport(
    workspace: Workspace, repository: str, commit: str, report: Report
) -> tuple[str, Passport, str]:
    passport = look_up(workspace, repository, report, commit=commit)
    return repository, passport, suits(passport.card, workspace, measures=measured(workspace, report))
