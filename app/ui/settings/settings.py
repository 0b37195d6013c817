"""The page Settings; each choice takes effect at once."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QComboBox

from app.core import wording
from app.core.about import NAME, VERSION
from app.core.errors import SpanlightError
from app.core.legible import legible
from app.core.message import Message
from app.core.models import PRECISION_WORDS, Head, ModelCard
from app.core.report import Report
from app.flows.models.installed import installed
from app.flows.workspace import Workspace
from app.settings.settings import Settings
from app.ui.kit.form_card import CardColumn, FormCard, side_by_side
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.outside import open_folder
from app.ui.kit.page import Page
from app.ui.kit.parts import (
    ElidedChoice,
    ElidedLabel,
    LinkedChoice,
    NumberBox,
    as_tip,
    plain_label,
    push_button,
)
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.kit.translation import LANGUAGES, localised, tr
from app.ui.settings.settings_updates import UpdatesRow

LOOKS = (("system", Message("As the system")), ("light", Message("Light")), ("dark", Message("Dark")))
MOTIONS = (("system", Message("As the system")), ("none", Message("Nothing moves by itself")))
TEXT_SIZES = (90, 100, 115, 130, 150, 175, 200)
MODELS = (
    (Head.QUESTION_ANSWERING, Message("Model that answers")),
    (Head.CLASSIFICATION, Message("Model that classifies")),
    (Head.MASKED_WORDS, Message("Model that fills in words")),
    (Head.NEXT_SENTENCE, Message("Model that tells what follows")),
    (Head.TOKEN_CLASSIFICATION, Message("Model that finds names")),
    (Head.EMBEDDINGS, Message("Model that searches libraries")),
)
READINGS = (
    ("usual", Message("Likeliest passages")),
    ("every", Message("Every passage")),
    ("quick", Message("Quickest")),
)
HISTORIES = (("keep", Message("Keep")), ("off", Message("Do not keep")))
_DEVICES = {
    "auto": Message("Automatic: a GPU if there is one"),
    "cpu": Message("CPU"),
    "cuda": Message("GPU"),
    "mps": Message("Apple GPU"),
}


def device_words(settings: Settings) -> str:
    """The chosen device, in words."""
    kind, _, number = settings.device.partition(":")
    device = localised(_DEVICES.get(kind, settings.device))
    if number not in ("", "0"):
        device = tr("{device} number {number}", device=device, number=number)
    precision = PRECISION_WORDS.get(settings.precision)
    return tr("{device}, in {precision}", device=device, precision=precision) if precision else device


def installed_cards(workspace: Workspace, report: Report) -> tuple[tuple[ModelCard, ...], dict[Head, str]]:
    """Return the cards of all installed models, and the folder of each head's default model."""
    cards = installed(workspace)
    defaults = {
        head: workspace.shelf.default(head).folder
        for head, _ in MODELS
        if any(head in card.heads for card in cards)
    }
    return cards, defaults


def offer_models(
    choice: QComboBox, cards: tuple[ModelCard, ...], head: Head, chosen: str, default: str = ""
) -> None:
    """Offer the installed models that have a head, and select the chosen one, even if it is not installed.

    If none was chosen, the one in the folder `default` is selected.
    """
    choice.clear()
    fitting = [card for card in cards if head in card.heads]
    for card in fitting:
        choice.addItem(f"{localised(card.title)}, {localised(wording.size(card.size))}", card.name)
        weights = tr("{number:.0f} million weights.", number=card.parameters / 1e6)
        about = f"{weights} {localised(card.description)}".strip()
        choice.setItemData(choice.count() - 1, as_tip(about), Qt.ItemDataRole.ToolTipRole)
    wanted = chosen or default
    at = next((i for i, card in enumerate(fitting) if wanted in (card.name, card.folder)), -1)
    if chosen and at < 0:
        choice.addItem(tr("{model} (not installed)", model=legible(chosen)), chosen)
        at = choice.count() - 1
    choice.setEnabled(bool(choice.count()))
    if not choice.count():
        choice.addItem(tr("None is installed"), "")
    choice.setCurrentIndex(max(0, at))


class SettingsView(Page):
    """The settings, with links to those that are on the page Models. `start_again` asks to restart Spanlight."""

    start_again = Signal()
    KEY = "settings"
    TITLE = Message("Settings")
    ICON = "settings"

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._models_job: Job | None = None
        self.notice = Notice(theme)
        self.folder_notice = Notice(theme)
        self.restart_notice = Notice(theme)
        self.restart_notice.acted.connect(self.start_again)
        self.look = Segments(theme, tr("Look"), LOOKS)
        self.text_size = self._choice(tr("Text size"))
        self.language = self._choice(tr("Language"))
        self.motion = Segments(theme, tr("Motion"), MOTIONS)
        self.reading = Segments(theme, tr("What is read"), READINGS)
        self.history = Segments(theme, tr("History"), HISTORIES)
        self.device = LinkedChoice(theme, tr("Models: This computer"))
        self.network = LinkedChoice(theme, tr("Models: Network"))
        self.about = LinkedChoice(theme, tr("About Spanlight"))
        self.about.set_words(f"{NAME} {VERSION}")
        self.models = {head: self._choice(title) for head, title in MODELS}
        self.top_k = NumberBox()
        self.top_k.setAccessibleName(tr("Answers listed"))
        self.top_k.setRange(1, 100)
        self._folder = ElidedLabel(str(workspace.paths.data))
        self._open = push_button(
            theme, tr("Open the folder"), name=tr("Open the folder where things are kept")
        )
        self.updates = UpdatesRow(workspace, theme, lanes)
        self._lay_out()
        self._take_settings()
        self.top_k.setValue(workspace.settings.ask_top_k)
        self.look.chosen.connect(self._look_chosen)
        self.motion.chosen.connect(self._motion_chosen)
        self.reading.chosen.connect(partial(self._set, "ask_reading"))
        self.history.chosen.connect(self._history_chosen)
        self.language.activated.connect(self._language_chosen)
        self.text_size.activated.connect(self._text_size_chosen)
        self.device.followed.connect(partial(self.go.emit, "models", ("computer",)))
        self.network.followed.connect(partial(self.go.emit, "models", ("network",)))
        self.about.followed.connect(partial(self.go.emit, "about", None))
        for head, choice in self.models.items():
            choice.activated.connect(partial(self._model_chosen, head))
        self.top_k.valueChanged.connect(self._number_chosen)
        self._open.clicked.connect(self._open_folder)
        self.updates.changed.connect(self.changed)
        self.updates.answered.connect(self._soon_show_updates)
        for narrow in (self.top_k, self.text_size):
            theme.in_steps(narrow.setFixedWidth, 30)
        theme.in_steps(self.language.setFixedWidth, 60)
        self._number = self.top_k.lineEdit()  # `in_steps` applies to it only as long as this wrapper lives
        theme.in_steps(self._number.setTextMargins, 2, 0, 0, 0)

    def shown(self) -> None:
        """Show the settings as they are now, and set the keyboard focus."""
        self.settings_changed()
        self.look.setFocus(Qt.FocusReason.OtherFocusReason)

    def settings_changed(self) -> None:
        """Show the settings and the installed models as they are now."""
        self._take_settings()
        job = self.lanes.files.start(installed_cards, self.workspace).replacing(self._models_job)
        self._models_job = job.then(self._models_found, self.notice.show_error)

    def stop(self) -> bool:
        """Stop a check for updates."""
        return self.updates.stop()

    # Choices

    @Slot(str)
    def _look_chosen(self, look: str) -> None:
        self.workspace.settings.theme = look
        self.theme.choose(look, self.workspace.settings.text_size / 100)
        self._save("theme")

    @Slot(int)
    def _language_chosen(self, index: int) -> None:
        self.workspace.settings.language = self.language.itemData(index)
        self._save("language")
        self.restart_notice.show_hint(
            tr("The language changes when Spanlight starts again."), act=tr("Start again now")
        )

    @Slot(int)
    def _text_size_chosen(self, index: int) -> None:
        settings = self.workspace.settings
        settings.text_size = self.text_size.itemData(index)
        self.theme.choose(settings.theme, settings.text_size / 100)
        self._save("text_size")

    @Slot(str)
    def _motion_chosen(self, motion: str) -> None:
        self.workspace.settings.motion = motion
        self.theme.still = motion == "none"
        self._save("motion")

    @Slot(str)
    def _history_chosen(self, history: str) -> None:
        self._set("keep_history", history == "keep")

    def _model_chosen(self, head: Head, index: int) -> None:
        self.workspace.settings.models[head.value] = self.models[head].itemData(index)
        self._save(head.value)

    @Slot()
    def _open_folder(self) -> None:
        self.folder_notice.hide()
        open_folder(self.workspace.paths.data, self.folder_notice.show_unopened, self)

    def receive(self, argument: object) -> None:
        """Go to the row of updates, the only one that other pages lead to."""
        self.updates.setFocus(Qt.FocusReason.OtherFocusReason)
        self._soon_show_updates()

    @Slot()
    def _soon_show_updates(self) -> None:
        QTimer.singleShot(50, self._show_updates)  # once it is laid out

    @Slot()
    def _show_updates(self) -> None:
        self._column.ensureWidgetVisible(self.updates, 0, self.theme.step(4))

    @Slot(float)
    def _number_chosen(self, number: float) -> None:
        self._set("ask_top_k", int(number))

    def _set(self, name: str, value: object) -> None:
        setattr(self.workspace.settings, name, value)
        self._save(name)

    def _save(self, what: str) -> None:
        self.notice.hide()
        try:
            self.workspace.save_settings()
        except SpanlightError as error:
            self.notice.show_error(error)
        self.changed.emit(what)

    # Content

    @Slot(object)
    def _models_found(self, found: tuple[tuple[ModelCard, ...], dict[Head, str]]) -> None:
        cards, defaults = found
        for head, choice in self.models.items():
            chosen = self.workspace.settings.models.get(head, "")
            offer_models(choice, cards, head, chosen, defaults.get(head, ""))

    def _take_settings(self) -> None:
        settings = self.workspace.settings
        self.look.select(settings.theme)
        self.motion.select(settings.motion)
        self.language.clear()
        for code, name in (("system", tr("As the system")), *LANGUAGES.items()):
            self.language.addItem(name, code)
        self.language.setCurrentIndex(max(0, self.language.findData(settings.language)))
        self.reading.select(settings.ask_reading)
        self.history.select("keep" if settings.keep_history else "off")
        self.text_size.clear()
        for size in sorted({*TEXT_SIZES, settings.text_size}):
            self.text_size.addItem(tr("{number}%", number=size), size)
        self.text_size.setCurrentIndex(self.text_size.findData(settings.text_size))
        self.device.set_words(device_words(settings))
        self.network.set_words(
            tr("Offline") if settings.offline else tr("Only when asked: for models, and for updates")
        )
        self.updates.settings_changed()

    # Looks

    def _choice(self, name: str) -> QComboBox:
        choice = ElidedChoice()
        choice.setAccessibleName(localised(name))
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        choice.setMinimumContentsLength(14)
        return choice

    def _lay_out(self) -> None:
        self._folder.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._folder.setAccessibleName(tr("Folder: {path}", path=self._folder.full_text()))
        card = FormCard(self.theme)
        card.add_row(tr("Language"), self.language, wide=False)
        card.add_full_width(self.restart_notice)
        card.add_row(tr("Look"), self.look)
        card.add_row(tr("Text size"), self.text_size, wide=False)
        card.add_row(tr("Motion"), self.motion)
        for head, title in MODELS:
            card.add_row(title, self.models[head])
        card.add_row(tr("Where models run"), self.device)
        card.add_row(tr("Network"), self.network)
        card.add_row(
            tr("What is read"),
            self.reading,
            tr(
                "Of a long document. A quick reader finds the likeliest passages for the careful one; every passage"
                " takes longer, and the quickest way, by the quick reader alone, is wrong more often."
            ),
        )
        card.add_row(
            tr("Answers listed"),
            self.top_k,
            tr("The best answer and the next best, for every question."),
            wide=False,
        )
        card.add_row(
            tr("History"), self.history, tr("Questions with their answers, kept on this computer only.")
        )
        card.add_row(tr("Updates"), self.updates)
        card.add_row(
            tr("Kept in"),
            side_by_side(self.theme, self._folder, self._open),
            tr("Texts, drafts and answers stay here and never leave this computer."),
        )
        card.add_full_width(self.folder_notice)
        card.add_row(tr("Version"), self.about)
        self._column = CardColumn(self.theme)
        for part in (plain_label(self.TITLE, type="title", wrap=False), self.notice, card):
            self._column.add(part)
        self._column.fill(self)
