"""The section Network: the offline switch, the network's settings, and the ledger of requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLabel

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import HUB, Remark, endpoint_remark, proxy_remark
from app.core.report import Report
from app.flows.network.network import cache_remark, certificates_remark, standard_cache
from app.flows.workspace import Workspace
from app.ui.kit.file_dialog import folder_name, open_name
from app.ui.kit.form_card import CardColumn, CheckedLine, FormCard, set_hint
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.sectioned import Section
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.models.requests import RequestsCard

_MODES = (("asked", Message("Only when asked")), ("offline", Message("Offline")))
_MODE_HINTS = {
    False: Message(
        "The network is used only when you look up or download a model here, or check for updates in the settings."
        " Your texts, questions and answers never leave this computer."
    ),
    True: Message(
        "Nothing is reached over the network. What is installed works as ever; no model can be looked up or"
        " downloaded, and no update be seen."
    ),
}
_ABOUT = {
    "endpoint": Message("Where models are looked up. Another address is for a mirror."),
    "proxy": Message("For computers that reach the network by way of another one."),
    "certificates": Message(
        "The certificates that connections are checked with. Some companies and schools hand out a file of their own."
    ),
    "hub_cache": Message("Downloads lie here, shared with other programs that use Hugging Face's tools."),
}


@dataclass(slots=True)
class _Field:
    """One setting: its line, its hint, its check with the job that runs it, and whether the text failed the check."""

    line: CheckedLine
    hint: QLabel
    check: Callable[[str], Remark]
    job: Job | None = None
    bad: bool = False


class NetworkForm(FormCard):
    """The network's settings. `setting_changed` carries the name of a setting that was changed and is to be saved."""

    setting_changed = Signal(str)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(theme, tr("How models are reached"))
        self._workspace = workspace
        self._lanes = lanes
        self.fields: dict[str, _Field] = {}
        systems, standard = tr("The system's own"), tr("The standard one")
        file, folder = tr("Choose a file…"), tr("Choose a folder…")
        self._add_field("endpoint", tr("Address"), HUB, endpoint_remark)
        self._add_field("proxy", tr("Proxy"), systems, proxy_remark)
        self._add_field("certificates", tr("Certificates"), systems, certificates_remark, file)
        self._add_field("hub_cache", tr("Folder for downloads"), standard, cache_remark, folder)
        self.token = QCheckBox(tr("Send the saved token"))
        self.add_row(
            tr("Who is asking"),
            self.token,
            tr(
                "The one that Hugging Face's tools have saved; only for models whose owners ask people to register."
                " Without it, requests name no account."
            ),
            wide=False,
        )
        self.fields["certificates"].line.button.clicked.connect(self._choose_certificates)
        self.fields["hub_cache"].line.button.clicked.connect(self._choose_cache)
        self.token.clicked.connect(self._token_chosen)
        lanes.files.start(do, standard_cache).then(self._standard_found)

    def show_settings(self) -> None:
        """Show the saved settings; a text that is being typed, or that failed its check, stays."""
        self.token.setChecked(self._workspace.settings.use_token)
        for name, field in self.fields.items():
            saved = getattr(self._workspace.settings, name)
            if not field.bad and not field.line.line.hasFocus():
                field.line.set_text(saved)
                self._check(name)

    def _add_field(
        self, name: str, title: str, placeholder: str, check: Callable[[str], Remark], choose: str = ""
    ) -> None:
        line = CheckedLine(self._theme, title, placeholder, choose)
        line.setObjectName(name)
        hint = self.add_row(title, line, _ABOUT[name])
        self.fields[name] = _Field(line, hint, check)
        line.typed.connect(self._typed)

    @Slot(str)
    def _typed(self, text: str) -> None:
        line = self.sender()
        if line is not None:
            self._check(line.objectName())

    def _check(self, name: str) -> None:
        """Check the text of a line, in the files lane, since it may name a file or folder."""
        field = self.fields[name]
        job = self._lanes.files.start(_check_entry, name, field.line.text(), field.check)
        field.job = job.replacing(field.job).then(self._checked)

    @Slot(object)
    def _checked(self, found: tuple[str, str, Remark]) -> None:
        name, typed, remark = found
        field, settings = self.fields[name], self._workspace.settings
        field.bad = remark.bad
        if remark.bad:
            unused = tr("It is not used yet.")
            set_hint(field.hint, f"{localised(remark.words).rstrip('.')}. {unused}", "fault")
        else:
            set_hint(field.hint, remark.words or _ABOUT[name])
        field.line.line.setAccessibleDescription(field.hint.text())
        typed = typed.strip()
        if not remark.bad and typed != getattr(settings, name):
            setattr(settings, name, typed)
            self.setting_changed.emit(name)

    @Slot(object)
    def _standard_found(self, folder: Path) -> None:
        self.fields["hub_cache"].line.line.setPlaceholderText(str(folder))

    @Slot()
    def _choose_certificates(self) -> None:
        name = open_name(
            self, tr("Choose certificates"), tr("Certificates (*.pem *.crt *.cer);;All files (*)")
        )
        if name:
            self.fields["certificates"].line.take(name)

    @Slot()
    def _choose_cache(self) -> None:
        if name := folder_name(self, tr("Choose a folder for downloads")):
            self.fields["hub_cache"].line.take(name)

    @Slot(bool)
    def _token_chosen(self, use: bool) -> None:
        self._workspace.settings.use_token = use
        self.setting_changed.emit("use_token")


def _check_entry(
    name: str, typed: str, check: Callable[[str], Remark], report: Report
) -> tuple[str, str, Remark]:
    return name, typed, check(typed)


class NetworkSection(Section):
    """The offline switch, the settings, and the ledger of requests."""

    KEY = "network"
    TITLE = Message("Network")

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.switch = Segments(theme, tr("Network"), _MODES)
        self.form = NetworkForm(workspace, theme, lanes)
        self.requests = RequestsCard(workspace, theme, lanes)
        card = FormCard(theme)
        self._mode_hint = card.add_row(tr("Network"), self.switch)
        self._column = CardColumn(theme)
        for part in (self.notice, card, self.form, self.requests):
            self._column.add(part)
        self._column.fill(self)
        self.switch.chosen.connect(self._mode_chosen)
        self.form.setting_changed.connect(self._save)
        self.requests.failed.connect(self.show_fault)

    def shown(self) -> None:
        """Show the settings, and refresh the list of requests."""
        self.settings_changed()
        self.requests.refresh()
        self.switch.focus_selected()

    def settings_changed(self) -> None:
        """Show what was changed elsewhere."""
        offline = self.workspace.settings.offline
        self.switch.select("offline" if offline else "asked")
        set_hint(self._mode_hint, _MODE_HINTS[offline])
        self.form.show_settings()

    def stop(self) -> bool:
        """Cancel the question about clearing the list."""
        asking = self.requests.question.asking
        self.requests.question.withdraw()
        return asking

    def search(self) -> None:
        """Search the requests."""
        self.requests.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.requests.filter.selectAll()
        # The rows found are below the search.
        self._column.ensureWidgetVisible(self.requests, 0, 0)
        self._column.ensureWidgetVisible(self.requests.filter, 0, self.theme.step(8))

    @Slot(str)
    def _mode_chosen(self, mode: str) -> None:
        self.workspace.settings.offline = mode == "offline"
        set_hint(self._mode_hint, _MODE_HINTS[mode == "offline"])
        self._save("offline")

    @Slot(str)
    def _save(self, what: str) -> None:
        self.notice.hide()
        try:
            self.workspace.save_settings()
        except SpanlightError as error:
            self.show_fault(error)
        self.changed.emit(what)
