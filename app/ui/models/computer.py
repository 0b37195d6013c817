"""The section This computer: the device and precision that models run with, and the memory that they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QRadioButton, QSizePolicy, QWidget

from app.core import wording
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import (
    PRECISION_WORDS,
    PRECISIONS,
    DeviceChoice,
    DeviceOption,
    Devices,
    HeldModel,
    MemoryUse,
    model_title,
)
from app.flows.models.devices import devices, memory, unload
from app.flows.workspace import Workspace
from app.settings.settings import Settings
from app.ui.kit.boxes import column
from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.form_card import CardColumn, FormCard, set_hint
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.parts import as_tip, plain_label, push_button
from app.ui.kit.sectioned import Section
from app.ui.kit.segments import Choices, Segments
from app.ui.kit.spoken import sentence, sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.models.words import tasks_in_words

PRECISION_TITLES = (
    ("auto", Message("Automatic")),
    ("float32", Message("32 bits")),
    ("bfloat16", Message("16 bits, bfloat16")),
    ("float16", Message("16 bits, float16")),
)
_ABOUT = {
    "float32": Message("Every number as exact as the model computes it."),
    "bfloat16": Message(
        "Half the memory. Numbers are rounded more coarsely: probabilities may differ a little."
    ),
    "float16": Message(
        "Half the memory. Numbers are rounded, and very large ones do not fit: a few models fail with it."
    ),
}
# By the pattern of a device's reason: the value in it that is shown first, and the remark that follows.
_REMARKS = {
    "{reason}; bfloat16 with {instructions}": (
        "reason", Message("It computes with 16 bits, which is fastest here.")
    ),
    "{reason}; float32, faster here than bfloat16 with {instructions}": (
        "reason", Message("It computes with 32 bits, which is faster here than 16.")
    ),
    "{reason}; {precision} chosen": ("reason", Message("It computes with {precision}, as was chosen.")),
    "{cores}; bfloat16 with {instructions} is fastest": ("cores", Message("It is fastest with 16 bits.")),
    "{cores}; float32 is faster than bfloat16 with {instructions}": (
        "cores", Message("It is faster with 32 bits than with 16.")
    ),
    "fastest in {dtype}": ("", Message("It is fastest with {precision}.")),
}  # fmt: skip
MINUTES = (0, 5, 15, 60)
BUSY = Message("After the work that runs now.")
QUERYING = Message("Looking at what this computer has…")


def device_rows(devices: Devices, settings: Settings) -> tuple[DeviceRow, ...]:
    """`auto` first, then every device; at the end the chosen one if it is no longer present."""
    auto = devices.auto
    taken = sentences(tr("Takes the {device} now.", device=auto.title), reason_in_words(auto.reason))
    rows = [DeviceRow("auto", tr("Automatic"), taken, tip=auto.reason)]
    rows += [
        DeviceRow(
            one.key, _title(one), reason_in_words(one.reason), _memory_words(one), one.usable, one.reason
        )
        for one in devices.options
    ]
    chosen = device_key(settings)
    if chosen not in {row.key for row in rows}:
        rows.append(
            DeviceRow(chosen, chosen, tr("It was chosen, and is not here. Choose another one."), usable=False)
        )
    return tuple(rows)


def device_key(settings: Settings) -> str:
    """The chosen device's key in the list: "cuda" is the first GPU."""
    return "cuda:0" if settings.device == "cuda" else settings.device


def precisions(devices: Devices, settings: Settings) -> tuple[str, ...]:
    """The dtypes that the chosen device computes in, the one that `auto` takes first."""
    key = device_key(settings)
    options = [one for one in devices.options if one.usable and key in ("auto", one.key)]
    found = dict.fromkeys(dtype for one in options for dtype in one.precisions if dtype in PRECISIONS)
    if key == "auto":
        found = dict.fromkeys((devices.auto.dtype, *found))
    return tuple(found) or ("float32",)


def precision_explanation(devices: Devices, settings: Settings) -> str:
    """What the chosen precision means on this computer."""
    available = precisions(devices, settings)
    if settings.precision == "auto":
        first = available[0]
        automatic = tr("Automatic takes {precision} here.", precision=PRECISION_WORDS.get(first, first))
        return f"{automatic} {localised(_ABOUT.get(first, ''))}".strip()
    if settings.precision not in available:
        chosen = PRECISION_WORDS.get(settings.precision, settings.precision)
        return tr(
            "What was chosen to run models does not compute in {precision}. Choose another one.",
            precision=chosen,
        )
    return localised(_ABOUT.get(settings.precision, ""))


def memory_words(use: MemoryUse) -> str:
    """The memory that the model process takes, and the computer's free memory."""
    own = tr("No model process runs.")
    if use.process:
        own = tr("The model process takes {size}.", size=wording.size(use.process))
    if not use.computer:
        return own
    free, size = wording.size(use.free), wording.size(use.computer)
    whole = tr("{free} of the computer's {size} are free.", free=free, size=size)
    return f"{own} {whole}"


def gpu_words(use: MemoryUse) -> str:
    """The free memory of the GPU in use; empty without a GPU."""
    if not use.gpu:
        return ""
    free, size = wording.size(use.gpu_free), wording.size(use.gpu)
    return tr("{free} of the GPU's {size} are free.", free=free, size=size)


def loaded_size(use: MemoryUse, *, gpu: bool) -> int:
    """The bytes of the models on a GPU, or in the computer's own memory."""
    return sum(model.size for model in use.held if model.device.startswith("cuda") == gpu)


def reason_in_words(reason: str) -> str:
    """A device's reason in whole sentences, without the names of dtypes and of the processor's instructions."""
    if not isinstance(reason, Message) or reason.pattern not in _REMARKS:
        return sentence(reason)
    name, remark = _REMARKS[reason.pattern]
    precision = str(reason.values.get("precision", reason.values.get("dtype", "")))
    remark = remark.filled(precision=PRECISION_WORDS.get(precision, precision))
    before = reason.values.get(name, "")
    return sentences(reason_in_words(before) if isinstance(before, str) else "", remark)


def minutes_words(minutes: int) -> str:
    """The idle time after which models are unloaded, in words."""
    return tr("{n:,} minute", "{n:,} minutes", n=minutes) if minutes else tr("Never")


def _title(one: DeviceOption) -> str:
    kind = DeviceChoice(one.key, "", "").title
    return one.title if one.title.startswith(kind) else f"{kind}: {one.title}"


def _memory_words(one: DeviceOption) -> str:
    if not one.memory:
        return ""
    whole = wording.size(one.memory)
    if not one.free:
        return localised(whole)
    return tr("{free} of {whole} free", free=wording.size(one.free), whole=whole)


def _held_model_in_words(model: HeldModel) -> str:
    where = DeviceChoice(model.device, model.dtype, "").title
    parts = [
        tasks_in_words((model.head,)),
        where,
        PRECISION_WORDS.get(model.dtype, model.dtype),
        wording.size(model.size),
    ]
    if model.opened:
        parts.append(tr("for Look inside"))
    return " · ".join(map(localised, parts))


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One device: its title, its description, a text at the right end, and whether it can be chosen.

    `tip` is the description in technical terms.
    """

    key: str
    title: str
    words: str
    aside: str = ""
    usable: bool = True
    tip: str = ""


class DeviceRows(Choices):
    """A row for each device, one of them chosen; Tab goes on from them to the controls in `following`, in order."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(name)
        self._theme = theme
        self._rows: tuple[DeviceRow, ...] = ()
        self.following: tuple[QWidget, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        theme.in_steps(self._grid.setHorizontalSpacing, 4)

    def set_rows(self, rows: Sequence[DeviceRow], chosen: str) -> None:
        """Show these rows, one of them chosen; the keyboard focus stays where it is."""
        if tuple(rows) != self._rows:
            focused = next((key for key, button in self._buttons.items() if button.hasFocus()), "")
            self._rows = tuple(rows)
            self._build()
            if focused in self._buttons:
                self._buttons[focused].setFocus(Qt.FocusReason.OtherFocusReason)
        self.select(chosen)

    def _build(self) -> None:
        for button in self._buttons.values():
            self._group.removeButton(button)
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item else None
            if isinstance(widget, QWidget):
                widget.hide()
                widget.deleteLater()
        self._buttons.clear()
        for at, row in enumerate(self._rows):
            button = QRadioButton(row.title)
            button.setEnabled(row.usable)
            button.setAccessibleDescription(f"{row.words} {row.aside}".strip())
            button.setToolTip(as_tip(row.tip))
            words, aside = (plain_label(text, type="small", ink="quiet") for text in (row.words, row.aside))
            aside.setWordWrap(False)
            words.setToolTip(as_tip(row.tip))
            self._theme.in_steps(words.setContentsMargins, 6.75, 0, 0, 2.5)
            self.add_button(row.key, button)
            self._grid.addWidget(button, 2 * at, 0)
            self._grid.addWidget(aside, 2 * at, 1, Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(words, 2 * at + 1, 0, 1, 2)
        # Qt's default Tab order is that of creation, and these are created after the controls that follow them.
        for before, after in pairwise([*self._buttons.values(), *self.following]):
            QWidget.setTabOrder(before, after)


class MemoryBar(QWidget):
    """The memory of models in amber, of other programs in grey, the free rest empty; words beside it say the same."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._total = self._models = self._others = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.in_steps(self.setFixedHeight, 2.5)

    def set_bytes(self, total: int, models: int, others: int) -> None:
        """Show the bytes of models and of others out of a total; hidden while the total is unknown (0)."""
        self._total, self._models, self._others = total, models, others
        self.setVisible(total > 0)
        self.update()

    def shares(self) -> tuple[float, float]:
        """The shares (0 to 1) of models and others; together at most 1."""
        if not self._total:
            return 0.0, 0.0
        models = min(1.0, max(0.0, self._models / self._total))
        return models, min(1.0 - models, max(0.0, self._others / self._total))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect())
        path = QPainterPath()
        path.addRoundedRect(whole, whole.height() / 2, whole.height() / 2)
        painter.setClipPath(path)
        painter.fillRect(whole, self._theme.colour("track"))
        models, others = self.shares()
        left = 0.0
        for share, role in ((models, "mark"), (others, "handle")):
            width = share * whole.width()
            painter.fillRect(QRectF(left, 0, width, whole.height()), self._theme.colour(role))
            left += width


class ComputerSection(Section):
    """Devices, precision, memory. `changed` carries "unloaded" once models were unloaded by hand."""

    KEY = "computer"
    TITLE = Message("This computer")

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._devices: Devices | None = None
        self._devices_job: Job | None = None
        self._memory_job: Job | None = None
        self._unload_job: Job | None = None
        self._memory_outdated = False
        minutes = sorted({*MINUTES, workspace.settings.unload_minutes})
        self.devices = DeviceRows(theme, tr("Where models run"))
        self.precision = Segments(theme, tr("Precision"), PRECISION_TITLES)
        self.bar, self.gpu_bar = MemoryBar(theme), MemoryBar(theme)
        self.loaded = FactsGrid(theme)
        self.unload = push_button(theme, tr("Unload models"))
        self.minutes = Segments(
            theme, tr("Unload when idle"), tuple((str(one), minutes_words(one)) for one in minutes)
        )
        self.devices.following = (*self.precision.buttons(), self.unload, *self.minutes.buttons())
        self._lay_out()
        self.settings_changed()
        for choice in (self.devices, self.precision, self.minutes):
            choice.chosen.connect(self._choice_changed)
        self.unload.clicked.connect(self._request_unload)
        lanes.work.begun.connect(self._work_begun)
        lanes.work.rested.connect(self._lane_rested)

    def shown(self) -> None:
        """Query the computer again."""
        self.refresh()
        self.devices.focus_selected()

    def refresh(self) -> None:
        """Query devices and memory, queued after running work."""
        lane = self.lanes.work
        start = lane.start_aside
        if self._devices is None:
            if not lane.free:
                start = lane.start  # the filling of a table, which may take hours, gives way to it
            busy = "" if lane.idle else localised(BUSY)
            set_hint(self._querying, f"{localised(QUERYING)} {busy}".strip())
        job = start(devices, self.workspace).replacing(self._devices_job)
        self._devices_job = job.then(self._devices_found, self._devices_failed)
        self._query_memory()

    def settings_changed(self) -> None:
        """Show the settings, and what they allow on this computer."""
        settings, found = self.workspace.settings, self._devices
        self.minutes.select(str(settings.unload_minutes))
        self.precision.select(settings.precision)
        if found is None:
            auto = DeviceRow("auto", tr("Automatic"), "")
            self.devices.set_rows((auto,), "auto" if settings.device == "auto" else "")
            return
        self.devices.set_rows(device_rows(found, settings), device_key(settings))
        available = precisions(found, settings)
        for key, title in PRECISION_TITLES:
            allowed = key in ("auto", *available)
            why = tr("{precision}: not computed in by what was chosen above.", precision=title)
            self.precision.allow(key, allowed, "" if allowed else why)
        set_hint(self._precision_hint, precision_explanation(found, settings))

    # Choices

    @Slot(str)
    def _choice_changed(self, key: str) -> None:
        settings, choice = self.workspace.settings, self.sender()
        if choice is self.devices:
            name, settings.device = "device", key
        elif choice is self.precision:
            name, settings.precision = "precision", key
        else:
            name, settings.unload_minutes = "unload_minutes", int(key)
        self.notice.hide()
        try:
            self.workspace.save_settings()
        except SpanlightError as error:
            self.show_fault(error)
        self.settings_changed()
        self.changed.emit(name)

    @Slot()
    def _request_unload(self) -> None:
        lane = self.lanes.work
        self.notice.hide()
        self.unload.setEnabled(False)
        set_hint(self._unload_hint, "" if lane.idle else BUSY)
        job = lane.start_aside(unload, self.workspace)
        self._unload_job = job.then(self._unloaded, self._unload_failed)

    # Results

    @Slot(object)
    def _devices_found(self, found: Devices) -> None:
        self._devices = found
        set_hint(self._querying, "")
        self.settings_changed()
        self._torch.setText(f"PyTorch {found.torch}" if found.torch else "")
        if self.isVisible() and self.focusWidget() is None:
            self.devices.focus_selected()

    @Slot(object)
    def _devices_failed(self, error: BaseException) -> None:
        set_hint(self._querying, "")
        self.show_fault(error)

    @Slot(object)
    def _show_memory(self, use: MemoryUse) -> None:
        models = use.process or loaded_size(use, gpu=False)
        self.bar.set_bytes(use.computer, models, use.computer - use.free - models)
        on_gpu = loaded_size(use, gpu=True)
        self.gpu_bar.set_bytes(use.gpu, on_gpu, use.gpu - use.gpu_free - on_gpu)
        self._memory.setText(memory_words(use))
        set_hint(self._gpu, gpu_words(use), "")
        self.loaded.set_facts([Fact(model_title(one.name), _held_model_in_words(one)) for one in use.held])
        self.loaded.setVisible(bool(use.held))
        self._none.setVisible(not use.held)
        self.unload.setEnabled(bool(use.held) and not self._unloading())

    @Slot(object)
    def _unloaded(self, use: MemoryUse) -> None:
        set_hint(self._unload_hint, tr("They are loaded again when they are needed."))
        self._show_memory(use)
        self.changed.emit("unloaded")

    @Slot(object)
    def _unload_failed(self, error: BaseException) -> None:
        set_hint(self._unload_hint, "")
        self.show_fault(error)
        self._query_memory()

    @Slot(object)
    def _work_begun(self, job: Job) -> None:
        self._memory_outdated = True
        if not self._unloading():
            set_hint(self._unload_hint, "")

    @Slot()
    def _lane_rested(self) -> None:
        if self._memory_outdated and self.isVisible():
            self._memory_outdated = False
            self._query_memory()

    def _unloading(self) -> bool:
        return self._unload_job is not None and self._unload_job.running

    def _query_memory(self) -> None:
        job = self.lanes.work.start_aside(memory, self.workspace).replacing(self._memory_job)
        self._memory_job = job.then(self._show_memory, self.show_fault)

    # Looks

    def _lay_out(self) -> None:
        self._querying = plain_label(type="small")
        set_hint(self._querying, QUERYING)
        where = FormCard(self.theme, tr("Where models run"))
        where.add_full_width(self._querying)
        where.add_full_width(self.devices)
        self._precision_hint = where.add_row(tr("Precision"), self.precision)
        self._memory, self._gpu = plain_label(), plain_label()
        self._none = plain_label(tr("No model is in memory."), ink="quiet")
        memory = QWidget()
        later = (self.bar, self._gpu, self.gpu_bar, self.loaded, self._none)
        column(self.theme, self._memory, *later, gap=2.5, margins=(0, 0, 0, 4), parent=memory)
        for part in later:
            part.hide()
        self.unload.setEnabled(False)
        card = FormCard(self.theme, tr("Memory"))
        card.add_full_width(memory)
        self._unload_hint = card.add_row(tr("Make room"), self.unload, wide=False)
        card.add_row(
            tr("Unload when idle"),
            self.minutes,
            tr("Models not asked for so long leave the memory; the next question loads them again."),
        )
        self._torch = plain_label(type="small", ink="quiet")
        cards = CardColumn(self.theme)
        for one in (self.notice, where, card, self._torch):
            cards.add(one)
        cards.fill(self)
