"""With every way to the network blocked all but looking up and downloading works, and nothing even tries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Loaded by every Python that starts with its folder on PYTHONPATH, so by all processes of the app.
BLOCK = """
import os, sys
_PLACE = os.environ["SPANLIGHT_TRIED"]
with open(os.path.join(_PLACE, "pids"), "a") as _file:
    _file.write(f"{os.getpid()}\\n")
_ASKED = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
_SENT = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind")
def _hook(event, arguments):
    if event in _ASKED or (event in _SENT and isinstance(arguments[1], tuple)):
        with open(os.path.join(_PLACE, "tried"), "a") as file:
            file.write(f"{os.getpid()} {event} {arguments[:2]}\\n")
        raise OSError(101, "Network is unreachable")
sys.addaudithook(_hook)
"""

ALL = """
import sys, time
from pathlib import Path

if __name__ == "__main__":
    from app.core.errors import SpanlightError
    from app.core.models import Head
    from app.core.report import Silent
    from app.core.requests import Question, TextsToClassify
    from app.flows.ask import question as ask, read
    from app.flows.heads.heads import classify
    from app.flows.models import catalogue, devices, get as get_model, installed as models
    from app.flows.network.network import ledger
    from app.flows.workspace import open_workspace
    from app.ui.window.pages import PAGES
    from app.ui.window.start import make_application, open_window

    workspace = open_workspace()
    workspace.settings.models["question-answering"] = "reader-quick"
    application = make_application(workspace)
    window = open_window(workspace)
    pages = [entry[0] for entry in PAGES]


    def settled():
        application.processEvents()
        while not (window.lanes.files.idle and window.lanes.work.idle):
            application.processEvents()
            time.sleep(0.005)

    for key in pages:
        window.show_page(key)
        settled()
    for key in ("installed", "offered", "measure", "computer", "network"):
        window.pages["models"].show_section(key)
        settled()
    names = [card.name for card in models.installed(workspace)]
    assert {"reader-quick", "starter-sentiment"} <= set(names), names
    assert catalogue.offered(workspace, Silent())
    assert get_model.unfinished(workspace, Silent()) == () and ledger(workspace, Silent()) == ()
    document = read.read_document(workspace, sys.argv[1], Silent()).document
    ask.load_reader(workspace, Silent())
    reading = ask.ask(workspace, Question("Who stole the tarts?", (document,)), Silent())
    assert reading.answers[0].text == "The Knave of Hearts", reading.answers[0]
    assert classify(workspace, TextsToClassify(("A wonderful film.",)), Silent()).items
    assert devices.devices(workspace, Silent()).options and devices.memory(workspace, Silent()).held
    workspace.settings.offline = True
    try:
        get_model.look_up(workspace, "owner/reader", Silent())
    except SpanlightError as fault:
        assert "offline" in fault.message, fault
    else:
        raise AssertionError("it was not refused")
    assert workspace.downloads.pids == (None, None)
    window.close()
    workspace.close()
    print("all done")
"""

LOOK_UP = """
import sys
if __name__ == "__main__":
    from app.core.errors import SpanlightError
    from app.core.report import Silent
    from app.flows.models import get as get_model
    from app.flows.network.network import ledger
    from app.flows.workspace import open_workspace
    workspace = open_workspace()
    try:
        get_model.look_up(workspace, "owner/reader", Silent())
    except SpanlightError as fault:
        print(fault)
    print(len(ledger(workspace, Silent())), "in the ledger")
    workspace.close()
"""


class Blocked:
    """Runs a program whose processes can reach nothing; `tried` are the attempts, `processes` who ran."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        (folder / "sitecustomize.py").write_text(BLOCK)
        patch.setenv("PYTHONPATH", str(folder))
        patch.setenv("SPANLIGHT_TRIED", str(folder))
        patch.delenv("HF_HUB_OFFLINE", raising=False)

    def run(self, code: str, *arguments: str) -> str:
        # A file, since what runs from the command line has no main module that spawned processes could find.
        program = self._folder / "program.py"
        program.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{code}")
        command = [sys.executable, str(program), *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def tried(self) -> list[str]:
        path = self._folder / "tried"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def processes(self) -> int:
        return len(set((self._folder / "pids").read_text().split()))


@pytest.fixture
def blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Blocked:
    folder = tmp_path / "blocked"
    folder.mkdir()
    return Blocked(folder, monkeypatch)


def test_all_but_the_download_works_and_not_one_connection_is_tried(blocked: Blocked, tmp_path: Path) -> None:
    text = tmp_path / "tarts.txt"
    text.write_text(
        "The Queen of Hearts made some tarts. The Knave of Hearts stole the tarts on a summer's day."
    )
    assert "all done" in blocked.run(ALL, str(text))
    assert blocked.tried == []
    assert blocked.processes >= 3  # the window's, the model process, the one that reads documents


def test_the_block_sees_what_the_download_process_tries(blocked: Blocked) -> None:
    """Without this the test above would pass with a block that blocks nothing."""
    said = blocked.run(LOOK_UP)
    assert "huggingface.co cannot be found: there seems to be no network." in said
    attempts = len(blocked.tried)
    assert attempts >= 1 and all("huggingface.co" in line for line in blocked.tried)
    assert f"{attempts} in the ledger" in said
