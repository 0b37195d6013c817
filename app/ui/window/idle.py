"""Work for idle times: preparing a document, embedding passages, filling tables, unloading models, and imports."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.core.models import Head
from app.core.report import Progress, Report
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.libraries import Libraries
from app.ui.kit.progress_strip import in_words
from app.ui.window.reader import Reader

if TYPE_CHECKING:
    from app.core.library import Library, LibraryStatus
    from app.core.text import Document

_PREPARE_AFTER_MS = 300  # the document's page comes first
_EMBED_AFTER_MS = 2000  # an open document is prepared first
_FILL_AFTER_MS = 3000  # passages are embedded first
LONG = 20_000  # code points: a shorter text is read as fast without being prepared
_IMPORT_EVERY_MS = 40
# First what the Ask page will need, then the other pages, each behind its own parts.
MODULES = (
    "app.core.requests",
    "app.core.results",
    "app.core.inspection",
    "app.flows.ask.read",
    "app.core.days",
    "app.flows.history.history",
    "app.flows.history.kept_answers",
    "app.ui.document.opening_page",
    "app.core.page_runs",
    "app.core.pages",
    "app.ui.document.flowing.rich_text",
    "app.ui.document.flowing.rich_table",
    "app.ui.document.flowing.rich_layout",
    "app.ui.document.flowing.rich_pane",
    "app.ui.document.pdf.page_tiles",
    "app.ui.document.pdf.page_marks",
    "app.ui.document.pdf.page_selection",
    "app.ui.document.pdf.page_desk",
    "app.ui.document.pdf.page_pane",
    "app.ui.document.pdf.page_pictures",
    "app.flows.history.export_text",
    "app.flows.history.export_annotations",
    "app.flows.history.export_squad",
    "app.flows.history.export",
    "app.core.tables",
    "app.ui.document.file_pane",
    "app.ui.table.answer_view",
    "app.ui.table.document_beside",
    "app.ui.table.table",
    "app.ui.heads.classify.result_table",
    "app.flows.heads.heads",
    "app.ui.heads.text_page",
    "app.ui.heads.classify.classify",
    "app.ui.heads.fill.fill",
    "app.ui.heads.next.follow",
    "app.ui.heads.names.name_pane",
    "app.ui.heads.names.names",
    "app.core.inside",
    "app.flows.heads.inspect",
    "app.ui.inspect.charts.flow_picture",
    "app.ui.history.history_list",
    "app.ui.history.history",
    "app.ui.settings.settings",
    "app.flows.about",
    "app.ui.about.page",
)

_log = logging.getLogger(__name__)


class IdleWork(QObject):
    """Runs a flow in the work lane some time after it has become idle; a subclass says which.

    The flow is dropped at once when other work begins. Nothing depends on it: faults are logged.
    """

    def __init__(self, workspace: Workspace, lanes: Lanes, after_ms: int, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lane = lanes.work
        self._job: Job | None = None
        self._timer = QTimer(self, singleShot=True, interval=after_ms)
        self._timer.timeout.connect(self._begin)
        self._lane.begun.connect(self._timer.stop)
        self._lane.rested.connect(self._timer.start)

    @Slot()
    def look(self) -> None:
        """Check after a while whether there is something to do."""
        self._timer.start()

    def flow(self) -> Callable[[Report], object] | None:
        """Return the flow to run now; None for none."""
        raise NotImplementedError

    def done(self) -> None:
        """React to the flow having run to its end."""

    def failed(self) -> None:
        """React to the flow having failed: by default it is not tried again."""
        self.done()

    def dropped(self) -> None:
        """React to the flow having been dropped for other work."""

    @Slot(object)
    def show_progress(self, progress: Progress) -> None:
        """Show the flow's progress: by default it is not shown."""

    @Slot()
    def _begin(self) -> None:
        flow = self.flow() if self._job is None and self._lane.idle else None
        if flow is not None:
            self._job = self._lane.start_aside(flow).then(
                self._ended, self._failed, progress=self.show_progress
            )
            self._lane.begun.connect(self.drop)

    @Slot()
    def drop(self) -> None:
        """Drop the flow if it runs."""
        if self._job is not None:
            self._job.drop()
            self._forget_job()
            self.dropped()

    def _forget_job(self) -> None:
        self._job = None
        self._lane.begun.disconnect(self.drop)

    @Slot(object)
    def _ended(self, result: object) -> None:
        self._forget_job()
        self.done()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        _log.warning("%s failed: %s", type(self).__name__, error)
        self._forget_job()
        self.failed()


class IdlePreparation(IdleWork):
    """Has a long document prepared for questions while the person reads it, or types a question.

    `current_file` returns the document on the page. Nothing is done while the reader is not in memory.
    """

    def __init__(self, workspace: Workspace, lanes: Lanes, reader: Reader, parent: QObject) -> None:
        super().__init__(workspace, lanes, _PREPARE_AFTER_MS, parent)
        self._reader = reader
        self.current_file: Callable[[], Document | None] = lambda: None
        self._being_prepared: Document | None = None
        self._tried: Document | None = None
        reader.loaded.connect(self._loaded)

    @Slot()
    def _loaded(self) -> None:
        # Another model, or another process, which has nothing prepared yet.
        self._tried = None

    def flow(self) -> Callable[[Report], object] | None:
        document = self.current_file()
        if document is None or document is self._tried or len(document.text) < LONG:
            return None
        if not self._reader.is_loaded:
            return None
        from app.flows.ask.question import prepare

        self._being_prepared = document
        return partial(prepare, self._workspace, (document,))

    def done(self) -> None:
        self._tried = self._being_prepared


class IdleEmbedding(IdleWork):
    """Has the passages of libraries embedded that have no vectors yet.

    Nothing is done before the libraries are listed, and while one is updated.
    """

    def __init__(self, workspace: Workspace, lanes: Lanes, libraries: Libraries, parent: QObject) -> None:
        super().__init__(workspace, lanes, _EMBED_AFTER_MS, parent)
        self._libraries = libraries
        # The libraries when it last ended by itself: unless they change, nothing more is to be done.
        self._tried: tuple[tuple[Library, LibraryStatus], ...] | None = None
        libraries.changed.connect(self.look)
        libraries.progressed.connect(self.look)

    @Slot(str)
    def settings_changed(self, what: str) -> None:
        """Begin again where another model may be in use; `what` is a setting's name, or "models"."""
        if what in (Head.EMBEDDINGS, "models"):
            self.drop()
            self._tried = None
            self._libraries.refresh()  # counts the vectors of the model in use
            self.look()

    def flow(self) -> Callable[[Report], object] | None:
        found = self._libraries.all
        is_updated = any(self._libraries.progress_of(library) is not None for library, _ in found)
        is_lacking = any(status.embedded < status.passages for _, status in found)
        if found == self._tried or is_updated or not is_lacking:
            return None
        from app.flows.library.embed import embed

        return partial(embed, self._workspace)

    def done(self) -> None:
        self._tried = self._libraries.all
        self._libraries.refresh()

    def dropped(self) -> None:
        self._libraries.refresh()


class IdleFilling(IdleWork):
    """Has the tables filled that are not the current one, which its page fills, unless the person has paused that.

    `progressed` carries how far such a table is, in words; empty while none is being filled.
    """

    progressed = Signal(str)

    def __init__(
        self, workspace: Workspace, lanes: Lanes, libraries: Libraries, reader: Reader, parent: QObject
    ) -> None:
        super().__init__(workspace, lanes, _FILL_AFTER_MS, parent)
        self._reader = reader
        # The current table when it last ended by itself: unless another is, or libraries change, nothing is to be done.
        self._tried = 0
        libraries.updated.connect(self._try_again)
        reader.loaded.connect(self._try_again)

    @Slot()
    def _try_again(self) -> None:
        self.drop()  # the files were listed before they changed
        self._tried = 0
        self.look()

    @Slot()
    def pause(self) -> None:
        """Pause the filling of all tables, if one is being filled here."""
        if self._job is not None:
            self._workspace.settings.table_paused = True
            self.drop()

    def flow(self) -> Callable[[Report], object] | None:
        settings = self._workspace.settings
        is_wanted = settings.last_table != self._tried and not settings.table_paused
        if not is_wanted or not self._reader.is_loaded:
            return None
        from app.flows.answer_table.fill import fill_others

        return partial(fill_others, self._workspace, settings.last_table)

    def show_progress(self, progress: Progress) -> None:
        self.progressed.emit(in_words(progress.what, progress))

    def done(self) -> None:
        self._tried = self._workspace.settings.last_table
        self.progressed.emit("")

    def dropped(self) -> None:
        self.progressed.emit("")


class IdleUnloading(IdleWork):
    """Has the models unloaded once the work lane was idle for settings.unload_minutes; 0 is for never.

    `minute_ms` is the number of milliseconds in a minute, which tests shorten.
    """

    def __init__(self, workspace: Workspace, lanes: Lanes, reader: Reader, parent: QObject) -> None:
        super().__init__(workspace, lanes, 0, parent)
        self._reader = reader
        self.minute_ms = 60_000
        self._await_work()
        self.look()

    @Slot()
    def look(self) -> None:
        """Restart the waiting time, which may have changed."""
        self._timer.start(self._workspace.settings.unload_minutes * self.minute_ms)

    def flow(self) -> Callable[[Report], object] | None:
        is_wanted = self._has_worked and self._workspace.settings.unload_minutes > 0
        if not is_wanted or not self._workspace.engine.alive:
            return None
        from app.flows.models.devices import unload

        return partial(unload, self._workspace)

    def _await_work(self) -> None:
        self._has_worked = False
        self._lane.begun.connect(self._work_begun, Qt.ConnectionType.SingleShotConnection)

    @Slot()
    def _work_begun(self) -> None:
        self._has_worked = True

    def dropped(self) -> None:
        # It may be too late: the models may be unloaded already.
        self._reader.start()

    def done(self) -> None:
        self._await_work()
        self._reader.put_away(self._workspace.settings.unload_minutes)

    def failed(self) -> None:
        """Do nothing: it is tried again after the next work."""


class IdleImports(QObject):
    """Imports the modules that the start has left out, one by one between the window's other events.

    Importing them at the start would double its time; importing them on demand would delay the first question or file
    by a tenth of a second. A module that is needed earlier is imported then.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._modules = iter(MODULES)
        self._timer = QTimer(self, interval=_IMPORT_EVERY_MS)
        self._timer.timeout.connect(self._next)

    @Slot()
    def start(self) -> None:
        """Begin to import."""
        self._timer.start()

    @Slot()
    def _next(self) -> None:
        if name := next(self._modules, ""):
            importlib.import_module(name)
        else:
            self._timer.stop()
