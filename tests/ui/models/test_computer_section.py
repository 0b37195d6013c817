"""The section on this computer: devices, precision, memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost, SpanlightError
from app.core.message import Message
from app.core.models import DeviceChoice, DeviceOption, Devices, Head, HeldModel, MemoryUse
from app.core.report import Report
from app.models.compute import device as compute
from app.ui.models.computer import BUSY, ComputerSection, reason_in_words
from tests.helpers.models_page import open_section, saved
from tests.helpers.windows import FakeEngine, open_fake_workspace

GB = 10**9
CPU = DeviceOption("cpu", "Some Processor", True, "8 cores", 16 * GB, 9 * GB, ("float32", "bfloat16"))
GPU = DeviceOption("cuda:0", "GPU One", True, "computes", 8 * GB, 7 * GB, ("bfloat16", "float16", "float32"))
OLD = DeviceOption("cuda:1", "GPU Two", False, "the driver is older than this PyTorch needs")
FOUND = Devices((CPU, GPU, OLD), DeviceChoice("cuda:0", "bfloat16", "GPU One, faster than the CPU"), "2.9.0")
HELD = (HeldModel("reader", Head.QUESTION_ANSWERING, "cpu", "float32", 90_000_000),)
USE = MemoryUse(HELD, 600_000_000, 16 * GB, 9 * GB)


class ComputerEngine(FakeEngine):
    """Reports the devices and memory of another computer."""

    def __init__(self) -> None:
        super().__init__(lambda *_: None)
        self.found = FOUND
        self.use = USE
        self.memories = 0
        self.fault: Exception | None = None

    def devices(self, report: Report) -> Devices:
        if self.fault:
            raise self.fault
        return self.found

    def memory(self, report: Report) -> MemoryUse:
        self.memories += 1
        return self.use

    def unload(self, report: Report) -> MemoryUse:
        if self.fault:
            raise self.fault
        self.use = replace(self.use, held=())
        return self.use


@pytest.fixture
def engine() -> ComputerEngine:
    return ComputerEngine()


@pytest.fixture
def section(
    qapp: QApplication, qtbot: QtBot, spanlight_home: Path, engine: ComputerEngine
) -> Iterator[ComputerSection]:
    section = open_section(ComputerSection, open_fake_workspace(engine), qtbot)
    quiet(section, qtbot)
    yield section
    section.lanes.close()


def quiet(section: ComputerSection, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: section.lanes.work.idle)


def test_every_device_says_why_it_can_or_cannot_be_used(section: ComputerSection) -> None:
    rows = section.devices
    assert rows.selected() == "auto"
    assert rows._buttons["auto"].accessibleDescription() == "Takes the GPU now. GPU One, faster than the CPU."
    assert rows._buttons["cpu"].accessibleDescription() == "8 cores. 9.0 GB of 16 GB free"
    assert rows._buttons["cuda:1"].accessibleDescription() == "The driver is older than this PyTorch needs."
    usable = [rows._buttons[key].isEnabled() for key in ("auto", "cpu", "cuda:0", "cuda:1")]
    assert usable == [True, True, True, False]
    assert rows._buttons["cpu"].text() == "CPU: Some Processor"
    assert rows._buttons["cuda:0"].text() == "GPU One"
    assert section._torch.text() == "PyTorch 2.9.0"
    for device, row in (("cuda", "cuda:0"), ("cuda:7", "cuda:7"), ("cpu", "cpu")):
        section.workspace.settings.device = device
        section.settings_changed()
        assert rows.selected() == row
        assert ("not here" in rows._buttons[row].accessibleDescription()) is (row == "cuda:7")


def test_device_and_precision_are_saved_announced_and_explained(
    section: ComputerSection, qtbot: QtBot
) -> None:
    told: list[str] = []
    section.changed.connect(told.append)
    assert section._precision_hint.text().startswith("Automatic takes 16 bits (bfloat16) here.")
    qtbot.mouseClick(section.precision._buttons["float16"], Qt.MouseButton.LeftButton)
    assert saved(section).precision == "float16"
    section.devices._buttons["cpu"].click()
    assert saved(section).device == "cpu"
    assert told == ["precision", "device"]
    assert section.precision._buttons["bfloat16"].isEnabled()
    assert not section.precision._buttons["float16"].isEnabled()
    assert "does not compute in 16 bits (float16)" in section._precision_hint.text()


def test_memory_is_shown_for_each_model(
    section: ComputerSection, engine: ComputerEngine, qtbot: QtBot
) -> None:
    assert (
        section._memory.text() == "The model process takes 600 MB. 9.0 GB of the computer's 16 GB are free."
    )
    assert section.loaded.value("reader") == "Answers questions · CPU · 32 bits · 90 MB"
    models, others = section.bar.shares()
    assert models == pytest.approx(0.6 / 16)
    assert models + others == pytest.approx(7 / 16)
    assert not section.gpu_bar.isVisible()
    on_gpu = replace(HELD[0], device="cuda:0", size=2 * GB)
    engine.use = replace(USE, held=(on_gpu,), gpu=8 * GB, gpu_free=5 * GB)
    section.refresh()
    quiet(section, qtbot)
    assert section.gpu_bar.isVisible()
    assert section.gpu_bar.shares() == (pytest.approx(2 / 8), pytest.approx(1 / 8))
    assert "5.0 GB of the GPU's 8.0 GB" in section._gpu.text()


def test_models_are_unloaded_after_running_work_and_the_window_is_notified(
    section: ComputerSection, engine: ComputerEngine, qtbot: QtBot
) -> None:
    over = threading.Event()
    section.lanes.work.start(lambda report: over.wait(10))
    told: list[str] = []
    section.changed.connect(told.append)
    qtbot.mouseClick(section.unload, Qt.MouseButton.LeftButton)
    assert section._unload_hint.text() == BUSY and section._unload_hint.isVisible()
    assert not told and not section.unload.isEnabled()
    over.set()
    qtbot.waitUntil(lambda: told == ["unloaded"])
    assert section._none.isVisible() and not section.loaded.isVisible()
    assert not section.unload.isEnabled()
    assert "loaded again" in section._unload_hint.text()
    assert section.minutes.selected() == "15"
    qtbot.mouseClick(section.minutes._buttons["0"], Qt.MouseButton.LeftButton)
    assert saved(section).unload_minutes == 0 and told[-1] == "unload_minutes"
    engine.use = USE
    section.lanes.work.start(lambda report: None)
    qtbot.waitUntil(section.unload.isEnabled)


def test_memory_is_queried_again_only_after_work(
    section: ComputerSection, engine: ComputerEngine, qtbot: QtBot
) -> None:
    before = engine.memories
    section.lanes.work.start(lambda report: None)
    qtbot.waitUntil(lambda: engine.memories == before + 1)
    qtbot.wait(150)
    assert engine.memories == before + 1, "its own query does not count as work"


def test_what_fills_a_table_gives_way_to_the_first_query(section: ComputerSection, qtbot: QtBot) -> None:
    def fill(report: Report) -> None:
        while True:
            report.check()
            time.sleep(0.002)

    lane = section.lanes.work
    job = lane.start(fill)
    lane.begun.connect(job.drop)
    section.refresh()
    assert job.running, "what is known already is only queried after it"
    section._devices = None
    section.refresh()
    assert section._querying.isVisible()
    qtbot.waitUntil(lambda: section._devices is FOUND and lane.idle)
    assert not section._querying.isVisible() and not job.running


@pytest.mark.parametrize("lost", [False, True])
def test_a_failed_query_is_shown_and_a_lost_process_reported(
    section: ComputerSection, engine: ComputerEngine, qtbot: QtBot, lost: bool
) -> None:
    gone: list[bool] = []
    section.lost.connect(lambda: gone.append(True))
    kind = EngineLost if lost else SpanlightError
    engine.fault = kind("PyTorch cannot be loaded.", "Install it again.")
    section.refresh()
    quiet(section, qtbot)
    assert section.notice.sentence() == "PyTorch cannot be loaded."
    assert bool(gone) is lost
    assert not section._querying.isVisible()


def test_reasons_are_sentences_without_names_of_instructions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    none = Message("no GPU that PyTorch can use was found")
    said = "No GPU that PyTorch can use was found."
    assert reason_in_words(none) == said and reason_in_words("") == ""
    for fast, native, remark in (
        ("AMX", "", "It computes with 16 bits, which is fastest here."),
        ("", "AVX512-BF16", "It computes with 32 bits, which is faster here than 16."),
        ("", "", ""),
    ):
        monkeypatch.setattr(compute.processor, "fast_bfloat16", lambda fast=fast: fast)
        monkeypatch.setattr(compute.processor, "bfloat16", lambda native=native: native)
        assert reason_in_words(compute.cpu(none).reason) == f"{said} {remark}".strip()
        assert not {"AMX", "BF16", "bfloat16"} & set(
            reason_in_words(compute._cpu().reason).replace(".", "").split()
        )
    assert (
        reason_in_words(compute.cpu(none, "float32").reason)
        == f"{said} It computes with 32 bits, as was chosen."
    )
    fastest = Message("fastest in {dtype}", dtype="float16")
    assert reason_in_words(fastest) == "It is fastest with 16 bits (float16)."


def test_tab_goes_from_the_devices_on_to_the_precision(section: ComputerSection, qtbot: QtBot) -> None:
    section.activateWindow()
    section.devices.focus_selected()
    focused = section.window().focusWidget()
    assert focused is section.devices._buttons["auto"]
    qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert section.precision.isAncestorOf(section.window().focusWidget())
    qtbot.keyClick(section.window().focusWidget(), Qt.Key.Key_Tab)
    assert section.window().focusWidget() is section.unload
    qtbot.keyClick(section.unload, Qt.Key.Key_Tab)
    assert section.window().focusWidget().text() == "15 minutes"
