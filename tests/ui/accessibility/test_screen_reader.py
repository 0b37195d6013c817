"""The real window with a real reader, as a screen reader on Linux finds it on the accessibility bus."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytest.importorskip("jeepney", reason="the accessibility bus is asked by jeepney, which is not here")
from tests.helpers.at_spi import Bus, Thing, session_bus, until

pytestmark = [pytest.mark.real_window, pytest.mark.long, pytest.mark.timeout(300)]
TEXT = "The library opens at nine. It was built in 1904 by Ada Martin.\n\nDogs are not admitted."
LAUNCHER = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
# What a screen reader skips: what only holds other things.
QUIET = {
    "filler",
    "panel",
    "split pane",
    "layered pane",
    "scroll bar",
    "separator",
    "scroll pane",
    "label",
    "splitter",
    "grip",
}


@dataclass
class Session:
    """A session with the window in it."""

    bus: Bus
    process: subprocess.Popen[bytes]

    def window(self) -> Thing:
        return next(one for one in self.bus.windows() if "Spanlight" in one.name)


@pytest.fixture(scope="module")
def session(screen: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    if shutil.which("dbus-run-session") is None or not any(Path(each).exists() for each in LAUNCHER):
        pytest.skip("no accessibility bus here (apt-get install dbus at-spi2-core)")
    folder = tmp_path_factory.mktemp("bus")
    (folder / "library.txt").write_text(TEXT, encoding="utf-8")
    with session_bus() as address:
        environment = screen | {
            "DBUS_SESSION_BUS_ADDRESS": address,
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "SPANLIGHT_HOME": str(folder / "home"),
            "PYTHONFAULTHANDLER": "1",
        }
        settings = folder / "home" / "config" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"welcomed": true}', encoding="utf-8")
        command = [sys.executable, "-m", "app", str(folder / "library.txt")]
        process = subprocess.Popen(command, cwd=ROOT, env=environment)
        bus = Bus(address)
        try:
            found = Session(bus, process)
            until(found.window)
            yield found
        finally:
            bus.close()
            process.terminate()
            process.wait(30)


def test_every_page_can_be_read_out(session: Session) -> None:
    window = session.window()
    until(lambda: window.find("text", "Document").text() == TEXT)
    faults = []
    pages = window.find("panel", "Pages")
    names = [one.name for one in pages.everything() if one.role == "radio button"]
    assert len(names) == 11
    for name in names:
        button = window.find("radio button", name)
        button.act()
        until(lambda button=button: button.has("checked"))
        for one in window.everything(12):
            if one.role not in QUIET and not (one.name or one.labels() or one.description):
                faults.append(f"{name}: a {one.role} without a name")
            if one.role == "frame" and one.place != window.place:
                faults.append(f"{name}: “{one.name}” is told as a window")
    assert not faults, "\n" + "\n".join(faults)
    assert session.process.poll() is None


def test_the_answer_is_said_and_the_caret_is_at_its_words(session: Session) -> None:
    window = session.window()
    window.find("radio button", "Ask").act()
    question = until(lambda: window.find("text", "Question"))
    question.type("When was the library built?")
    session.bus.heard.clear()
    window.find("push button", "Ask").act()

    def told() -> str:
        session.bus.listen(0.2)
        return next((words for words in session.bus.heard if "1904" in words), "")

    said = until(told, 180)
    assert said.startswith("Answer: 1904") and "%" in said and "line 1" in said
    card = window.find("panel", "Answer: 1904")
    assert card.name == said
    document = window.find("text", "Document")
    assert document.caret() == TEXT.index("1904")


def test_a_list_tells_its_rows_and_which_is_chosen(session: Session) -> None:
    window = session.window()
    window.find("radio button", "Models").act()
    models = until(lambda: window.find("list", "Installed models"))
    rows = until(lambda: [one for one in models.children() if one.role == "list item"])
    assert all(row.name for row in rows)
    assert [row.has("selected") for row in rows].count(True) == 1
    assert session.bus.get(models.place, "Selection", "NSelectedChildren") == 1
