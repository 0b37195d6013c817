"""Checks that all of Spanlight works on this computer: everything is really run, in a folder that is removed after."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.core.about import NAME, VERSION, command
from app.core.checks import Checked, CheckReport, WindowTrial
from app.core.errors import EngineLost, SpanlightError
from app.core.inspection import LookAtAttention, LookAtModel, LookAtReasons, Subject
from app.core.layout import Kind, Opened
from app.core.models import Head
from app.core.network import HUB
from app.core.report import Report
from app.core.requests import PassagePairs, Question, TextsToClassify, TextsToTag, TextToFill
from app.core.text import Span
from app.documents.library_versions import library_versions
from app.engine.child import Child
from app.engine.serve import Factory
from app.flows.ask.pages import draw_part
from app.flows.ask.question import ask
from app.flows.ask.read import read_document
from app.flows.check.families import try_families, try_training
from app.flows.check.modules import needed
from app.flows.check.trial import Trial, require
from app.flows.heads.classify import classify
from app.flows.heads.fill import fill
from app.flows.heads.follow import follow
from app.flows.heads.inspect import look
from app.flows.heads.names import find_names
from app.flows.history.export_pdf import marked_copies
from app.flows.history.history import everything, past, remember
from app.flows.models.devices import devices
from app.flows.models.get import look_up
from app.flows.models.installed import installed
from app.flows.workspace import Workspace, open_workspace
from app.models.disk.heads import DOES
from app.settings.paths import default_paths

WINDOW = "app.ui"
# Nobody listens at this local address, so no request reaches the network.
_NOWHERE = "http://127.0.0.1:9"
_ANY = "nobody/nothing"
_CACHE = "TORCHINDUCTOR_CACHE_DIR"
_LAST = 2000  # characters of a process's log
GOOD = "A wonderful hotel: the room was quiet and the staff were kind."
BAD = "The soup was cold, the waiter was rude, and we shall never come back."
BLANK = "The ship sailed across the ___."
WORD = "sea"
FIRST = "The lighthouse stands on a rock far out in the sea."
NEXT = "Its lamp warns ships of the rock at night."
OTHER = "Beat two eggs with the sugar until they are white."
NAMES = {"Agnes Thorburn": "PER", "Norway": "LOC"}
NAMED = "Agnes Thorburn left for Norway in the spring."
QUESTION = "How far away can the lamp be seen?"
ANSWER = "forty kilometres away"
PLACE = "the lamp"
FILES = {
    "PDF": ("lighthouse.pdf", Kind.PDF),
    "Word": ("lighthouse.docx", Kind.DOCX),
    "web page": ("lighthouse.html", Kind.HTML),
    "Markdown": ("lighthouse.md", Kind.MARKDOWN),
    "plain text": ("lighthouse.txt", Kind.TEXT),
}


def try_documents(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """Try everything with documents; files are written into the folder."""
    for title, (name, kind) in FILES.items():
        action = partial(_ask, trial, workspace, workspace.paths.known_documents / name, kind)
        trial.run(f"{title}: opened, asked, answered with its exact words", action)
    pdf = workspace.paths.known_documents / FILES["PDF"][0]
    trial.run("PDF: a page drawn", partial(_draw, trial, workspace, pdf))
    trial.run("History: kept and found", partial(_keep, trial, workspace, pdf))
    trial.run("PDF: an answer marked in a copy", partial(_mark, trial, workspace, folder / "marked.pdf"))


def _ask(trial: Trial, workspace: Workspace, path: Path, kind: Kind) -> None:
    opened = _opened(trial, workspace, path)
    require(opened.kind is kind, f"{path.name} was read as {opened.kind}.")
    text = opened.document.text
    reading = ask(workspace, Question(QUESTION, (opened.document,)), trial.report)
    best = reading.best
    require(best is not None, f"{path.name} gave no answer.")
    assert best is not None
    require(best.text == ANSWER, f"{path.name} was answered with “{best.text}”, not “{ANSWER}”.")
    place = text[best.span.start : best.span.end]
    require(place == ANSWER, f"In {path.name} the answer is said to stand where “{place}” does.")


def _opened(trial: Trial, workspace: Workspace, path: Path) -> Opened:
    return read_document(workspace, path, trial.report)


def _draw(trial: Trial, workspace: Workspace, path: Path) -> None:
    opened = _opened(trial, workspace, path)
    width, height = round(opened.pages[0].width), round(opened.pages[0].height)
    picture = draw_part(workspace, opened, 0, 1.0, 0, 0, width, height, trial.report)
    require(len(set(picture.pixels)) > 16, "The page's picture is empty.")  # letters have soft edges


def _keep(trial: Trial, workspace: Workspace, path: Path) -> None:
    opened = _opened(trial, workspace, path)
    question = Question(QUESTION, (opened.document,))
    remember(workspace, opened, question, ask(workspace, question, trial.report), trial.report)
    found = past(workspace, PLACE, trial.report)
    require(
        [entry.question for entry in found.entries] == [QUESTION], "The question is not found in the history."
    )


def _mark(trial: Trial, workspace: Workspace, copy: Path) -> None:
    entries = everything(workspace, "", trial.report)
    marked = marked_copies(workspace, entries, copy, trial.report)
    require(marked.count == 1 and copy.is_file(), "; ".join(marked.notes) or "Nothing was marked.")


def try_heads(trial: Trial, workspace: Workspace) -> None:
    """Try each head's starter, and look inside two of them."""
    actions: dict[str, Callable[[Trial, Workspace], None]] = {
        "Classify: a good and a bad review": _classify,
        "Fill in: the word for a blank": _fill,
        "Next sentence: what follows and what does not": _follow,
        "Names: a person and a place": _names,
        "Look inside: the model's picture": _picture,
        "Look inside: attentions": _attention,
        "Look inside: why this answer": _reasons,
    }
    for what, action in actions.items():
        trial.run(what, partial(action, trial, workspace))


def _classify(trial: Trial, workspace: Workspace) -> None:
    found = classify(workspace, TextsToClassify((GOOD, BAD)), trial.report)
    winners = [item.winner for item in found.items]
    require(winners == ["positive", "negative"], f"They were held to be {' and '.join(winners)}.")


def _fill(trial: Trial, workspace: Workspace) -> None:
    start = BLANK.index("_")
    found = fill(workspace, TextToFill(BLANK, (Span(start, start + 3),)), trial.report)
    words = [guess.word for guess in found.blanks[0].guesses]
    require(WORD in [word.casefold() for word in words], f"The words are {', '.join(words)}.")


def _follow(trial: Trial, workspace: Workspace) -> None:
    found = follow(workspace, PassagePairs(((FIRST, NEXT), (FIRST, OTHER))), trial.report)
    right, wrong = (item.probability for item in found.items)
    require(right > 0.5 > wrong, f"The probabilities are {right:.2f} and {wrong:.2f}.")


def _names(trial: Trial, workspace: Workspace) -> None:
    found = find_names(workspace, TextsToTag((NAMED,)), trial.report)
    names = {entity.span.of(NAMED): entity.label for entity in found.items[0].entities}
    require(names == NAMES, f"The names are {names or 'none'}.")


def _picture(trial: Trial, workspace: Workspace) -> None:
    picture = look(workspace, LookAtModel(Subject(Head.CLASSIFICATION, GOOD)), trial.report)
    require(bool(picture.trunk and picture.heads), "Nothing of it was seen.")


def _attention(trial: Trial, workspace: Workspace) -> None:
    subject = Subject(Head.QUESTION_ANSWERING, f"{FIRST} {NEXT}", "Where does the lighthouse stand?")
    seen = look(workspace, LookAtAttention(subject), trial.report)
    require(bool(seen.weights), "There are no attentions.")


def _reasons(trial: Trial, workspace: Workspace) -> None:
    found = look(workspace, LookAtReasons(Subject(Head.CLASSIFICATION, GOOD)), trial.report)
    require(any(found.shares), "All shares are nothing.")


def form() -> str:
    """The kind of this installation."""
    if getattr(sys, "frozen", False):
        return "bundle"
    return "source" if command() != "spanlight" else "installed into Python"


def own_versions() -> dict[str, str]:
    """Versions that are known without another process."""
    libc = "".join(platform.libc_ver())
    return {
        NAME: f"{VERSION} ({form()})",
        "Python": platform.python_version(),
        "system": platform.platform() + (f", {libc}" if libc and libc not in platform.platform() else ""),
        "machine": platform.machine(),
        **library_versions(),
    }


def engine_versions(workspace: Workspace, report: Report) -> dict[str, str]:
    """Versions of the libraries that run models, and the device in use; raises as the model process does."""
    found = devices(workspace, report)
    chosen = next((one.title for one in found.options if one.key == found.auto.device), "")
    device = f"{found.auto.device}, {found.auto.dtype}" + (f" ({chosen})" if chosen else "")
    return workspace.engine.versions(report) | {"device": device}


def check(window: Factory | None, report: Report) -> CheckReport:
    """Try everything; every Checked is a partial result too.

    `window` makes the handler of WindowTrials, in a process of its own; None leaves the window out. None of the
    user's own files are read or written. Raises SpanlightError where the resources are missing or nothing can be
    written even for the moment, Stopped when cancelled.
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
            _try_all(trial, workspace, window, Path(folder), versions)
        finally:
            workspace.close()
        found = CheckReport(tuple(trial.parts), versions, time.monotonic() - began)
        return replace(found, log=_logs(workspace.paths.logs)) if found.failed else found


@contextmanager
def _compile_cache_in(folder: Path) -> Iterator[None]:
    """Have PyTorch in the processes that are started use the folder for its compile cache."""
    before = os.environ.get(_CACHE)
    os.environ[_CACHE] = str(folder / "inductor")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CACHE]
        else:
            os.environ[_CACHE] = before


def _try_all(
    trial: Trial, workspace: Workspace, window: Factory | None, folder: Path, versions: dict[str, str]
) -> None:
    workspace.paths.logs.mkdir(parents=True)
    workspace.settings.hub_cache = str(folder / "hub")
    workspace.settings.endpoint, workspace.settings.proxy = HUB, _NOWHERE
    workspace.engine.begin()
    ours: list[str] = []
    trial.run("Every module is there", partial(_look_for_modules, ours))
    trial.run("Every module can be loaded", partial(_import, trial, workspace, ours))
    trial.run("The starter models are there", partial(_starters, workspace))
    try_documents(trial, workspace, folder)
    try_heads(trial, workspace)
    try_families(trial, workspace, folder)
    try_training(trial, workspace, folder)
    trial.run("The download process: started, and refused where nobody is", partial(_reach, trial, workspace))
    trial.run("Versions of what reads documents", lambda: versions.update(own_versions()))
    trial.run("Versions of what computes", lambda: versions.update(engine_versions(workspace, trial.report)))
    if window is not None:
        _try_window(trial, workspace, window, tuple(ours), versions)


def _look_for_modules(ours: list[str]) -> None:
    found, missing = needed()
    ours += found
    require(not missing, f"Missing: {', '.join(missing)}.")


def _import(trial: Trial, workspace: Workspace, ours: list[str]) -> None:
    names = tuple(name for name in ours if not _of_window(name))
    faults = workspace.engine.import_modules(names, trial.report)
    require(not faults, "; ".join(f"{name}: {fault}" for name, fault in faults.items()))


def _of_window(name: str) -> bool:
    return name == WINDOW or name.startswith(WINDOW + ".")


def _starters(workspace: Workspace) -> None:
    cards = installed(workspace)
    require(bool(cards), f"None is in {workspace.paths.starter_models}.")
    lacking = [DOES[head] for head in Head if not any(head in card.heads for card in cards)]
    require(not lacking, f"None is there to {', to '.join(lacking)}.")


def _reach(trial: Trial, workspace: Workspace) -> None:
    try:
        look_up(workspace, _ANY, trial.report)
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
    modules = tuple(name for name in ours if _of_window(name))
    order = WindowTrial(str(workspace.paths.resources), str(workspace.paths.data.parent / "window"), modules)
    listener = _Parts(trial)
    try:
        trial.run(
            "The window's process, from start to end", lambda: versions.update(child.run(order, listener))
        )
    finally:
        child.close()


class _Parts:
    """A report that takes the results of another process's trials."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.progress, self.notice = trial.report.progress, trial.report.notice
        self.check = trial.report.check

    def partial(self, result: object) -> None:
        """Add a trial's result."""
        if isinstance(result, Checked):
            self._trial.add(result)


def _logs(folder: Path) -> str:
    """The end of each process's log."""
    logs = []
    for path in sorted(folder.glob("*.log")):
        text = path.read_text("utf-8", "replace").strip()
        if text:
            logs.append(f"{path.name}: {text[-_LAST:]}")
    return "\n".join(logs)
