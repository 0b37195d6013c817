"""What a start loads: the window and the command line's own process stay free of what takes long."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.core.models import Head
from tests.conftest import ROOT
from tests.helpers.small_models import small_checkpoint

HEAVY = {"torch", "transformers", "tokenizers", "safetensors", "numpy", "huggingface_hub", "sympy"}
SLOW = {"asyncio", "email", "http", "ssl", "urllib.request", "importlib.metadata", "sqlite3"}

# A page's parts, flows and their plain data are imported when they are needed, or at rest (app/ui/window/idle.py).
LATER = {
    "sqlite3", "multiprocessing", "docx", "pypdfium2", "selectolax", "lxml", "markdown_it", "httpx2",
    "csv", "ssl", "openpyxl",
    "app.core.inspection", "app.core.inside", "app.core.offers", "app.core.requests",
    "app.core.results", "app.engine.client", "app.flows.ask.document_process",
    "app.flows.network.download_process", "app.flows.history.export", "app.flows.history.history",
    "app.flows.models.import_model", "app.flows.ask.read", "app.library.history", "app.models.disk.card",
    "app.models.disk.installed", "app.ui.document.pdf.page_pane", "app.ui.document.flowing.rich_pane",
    "app.ui.heads.classify.classify", "app.ui.heads.fill.fill", "app.ui.heads.next.follow",
    "app.ui.history.history", "app.ui.inspect.page", "app.ui.models.page", "app.ui.heads.names.names",
    "app.ui.settings.settings", "PySide6.QtPrintSupport", "PySide6.QtQml", "PySide6.QtOpenGL",
}  # fmt: skip
MOST_OF_OURS = 114

WINDOW = """
import sys, time
import app.__main__
from app.flows.workspace import open_workspace
from app.ui.window.start import make_application, open_window
workspace = open_workspace()
application = make_application(workspace)
window = open_window(workspace)
assert window.isVisible()
end = time.monotonic() + 60
painted = []
window.painted.first.disconnect()  # what the window begins then
window.painted.first.connect(lambda: painted.append(sorted(sys.modules)))
while not painted and time.monotonic() < end:
    application.processEvents()
print(*painted[0])
window.close()
"""
REAL_WINDOW = """
import sys, time
from app.flows.workspace import open_workspace
from app.ui.window.start import make_application, open_window
workspace = open_workspace()
application = make_application(workspace)
window = open_window(workspace)
end = time.monotonic() + 60
while not window.windowHandle().isExposed() and time.monotonic() < end:
    application.processEvents()
picture = window.grab().toImage()
colours = {picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)}
print(application.platformName(), window.windowHandle().isExposed(), len(colours) > 4)
window.close()
"""
COMMAND = """
import atexit, sys
from app.__main__ import main
if __name__ == "__main__":
    code = main(sys.argv[1:])
    print("\\n" + " ".join(sorted(sys.modules)))
    sys.exit(code)
"""


def run(code: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_the_window_shows_before_anything_heavy_is_loaded() -> None:
    done = run(WINDOW)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "PySide6" in loaded and "app.ui.ask.ask" in loaded
    assert not loaded & (HEAVY | LATER)
    assert len([name for name in loaded if name.startswith("app.")]) <= MOST_OF_OURS


def test_the_window_tells_when_it_was_painted_and_leaves(spanlight_home: Path) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "app", "--painted"], cwd=ROOT, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert began < float(done.stdout) < time.monotonic()


@pytest.mark.real_window
def test_a_real_window_shows(screen: dict[str, str]) -> None:
    command = [sys.executable, "-c", REAL_WINDOW]
    done = subprocess.run(command, cwd=ROOT, env=screen, capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stdout) == (0, "xcb True True\n"), done.stderr


@pytest.mark.real_window
def test_the_whole_start_and_a_polite_end(screen: dict[str, str], spanlight_home: Path) -> None:
    """`python3 -m app` on a real screen, closed by the system's SIGTERM once it listens for it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app"], cwd=ROOT, env=screen | {"SPANLIGHT_HOME": str(spanlight_home)}
    )
    try:
        end = time.monotonic() + 100
        while not listens_for(process.pid, signal.SIGTERM):
            assert process.poll() is None, "it ended by itself"
            assert time.monotonic() < end, "it never came up"
            time.sleep(0.05)
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


def listens_for(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal, as Linux tells."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (number - 1) & 1)


@pytest.mark.parametrize("option", ["--version", "--help", "--no-such-option"])
def test_quick_options_load_next_to_nothing(option: str) -> None:
    done = run(COMMAND, option)
    assert done.returncode == (2 if option == "--no-such-option" else 0)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & (HEAVY | SLOW | {"PySide6", "app.cli", "app.flows", "argparse", "subprocess"})


def test_the_set_up_check_of_a_later_start_is_light() -> None:
    code = (
        "import sys; from app.__main__ import prepare; assert prepare('app', ['models']) is None;"
        " print(*sys.modules)"
    )
    run(code)  # leaves a stamp where an environment was made by hand
    done = run(code)
    assert done.returncode == 0, done.stderr
    heavy = HEAVY | SLOW | {"PySide6", "subprocess", "shutil"}
    if Path(sys.prefix) != ROOT / ".venv":  # in another environment the versions are asked for
        heavy -= {"importlib.metadata", "email", "shutil"}
    assert not set(done.stdout.split()) & heavy


def test_the_command_line_leaves_torch_to_the_model_process(tmp_path: Path) -> None:
    model = small_checkpoint(tmp_path / "model", "bert", Head.QUESTION_ANSWERING)
    text = "The knave of hearts stole the tarts."
    done = run(
        COMMAND, "ask", "-", "--question", "who stole the tarts", "--model", str(model), "--json", given=text
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "app.cli.ask" in loaded
    assert not loaded & {"torch", "transformers", "PySide6"}


def test_a_spawned_process_reads_a_light_main() -> None:
    done = run(
        "import sys, runpy; runpy.run_module('app.__main__', run_name='__mp_main__'); print(*sys.modules)"
    )
    assert done.returncode == 0, done.stderr
    assert not set(done.stdout.split()) & (HEAVY | SLOW | {"PySide6", "app.cli"})


@pytest.mark.parametrize(
    "file", ["app/__main__.py", "app/core/about.py", "app/__init__.py", "packaging/bootstrap.py"]
)
def test_an_old_python_can_read_that_it_is_too_old(file: str) -> None:
    ast.parse((ROOT / file).read_text("utf-8"), feature_version=(3, 8))


def test_an_old_python_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.__main__ import main

    monkeypatch.setattr(sys, "version_info", (3, 8, 18, "final", 0))
    assert main(["models"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("Spanlight needs Python 3.11 or newer; this is Python 3.8.\n")
    assert said.count("\n") == 2


def test_it_can_be_started_by_its_path_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "app"), "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Spanlight ")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a screen")
def test_without_a_screen_the_terminal_is_offered() -> None:
    bare = {
        name: value
        for name, value in os.environ.items()
        if "DISPLAY" not in name and name != "QT_QPA_PLATFORM"
    }
    command = [
        sys.executable,
        "-c",
        "import sys; from app.__main__ import open_window; sys.exit(open_window([]))",
    ]
    done = subprocess.run(command, cwd=ROOT, env=bare, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "There is no screen here" in done.stderr


@pytest.mark.parametrize("words", [["no such file"], ["aks"], ["--widnow"]])
def test_a_wrong_word_is_one_sentence(words: list[str]) -> None:
    done = run(COMMAND, *words)
    assert done.returncode == 2
    assert words[0] in done.stderr and done.stderr.count("\n") == 1
