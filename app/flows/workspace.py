"""What every flow works with: settings, paths, models and the model process, opened once and passed on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from app.core.atomic import sweep
from app.core.errors import SpanlightError
from app.core.message import Message
from app.settings import settings as settings_file
from app.settings.paths import Paths, default_paths, make_private, may_write
from app.settings.settings import Settings

# Importing these at once would take half of the time until the window is painted.
if TYPE_CHECKING:
    from app.core.models import Adjustment, Head, ModelCard
    from app.core.network import Network
    from app.core.report import Report
    from app.core.requests import ModelChoice
    from app.engine.child import Child
    from app.engine.client import Engine
    from app.flows.ask.document_process import Documents
    from app.flows.network.download_process import Downloads
    from app.library.answer_tables import AnswerTables
    from app.library.corrections import Corrections
    from app.library.datasets import Datasets
    from app.library.history import History
    from app.library.index import Index
    from app.library.recognised import RecognisedPages
    from app.models.disk.installed import Shelf
    from app.models.disk.records import Adjustments, Measures, Uses

PartT = TypeVar("PartT")
# The parts that `close` closes; one that is created afterwards, by a lane still at work, is closed at once.
_CLOSABLE = (
    "engine",
    "downloads",
    "documents",
    "history",
    "library",
    "tables",
    "datasets",
    "corrections",
    "recognised",
)
_log = logging.getLogger(__name__)


class Lazy(Generic[PartT]):
    """A part of a Workspace, imported and created at its first use, from any thread."""

    def __init__(self, make: Callable[[Any], PartT]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, workspace: Workspace, owner: type) -> PartT:
        with workspace.making:
            part: PartT | None = workspace.__dict__.get(self._name)
            if part is None:
                part = workspace.__dict__[self._name] = self._make(workspace)
                if workspace.closed and self._name in _CLOSABLE:
                    part.close()  # type: ignore[attr-defined]
            return part


class Workspace:
    """The user's settings, the paths, the installed models, the processes and the databases of a running Spanlight.

    `shelf`, `engine` and `documents` replace the default ones where they are given.
    """

    def __init__(
        self,
        settings: Settings,
        paths: Paths,
        shelf: Shelf | None = None,
        engine: Engine | None = None,
        documents: Documents | None = None,
    ) -> None:
        self.settings = settings
        self.paths = paths
        self.making = threading.RLock()
        self.closed = False
        given = {"shelf": shelf, "engine": engine, "documents": documents}
        self.__dict__.update({name: part for name, part in given.items() if part is not None})
        self._saved = settings_file.copied(settings)
        self._seen = (0, 0)
        self._changed_elsewhere: set[str] = set()
        self._noticed: set[tuple[Head, str]] = set()
        self._saving = threading.Lock()

    @Lazy
    def shelf(self) -> Shelf:
        """The installed models."""
        from app.models.disk.installed import Shelf

        return Shelf([self.paths.models, self.paths.starter_models], self.paths.starter_models)

    @Lazy
    def engine(self) -> Engine:
        """The client of the model process, which starts with the first request."""
        from app.engine.client import Engine

        return Engine(log=self.paths.logs / "engine.log")

    @Lazy
    def documents(self) -> Documents:
        """The processes that read documents, started with their first requests."""
        from app.flows.ask.document_process import Documents

        return Documents(self.paths.logs)

    @Lazy
    def downloads(self) -> Downloads:
        """The process that uses the network, started with its first request."""
        from app.flows.network.download_process import Downloads

        return Downloads(self.paths.logs / "download.log")

    @Lazy
    def history(self) -> History:
        """The history of questions; its file is opened at the first use."""
        from app.library.history import History

        return History(self.paths.history_file)

    @Lazy
    def library(self) -> Index:
        """The index of the libraries; its files are opened at the first use."""
        from app.library.index import Index

        return Index(self.paths.library)

    @Lazy
    def tables(self) -> AnswerTables:
        """The tables of questions over libraries; their file is opened at the first use."""
        from app.library.answer_tables import AnswerTables

        return AnswerTables(self.paths.tables_file)

    @Lazy
    def datasets(self) -> Datasets:
        """The tables of texts with the person's own labels; their file is opened at the first use."""
        from app.library.datasets import Datasets

        return Datasets(self.paths.labels_file)

    @Lazy
    def corrections(self) -> Corrections:
        """The person's verdicts on answers; their file is opened at the first use."""
        from app.library.corrections import Corrections

        return Corrections(self.paths.corrections_file)

    @Lazy
    def recognised(self) -> RecognisedPages:
        """The recognised texts of pages; their file is opened at the first use."""
        from app.library.recognised import RecognisedPages

        return RecognisedPages(self.paths.recognised_file)

    @Lazy
    def uses(self) -> Uses:
        """When each model was last used."""
        from app.models.disk.records import Uses

        return Uses(self.paths.uses_file)

    @Lazy
    def measures(self) -> Measures:
        """The measures of models that were made on this computer."""
        from app.models.disk.records import Measures

        return Measures(self.paths.measures_file)

    @Lazy
    def adjustments(self) -> Adjustments:
        """The adjustments of readers' calibrations to the person's verdicts."""
        from app.models.disk.records import Adjustments

        return Adjustments(self.paths.adjustments_file)

    @property
    def network(self) -> Network:
        """The network settings."""
        from app.core.network import HUB, Network

        settings = self.settings
        return Network(
            endpoint=settings.endpoint.strip().rstrip("/") or HUB,
            proxy=settings.proxy.strip(),
            certificates=settings.certificates.strip(),
            cache=settings.hub_cache.strip(),
            use_token=settings.use_token,
            ledger=str(self.paths.ledger_file),
        )

    def storage_fault(self) -> SpanlightError | None:
        """The error to show if the data or settings folder cannot be written to, None if both can."""
        for folder in (self.paths.data, self.paths.config):
            if not may_write(folder):
                return SpanlightError(
                    Message("Nothing can be kept: {folder} cannot be written to.", folder=str(folder)),
                    Message(
                        "Everything works, but texts, questions and settings are forgotten when Spanlight is closed."
                    ),
                )
        return None

    def save_settings(self) -> None:
        """Write the settings that have changed, from any thread; raises SpanlightError when the disk refuses."""
        with self._saving:
            now = settings_file.copied(self.settings)
            settings_file.save(now, self.paths.settings_file, self._saved)
            self._saved = now

    def take_up_settings(self) -> None:
        """Take over settings that another Spanlight process, such as a command, has changed.

        May be called from any thread; the file is read again only if it has changed.
        """
        with self._saving:
            try:
                stat = self.paths.settings_file.stat()
            except OSError:
                return
            seen = (stat.st_mtime_ns, stat.st_size)
            if seen != self._seen:
                self._seen = seen
                self._changed_elsewhere |= set(
                    settings_file.adopt_changes(self.settings, self.paths.settings_file, self._saved)
                )

    def chosen_elsewhere(self) -> tuple[str, ...]:
        """The names of the settings that were taken over from another process since the last call."""
        self.take_up_settings()
        with self._saving:
            names, self._changed_elsewhere = tuple(sorted(self._changed_elsewhere)), set()
            return names

    def find_model(self, head: Head, model: str = "") -> ModelCard:
        """The card of the model to use: the one named here, else the one in the settings, else the starter.

        `model` is a name or a folder. Raises SpanlightError when it is not installed or has no such head. Where the
        model in the settings is gone, the starter replaces it, or the first one installed.
        """
        return self._find(head, model)[0]

    def _find(self, head: Head, model: str) -> tuple[ModelCard, str]:
        """The card that `find_model` returns, and the name of the model in the settings that it replaces, if any."""
        if model:
            return self.shelf.find(model, head), ""
        self.take_up_settings()
        if chosen := self.settings.models.get(head, ""):
            try:
                return self.shelf.find(chosen, head), ""
            except SpanlightError as fault:
                _log.warning("the chosen model is not used: %s", fault)
        return self.shelf.default(head), chosen

    def choose(
        self,
        head: Head,
        model: str,
        device: str,
        report: Report,
        *,
        use: bool = True,
        adjusted: bool = True,
    ) -> ModelChoice:
        """Choose the model, the device and the precision; raises SpanlightError as `find_model` does.

        If another model replaces the one in the settings, there is a notice, once. `use` records the model as used now.
        A reader's calibration is `adjusted` to the person's verdicts, except to measure the reader itself.
        """
        from app.core.models import Head
        from app.core.requests import ModelChoice

        card, instead_of = self._find(head, model)
        if instead_of and (head, instead_of) not in self._noticed:
            self._noticed.add((head, instead_of))
            report.notice(
                Message(
                    "The model chosen for this, {chosen}, cannot be used now: {model} is used instead.",
                    chosen=instead_of,
                    model=card.name,
                )
            )
        if use:
            self.uses.used(card.folder)
        choice = ModelChoice(
            card.folder, device or self.settings.device, self.settings.precision, card.finder
        )
        if not adjusted or head is not Head.QUESTION_ANSWERING:
            return choice
        return replace(
            choice,
            adjustment=self.adjustment(card.folder),
            finder_adjustment=self.adjustment(card.finder) if card.finder else None,
        )

    def adjustment(self, folder: str) -> Adjustment | None:
        """The current adjustment of the calibration of the reader in a folder, None if there is none."""
        from app.models.disk.installed import fingerprint

        if not self.adjustments.any():
            return None  # saves the slow fingerprint
        try:
            return self.adjustments.now(fingerprint(Path(folder)))
        except SpanlightError as fault:
            _log.warning("no adjustment is looked up: %s", fault)
            return None

    def close(self) -> None:
        """End the model process, the documents processes and the download process, and close the databases."""
        with self.making:
            self.closed = True
            parts = [self.__dict__[name] for name in _CLOSABLE if name in self.__dict__]
        for part in parts:
            part.close()
        for folder in self.paths.written:
            sweep(folder)


def open_workspace(paths: Paths | None = None, early: Child | None = None) -> Workspace:
    """Open the workspace; the model process is started by the first flow that needs it, or is `early`."""
    paths = paths or default_paths()
    for folder in (paths.config, paths.data, paths.logs):
        make_private(folder)
    for folder in paths.written:
        sweep(folder)
    engine = None
    if early is not None:
        from app.engine.client import Engine

        engine = Engine(child=early)
    return Workspace(settings_file.load(paths.settings_file), paths, engine=engine)
