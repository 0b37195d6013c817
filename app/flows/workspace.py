"""What every flow works with: settings, paths, models and the model process, opened once and handed on."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.core.network import HUB, Network
from app.core.report import Report
from app.core.requests import ModelChoice
from app.engine.client import Engine
from app.flows.document_process import Documents
from app.flows.download_process import Downloads
from app.library.history import History
from app.models.installed import Shelf
from app.models.measures import Measures
from app.models.uses import Uses
from app.settings import settings as settings_file
from app.settings.files import write_atomic
from app.settings.paths import Paths, default_paths
from app.settings.settings import Settings

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Workspace:
    """One opened app: the person's settings, where files lie, the installed models, the model process, the history."""

    settings: Settings
    paths: Paths
    shelf: Shelf
    engine: Engine
    documents: Documents
    history: History = field(init=False)
    uses: Uses = field(init=False)
    measures: Measures = field(init=False)
    downloads: Downloads = field(init=False)
    _saved: Settings = field(init=False, repr=False)
    _seen: tuple[int, int] = field(init=False, repr=False, default=(0, 0))
    _elsewhere: set[str] = field(init=False, repr=False, default_factory=set)
    _told: set[tuple[Head, str]] = field(init=False, repr=False, default_factory=set)
    _saving: threading.Lock = field(init=False, repr=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.history = History(self.paths.history_file)  # opened at its first use
        self.uses = Uses(self.paths.uses_file, write_atomic)
        self.measures = Measures(self.paths.measures_file, write_atomic)
        self.downloads = Downloads(self.paths.logs / "download.log")  # started by its first order
        self._saved = settings_file.copied(self.settings)

    @property
    def network(self) -> Network:
        """How the network is reached, as the settings say."""
        settings = self.settings
        return Network(
            endpoint=settings.endpoint.strip().rstrip("/") or HUB,
            proxy=settings.proxy.strip(),
            certificates=settings.certificates.strip(),
            cache=settings.hub_cache.strip(),
            use_token=settings.use_token,
            ledger=str(self.paths.ledger_file),
        )

    def save_settings(self) -> None:
        """Write what has changed in the settings, from any thread; raises SpanlightError when the disk refuses."""
        with self._saving:
            now = settings_file.copied(self.settings)
            settings_file.save(now, self.paths.settings_file, self._saved)
            self._saved = now

    def take_up_settings(self) -> None:
        """Take up what another Spanlight, the terminal's say, has chosen meanwhile.

        May be called from any thread; the file is read again only when it has changed.
        """
        with self._saving:
            try:
                stat = self.paths.settings_file.stat()
            except OSError:
                return
            seen = (stat.st_mtime_ns, stat.st_size)
            if seen != self._seen:
                self._seen = seen
                self._elsewhere |= set(
                    settings_file.take_up(self.settings, self.paths.settings_file, self._saved)
                )

    def chosen_elsewhere(self) -> tuple[str, ...]:
        """The names of the settings that were taken up from another Spanlight since this was last asked."""
        self.take_up_settings()
        with self._saving:
            names, self._elsewhere = tuple(sorted(self._elsewhere)), set()
            return names

    def find_model(self, head: Head, model: str = "") -> ModelCard:
        """The card of the model that is to do the work: the one named here, else in the settings, else the starter.

        `model` is a name or a folder. Raises SpanlightError when it is not installed or lacks the head; a model that
        only the settings name and that is gone gives way to the starter, or the first one installed.
        """
        if model:
            return self.shelf.find(model, head)
        return self._find(head, model)[0]

    def _find(self, head: Head, model: str) -> tuple[ModelCard, str]:
        """The card that `find_model` gives, and the chosen model that it stands in for, empty for none."""
        if model:
            return self.shelf.find(model, head), ""
        self.take_up_settings()
        chosen = self.settings.models.get(head, "")
        if chosen:
            try:
                return self.shelf.find(chosen, head), ""
            except SpanlightError as fault:
                _log.warning("the chosen model is not used: %s", fault)
        return self.shelf.default(head), chosen

    def choose(self, head: Head, model: str, device: str, report: Report, *, use: bool = True) -> ModelChoice:
        """The model and the device to work with; raises SpanlightError as `find_model` does.

        Where another one stands in for the one chosen, that is noticed once. `use` has it taken down as used now.
        """
        card, instead_of = self._find(head, model)
        if instead_of and (head, instead_of) not in self._told:
            self._told.add((head, instead_of))
            report.notice(
                f"The model chosen for this, {instead_of}, cannot be used now: {card.name} is used instead."
            )
        if use:
            self.uses.used(card.folder)
        return ModelChoice(card.folder, device or self.settings.device, self.settings.precision)

    def close(self) -> None:
        """End the model process, the documents processes and the download process, and close the history."""
        self.engine.close()
        self.downloads.close()
        self.documents.close()
        self.history.close()


def open_workspace(paths: Paths | None = None) -> Workspace:
    """Everything a flow needs; the model process is started by the first flow that asks for it."""
    paths = paths or default_paths()
    return Workspace(
        settings=settings_file.load(paths.settings_file),
        paths=paths,
        shelf=Shelf([paths.models, paths.starter_models], paths.starter_models),
        engine=Engine(log=paths.logs / "engine.log"),
        documents=Documents(paths.logs),
    )
