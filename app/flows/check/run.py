"""Checks that Spanlight starts, loads, reads and draws on this computer, in a folder that is removed afterwards."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.core.about import NAME, VERSION, command
from app.core.confine import Confined
from app.core.errors import EngineLost, SpanlightError
from app.core.layout import Kind
from app.core.models import Head
from app.core.network import HUB
from app.core.report import Relay, Report
from app.core.requests import Question
from app.documents.reader import library_versions
from app.documents.recognition.program import is_installed
from app.engine.child import Child
from app.engine.serve import Factory
from app.flows.ask.question import ask
from app.flows.ask.read import draw_part, read_document
from app.flows.check.modules import find_modules
from app.flows.check.trial import CheckReport, Trial, TrialResult, WindowTrial, require
from app.flows.heads.heads import load_head
from app.flows.history.history import past, remember
from app.flows.models.devices import devices
from app.flows.models.get import look_up
from app.flows.models.installed import installed
from app.flows.workspace import Workspace, open_workspace
from app.models.disk.heads import ABILITIES
from app.settings.paths import default_paths

WINDOW = "app.ui"
# A local address at which nothing listens, so that no request reaches the network.
_DEAD_PROXY = "http://127.0.0.1:9"
_NO_REPOSITORY = "nobody/nothing"
_CACHE = "TORCHINDUCTOR_CACHE_DIR"
_LOG_END = 2000  # characters of a process's log
QUESTION = "How far away can the lamp be seen?"
ANSWER = "forty kilometres"  # with “away” or without it
PLACE = "the lamp"
_IN_GERMAN = (
    "Die Lampe des Leuchtturms ist bei gutem Wetter aus einer Entfernung von vierzig Kilometern zu sehen."
)
FILES = {
    "PDF": ("lighthouse.pdf", Kind.PDF),
    "picture": ("lighthouse.png", Kind.IMAGE),
    "Word": ("lighthouse.docx", Kind.DOCX),
    "web page": ("lighthouse.html", Kind.HTML),
    "Markdown": ("lighthouse.md", Kind.MARKDOWN),
    "plain text": ("lighthouse.txt", Kind.TEXT),
}


def try_documents(trial: Trial, workspace: Workspace) -> None:
    """Open a document of every kind, ask one of them and find it in the history, and draw a page."""
    for title, (name, kind) in FILES.items():
        has_text = kind is not Kind.IMAGE or is_installed()
        action = partial(
            _check_reading, trial, workspace, workspace.paths.known_documents / name, kind, has_text
        )
        trial.run(f"{title}: opened" + " and read" * has_text, action)
    pdf = workspace.paths.known_documents / FILES["PDF"][0]
    trial.run(
        "Ask: answered with its exact words, and found in the history",
        partial(_check_answer, trial, workspace, pdf),
    )
    trial.run("PDF: a page drawn", partial(_check_drawing, trial, workspace, pdf))
    trial.run("The language of a text: detected", partial(_check_language, trial, workspace))


def _check_reading(trial: Trial, workspace: Workspace, path: Path, kind: Kind, has_text: bool) -> None:
    opened = read_document(workspace, path, trial.report)
    require(opened.kind is kind, f"{path.name} was read as {opened.kind}.")
    require(not has_text or ANSWER in opened.document.text, f"{path.name} was read without “{ANSWER}”.")


def _check_answer(trial: Trial, workspace: Workspace, path: Path) -> None:
    opened = read_document(workspace, path, trial.report)
    question = Question(QUESTION, (opened.document,))
    reading = ask(workspace, question, trial.report)
    best = reading.best
    require(best is not None and ANSWER in best.text, f"The answer is “{best.text if best else ''}”.")
    assert best is not None
    place = best.span.of(opened.document.text)
    require(place == best.text, f"The answer is placed at “{place}”.")
    remember(workspace, (opened,), question, reading, trial.report)
    found = past(workspace, PLACE, trial.report)
    require([entry.question for entry in found.entries] == [QUESTION], "It is not found in the history.")


def _check_language(trial: Trial, workspace: Workspace) -> None:
    found = workspace.documents.language(_IN_GERMAN, trial.report)
    require(found == "de", f"A German text was taken for “{found}”.")


def _check_drawing(trial: Trial, workspace: Workspace, path: Path) -> None:
    opened = read_document(workspace, path, trial.report)
    width, height = round(opened.pages[0].width), round(opened.pages[0].height)
    picture = draw_part(workspace, opened, 0, 1.0, 0, 0, width, height, trial.report)
    require(len(set(picture.pixels)) > 16, "The page's picture is empty.")  # letters have soft edges


def installation_kind() -> str:
    """How Spanlight is installed: as a bundle, from source, or into Python."""
    if getattr(sys, "frozen", False):
        return "bundle"
    return "source" if command() != "spanlight" else "installed into Python"


def own_versions() -> dict[str, str]:
    """The versions that are known without starting another process."""
    libc = "".join(platform.libc_ver())
    return {
        NAME: f"{VERSION} ({installation_kind()})",
        "Python": platform.python_version(),
        "system": platform.platform() + (f", {libc}" if libc and libc not in platform.platform() else ""),
        "machine": platform.machine(),
        **library_versions(),
    }


def engine_versions(workspace: Workspace, report: Report) -> dict[str, str]:
    """The versions of the libraries that run models, and the device in use; raises as `devices` does."""
    found = devices(workspace, report)
    chosen = next((one.title for one in found.options if one.key == found.auto.device), "")
    device = f"{found.auto.device}, {found.auto.dtype}" + (f" ({chosen})" if chosen else "")
    return workspace.engine.versions(report) | {"device": device}


def check(window: Factory | None, report: Report) -> CheckReport:
    """Run all trials; partial results are TrialResults.

    `window` makes the handler of WindowTrials in a process of its own; None leaves the window out. The user's own files
    are neither read nor written. Raises SpanlightError if the resources are missing or no temporary folder can be made,
    Stopped when cancelled.
    """
    began = time.monotonic()
    try:
        home = tempfile.TemporaryDirectory(prefix="spanlight-check-", ignore_cleanup_errors=True)
    except OSError as error:
        raise SpanlightError(
            f"No folder for the check could be made: {error.strerror or error}.",
            "Make room, or set TMPDIR to a folder that can be written to.",
        ) from error
    with home as folder, _compile_cache_in(Path(folder)):
        workspace = open_workspace(default_paths({"SPANLIGHT_HOME": folder}))
        trial = Trial(report)
        versions: dict[str, str] = {}
        try:
            _try_all(trial, workspace, window, versions)
        finally:
            workspace.close()
        found = CheckReport(tuple(trial.parts), versions, time.monotonic() - began)
        return replace(found, log=_logs(workspace.paths.logs)) if found.failed else found


@contextmanager
def _compile_cache_in(folder: Path) -> Iterator[None]:
    """Make PyTorch in the processes started meanwhile use the folder for its compile cache."""
    before = os.environ.get(_CACHE)
    os.environ[_CACHE] = str(folder / "inductor")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CACHE]
        else:
            os.environ[_CACHE] = before


def _try_all(trial: Trial, workspace: Workspace, window: Factory | None, versions: dict[str, str]) -> None:
    workspace.settings.hub_cache = str(workspace.paths.data.parent / "hub")
    workspace.settings.endpoint, workspace.settings.proxy = HUB, _DEAD_PROXY
    workspace.engine.begin()
    ours: list[str] = []
    trial.run("Every module is there", partial(_check_modules, ours))
    trial.run("Every module can be loaded", partial(_check_imports, trial, workspace, ours))
    trial.run("The starter models are there", partial(_check_starters, workspace))
    for head in Head:
        action = partial(load_head, workspace, head, trial.report)
        trial.run(f"The starter model loaded to {ABILITIES[head]}", action)
    try_documents(trial, workspace)
    trial.run(
        "The download process: started, and refused where nobody is",
        partial(_check_download, trial, workspace),
    )
    trial.run("Versions of what reads documents", lambda: versions.update(own_versions()))
    versions["documents are read"] = str(workspace.documents.confined or Confined())
    trial.run("Versions of what computes", lambda: versions.update(engine_versions(workspace, trial.report)))
    if window is not None:
        _try_window(trial, workspace, window, tuple(ours), versions)


def _check_modules(ours: list[str]) -> None:
    found, missing = find_modules()
    ours += found
    require(not missing, f"Missing: {', '.join(missing)}.")


def _check_imports(trial: Trial, workspace: Workspace, ours: list[str]) -> None:
    names = tuple(name for name in ours if not _is_window_module(name))
    faults = workspace.engine.import_modules(names, trial.report)
    require(not faults, "; ".join(f"{name}: {fault}" for name, fault in faults.items()))


def _is_window_module(name: str) -> bool:
    return name == WINDOW or name.startswith(WINDOW + ".")


def _check_starters(workspace: Workspace) -> None:
    cards = installed(workspace)
    require(bool(cards), f"None is in {workspace.paths.starter_models}.")
    lacking = [ABILITIES[head] for head in Head if not any(head in card.heads for card in cards)]
    require(not lacking, f"None is there to {', to '.join(lacking)}.")


def _check_download(trial: Trial, workspace: Workspace) -> None:
    try:
        look_up(workspace, _NO_REPOSITORY, trial.report)
    except EngineLost:
        raise
    except SpanlightError as refused:
        require("proxy" in str(refused), str(refused))
    else:
        raise SpanlightError("Something answered where nobody should be.")


def _try_window(
    trial: Trial, workspace: Workspace, window: Factory, ours: tuple[str, ...], versions: dict[str, str]
) -> None:
    child = Child(window, title="window process", log=workspace.paths.logs / "window.log")
    modules = tuple(name for name in ours if _is_window_module(name))
    order = WindowTrial(str(workspace.paths.resources), str(workspace.paths.data.parent / "window"), modules)
    listener = _WindowReport(trial)
    try:
        trial.run(
            "The window's process, from start to end", lambda: versions.update(child.run(order, listener))
        )
    finally:
        child.close()


class _WindowReport(Relay):
    """A Report that adds the results of the window process's trials."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial.report)
        self._trial = trial

    def partial(self, result: object) -> None:
        """Add the result of a trial."""
        if isinstance(result, TrialResult):
            self._trial.add(result)


def _logs(folder: Path) -> str:
    """The end of each process's log."""
    logs = []
    for path in sorted(folder.glob("*.log")):
        text = path.read_text("utf-8", "replace").strip()
        if text:
            logs.append(f"{path.name}: {text[-_LOG_END:]}")
    return "\n".join(logs)
