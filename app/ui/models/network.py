"""The section on the network: whether it may be used, how, and every request that was made."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from app.core.errors import SpanlightError
from app.flows.workspace import Workspace
from app.ui.kit.form_card import CardColumn, FormCard, say
from app.ui.kit.jobs import Lanes
from app.ui.kit.section import ModelsSection
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.models.network_form import NetworkForm
from app.ui.models.requests import RequestsCard

_WAYS = (("asked", "Only when asked"), ("offline", "Offline"))
_MEANS = {
    False: "The network is used only when you look up or download a model here, or check for updates in the settings."
    " Your texts, questions and answers never leave this computer.",
    True: "Nothing is reached over the network. What is installed works as ever; no model can be looked up or"
    " downloaded, and no update be seen.",
}


class NetworkSection(ModelsSection):
    """The offline switch, the settings and the ledger."""

    KEY = "network"
    TITLE = "Network"

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self.switch = Segments(theme, "Network", _WAYS)
        self.form = NetworkForm(workspace, theme, lanes)
        self.requests = RequestsCard(workspace, theme, lanes)
        card = FormCard(theme)
        self._means = card.add_row("Network", self.switch)
        self._column = CardColumn(theme)
        for part in (self.notice, card, self.form):
            self._column.add(part)
        self._column.add(self.requests, wide=True)
        self._column.fill(self)
        self.switch.chosen.connect(self._way_chosen)
        self.form.kept.connect(self._save)
        self.requests.failed.connect(self.say_fault)

    def shown(self) -> None:
        """Show what holds, and read the list of requests afresh."""
        self.settings_changed()
        self.requests.look()
        self.switch.focus_selected()

    def settings_changed(self) -> None:
        """Show what was chosen elsewhere."""
        offline = self.workspace.settings.offline
        self.switch.select("offline" if offline else "asked")
        say(self._means, _MEANS[offline])
        self.form.show_settings()

    def stop(self) -> bool:
        """Take the question away whether the list is to be cleared."""
        asking = self.requests.asking
        self.requests.calm()
        return asking

    def search(self) -> None:
        """Search the requests."""
        self.requests.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.requests.filter.selectAll()
        # What is found stands below what is typed.
        self._column.ensureWidgetVisible(self.requests, 0, 0)
        self._column.ensureWidgetVisible(self.requests.filter, 0, self.theme.step(8))

    @Slot(str)
    def _way_chosen(self, way: str) -> None:
        self.workspace.settings.offline = way == "offline"
        say(self._means, _MEANS[way == "offline"])
        self._save("offline")

    @Slot(str)
    def _save(self, what: str) -> None:
        self.notice.clear()
        try:
            self.workspace.save_settings()
        except SpanlightError as error:
            self.say_fault(error)
        self.changed.emit(what)
