"""The section on this computer: where models run, in which precision, and the memory that they take."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.devices import Devices, MemoryUse
from app.core.errors import SpanlightError
from app.flows.models.devices import devices, memory, unload
from app.flows.workspace import Workspace
from app.ui.kit.facts import FactsGrid
from app.ui.kit.form_card import CardColumn, FormCard, say
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.section import ModelsSection
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.models import computer_words as words
from app.ui.models.device_rows import DeviceRow, DeviceRows
from app.ui.models.memory_bar import MemoryBar


class ComputerSection(ModelsSection):
    """Devices, precision, memory. `changed` carries "unloaded" where models were put away by hand."""

    KEY = "computer"
    TITLE = "This computer"

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._devices: Devices | None = None
        self._devices_job: Job | None = None
        self._memory_job: Job | None = None
        self._unload_job: Job | None = None
        self._worked = False
        minutes = sorted({*words.MINUTES, workspace.settings.unload_minutes})
        self.devices = DeviceRows(theme, "Where models run")
        self.precision = Segments(theme, "Precision", words.PRECISION_TITLES)
        self.bar, self.gpu_bar = MemoryBar(theme), MemoryBar(theme)
        self.held = FactsGrid(theme)
        self.away = QPushButton("Put models away now")
        self.minutes = Segments(
            theme, "Put away when idle", tuple((str(one), words.minutes_words(one)) for one in minutes)
        )
        self._lay_out()
        self._show_settings()
        self.devices.chosen.connect(self._device_chosen)
        self.precision.chosen.connect(self._precision_chosen)
        self.minutes.chosen.connect(self._minutes_chosen)
        self.away.clicked.connect(self._put_away)
        lanes.work.begun.connect(self._work_begun)
        lanes.work.rested.connect(self._rested)
        theme.changed.connect(self._restyle)
        self._restyle()

    def shown(self) -> None:
        """Look at the computer afresh."""
        self.look()
        self.devices.focus_chosen()

    def look(self) -> None:
        """Ask for devices and memory; in turn with the work that runs."""
        lane = self.lanes.work
        if self._devices_job is not None:
            self._devices_job.drop()
        if self._devices is None:
            say(self._looking, f"{words.LOOKING} {'' if lane.idle else words.BUSY}".strip())
        self._devices_job = lane.start_aside(devices, self.workspace)
        self._devices_job.done.connect(self._found)
        self._devices_job.failed.connect(self._not_found)
        self._ask_memory()

    def settings_changed(self) -> None:
        """Show what was chosen elsewhere."""
        self._show_settings()

    # What is chosen

    @Slot(str)
    def _device_chosen(self, key: str) -> None:
        self.workspace.settings.device = key
        self._save("device")

    @Slot(str)
    def _precision_chosen(self, key: str) -> None:
        self.workspace.settings.precision = key
        self._save("precision")

    @Slot(str)
    def _minutes_chosen(self, key: str) -> None:
        self.workspace.settings.unload_minutes = int(key)
        self._save("unload_minutes")

    @Slot()
    def _put_away(self) -> None:
        lane = self.lanes.work
        self.notice.clear()
        self.away.setEnabled(False)
        say(self._away_words, "" if lane.idle else words.BUSY)
        self._unload_job = lane.start_aside(unload, self.workspace)
        self._unload_job.done.connect(self._unloaded)
        self._unload_job.failed.connect(self._not_unloaded)

    def _save(self, what: str) -> None:
        self.notice.clear()
        try:
            self.workspace.save_settings()
        except SpanlightError as error:
            self.say_fault(error)
        self._show_settings()
        self.changed.emit(what)

    # What is found

    @Slot(object)
    def _found(self, found: Devices) -> None:
        self._devices = found
        say(self._looking, "")
        self._show_settings()
        self._torch.setText(f"PyTorch {found.torch}" if found.torch else "")
        if self.isVisible() and self.focusWidget() is None:
            self.devices.focus_chosen()

    @Slot(object)
    def _not_found(self, error: BaseException) -> None:
        say(self._looking, "")
        self.say_fault(error)

    @Slot(object)
    def _told(self, use: MemoryUse) -> None:
        models = use.process or words.held_size(use, gpu=False)
        self.bar.set_bytes(use.computer, models, use.computer - use.free - models)
        on_gpu = words.held_size(use, gpu=True)
        self.gpu_bar.set_bytes(use.gpu, on_gpu, use.gpu - use.gpu_free - on_gpu)
        self._memory.setText(words.memory_words(use))
        say(self._gpu, words.gpu_words(use), "")
        self.held.set_facts(words.held_facts(use))
        self.held.setVisible(bool(use.held))
        self._none.setVisible(not use.held)
        self.away.setEnabled(bool(use.held) and not self._putting_away())

    @Slot(object)
    def _unloaded(self, use: MemoryUse) -> None:
        say(self._away_words, "They are loaded again when they are needed.")
        self._told(use)
        self.changed.emit("unloaded")

    @Slot(object)
    def _not_unloaded(self, error: BaseException) -> None:
        say(self._away_words, "")
        self.say_fault(error)
        self._ask_memory()

    @Slot(object)
    def _work_begun(self, job: Job) -> None:
        self._worked = True
        if not self._putting_away():
            say(self._away_words, "")

    @Slot()
    def _rested(self) -> None:
        if self._worked and self.isVisible():
            self._worked = False
            self._ask_memory()

    def _putting_away(self) -> bool:
        return self._unload_job is not None and self._unload_job.running

    def _ask_memory(self) -> None:
        if self._memory_job is not None:
            self._memory_job.drop()
        self._memory_job = self.lanes.work.start_aside(memory, self.workspace)
        self._memory_job.done.connect(self._told)
        self._memory_job.failed.connect(self.say_fault)

    # How it looks

    def _show_settings(self) -> None:
        settings, found = self.workspace.settings, self._devices
        self.minutes.select(str(settings.unload_minutes))
        self.precision.select(settings.precision)
        if found is None:
            auto = DeviceRow("auto", "Automatic", "")
            self.devices.set_rows((auto,), "auto" if settings.device == "auto" else "")
            return
        self.devices.set_rows(words.device_rows(found, settings), words.device_key(settings))
        can = words.precisions(found, settings)
        for key, title in words.PRECISION_TITLES:
            allowed = key in ("auto", *can)
            self.precision.allow(
                key, allowed, "" if allowed else f"{title}: not computed in by what was chosen above."
            )
        say(self._precision_words, words.precision_words(found, settings))

    def _lay_out(self) -> None:
        where = FormCard(self.theme, "Where models run")
        self._looking = QLabel()
        say(self._looking, words.LOOKING)
        where.add_whole(self._looking)
        where.add_whole(self.devices)
        self._precision_words = where.add_row("Precision", self.precision)
        self._memory, self._gpu, self._none = QLabel(), QLabel(), QLabel("No model is in memory.")
        self._none.setProperty("ink", "quiet")
        for label in (self._memory, self._gpu):
            label.setWordWrap(True)
        taken = QWidget()
        self._column = QVBoxLayout(taken)
        for part in (self._memory, self.bar, self._gpu, self.gpu_bar, self.held, self._none):
            self._column.addWidget(part)
            part.hide()
        self._memory.show()
        self.away.setEnabled(False)
        away = QWidget()
        row = QHBoxLayout(away)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.away)
        row.addStretch(1)
        card = FormCard(self.theme, "Memory")
        card.add_whole(taken)
        self._away_words = card.add_row("Make room", away)
        card.add_row(
            "Put away when idle",
            self.minutes,
            "Models not asked for so long leave the memory; the next question loads them again.",
        )
        self._torch = QLabel()
        self._torch.setProperty("ink", "quiet")
        column = CardColumn(self.theme)
        for one in (self.notice, where, card, self._torch):
            column.add(one)
        column.fill(self)

    @Slot()
    def _restyle(self) -> None:
        theme = self.theme
        for label in (self._memory, self._gpu, self._none):
            label.setFont(theme.font("ui"))
        self._looking.setFont(theme.font("small"))
        self._torch.setFont(theme.font("small"))
        self._column.setSpacing(theme.step(2.5))
        self._column.setContentsMargins(0, 0, 0, theme.step(4))
