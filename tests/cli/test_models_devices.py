"""`models devices`: what is printed about each device, and what auto chooses."""

from __future__ import annotations

import json

from app.core.models import DeviceChoice, DeviceOption, Devices
from app.core.report import Report
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import Command

FOUND = Devices(
    (
        DeviceOption("cpu", "A Processor", True, "8 cores", 16 * 10**9, 9 * 10**9, ("float32", "bfloat16")),
        DeviceOption("cuda:0", "A Card\x1b[31m", False, "this PyTorch is a CPU build"),
    ),
    DeviceChoice("cpu", "float32", "A Card is not used: this PyTorch is a CPU build"),
    "2.13.0+cpu",
)


class Engine(FakeEngine):
    def devices(self, report: Report) -> Devices:
        return FOUND


def test_every_device_is_printed_with_whether_it_is_used_and_why(command: Command) -> None:
    code, out, _ = command("models", "devices", engine=Engine())
    assert code == 0
    assert out.splitlines() == [
        "cpu: A Processor",
        "  Usable: 8 cores",
        "  Precisions: float32, bfloat16",
        "  Memory: 16 GB, 9.0 GB free",
        "",
        "cuda:0: A Card [31m",
        "  Not usable: this PyTorch is a CPU build",
        "",
        "auto takes cpu in float32: A Card is not used: this PyTorch is a CPU build.",
        "In the settings: device auto, precision auto.",
        "PyTorch 2.13.0+cpu",
    ]
    found = json.loads(command("models", "devices", "--json", engine=Engine())[1])
    assert [option["usable"] for option in found["options"]] == [True, False]
    assert found["options"][0]["precisions"] == ["float32", "bfloat16"]
    assert found["auto"]["device"] == "cpu"
    assert found["settings"] == {"device": "auto", "precision": "auto"}
