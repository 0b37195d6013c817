"""Which PyTorch is taken, and what a person is told when pip fails."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bootstrapping import installer, system
from bootstrapping.environment import Environment
from bootstrapping.progress import Progress, SetUpFault, duration

LINE, PINS = "torch>=2.10,<3", ["torch==2.13.0", "numpy==2.4.6"]


class RecordedPip(installer.Pip):
    """A pip that notes what it is asked and answers as told."""

    def __init__(self, folder: Path, *, index: bool, cuda: bool, refuses: tuple[str, ...] = ()) -> None:
        environment = Environment(str(folder))
        super().__init__(environment, Progress(1, str(folder / "log")))
        self.index, self.cuda, self.refuses = index, cuda, refuses
        self.installed: list[list[str]] = []

    def ask(self, arguments):  # type: ignore[no-untyped-def]
        if arguments[0] == "index":
            return "torch (2.13.0+cpu)" if self.index else None
        names = ["torch", "sympy", *(["nvidia-cublas", "triton"] if self.cuda else [])]
        return json.dumps({"install": [{"metadata": {"name": name}} for name in names]})

    def install(self, arguments):  # type: ignore[no-untyped-def]
        self.installed.append(list(arguments))
        refused = any(word in arguments for word in self.refuses)
        return "ERROR: No matching distribution found for torch==2.13.0" if refused else ""


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "nvidia_driver", lambda: False)
    monkeypatch.setattr(sys, "platform", "linux")


CPU_BUILD = ["--no-deps", "--index-url", installer.CPU_INDEX, "torch==2.13.0"]
ORDINARY = ["torch==2.13.0"]


@pytest.mark.parametrize(
    ("platform", "driver", "has", "refuses", "installed"),
    [
        ("linux", False, {"index": True, "cuda": True}, (), [CPU_BUILD]),
        ("linux", False, {"index": True, "cuda": False}, ("--index-url",), [CPU_BUILD, ORDINARY]),
        ("linux", False, {"index": False, "cuda": False}, (), [ORDINARY]),
        ("linux", False, {"index": False, "cuda": True}, (), [ORDINARY]),
        # A tested version that is not to be had gives way.
        ("linux", False, {"index": False, "cuda": False}, ("torch==2.13.0",), [ORDINARY, [LINE]]),
        ("linux", True, {"index": True, "cuda": True}, (), [ORDINARY]),
        ("win32", False, {"index": True, "cuda": True}, (), [ORDINARY]),
        ("darwin", False, {"index": True, "cuda": True}, (), [ORDINARY]),
    ],
)
def test_which_torch_is_installed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    platform: str,
    driver: bool,
    has: dict[str, bool],
    refuses: tuple[str, ...],
    installed: list[list[str]],
) -> None:
    """On Linux without an NVIDIA driver its makers' CPU build comes first; CUDA is said before it is fetched."""
    monkeypatch.setattr(system, "nvidia_driver", lambda: driver)
    monkeypatch.setattr(sys, "platform", platform)
    pip = RecordedPip(tmp_path, **has, refuses=refuses)
    installer.install_torch(pip, LINE, PINS)
    assert pip.installed == installed
    brings_cuda = platform == "linux" and has["cuda"] and CPU_BUILD not in installed
    assert ("about 3 GB" in capsys.readouterr().err) is brings_cuda


@pytest.mark.usefixtures("no_gpu")
def test_no_build_at_all_is_one_sentence(tmp_path: Path) -> None:
    pip = RecordedPip(tmp_path, index=False, cuda=False, refuses=("torch==2.13.0", LINE))
    with pytest.raises(SetUpFault, match="There is no build of torch"):
        installer.install_torch(pip, LINE, PINS)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full."),
        (
            "Failed to establish a new connection: [Errno -2]\nERROR: No matching",
            "the internet cannot be reached",
        ),
        (
            "SSLError: [SSL: CERTIFICATE_VERIFY_FAILED] ... Max retries exceeded",
            "certificate does not verify",
        ),
        ("ERROR: Permission denied: '/x'", "cannot be written to"),
        ("ERROR: something new\nmore", "could not be installed (something new)"),
        ("", "could not be installed (pip failed)"),
    ],
)
def test_what_a_person_is_told(said: str, told: str) -> None:
    fault = installer.fault(said, "Qt", "the log")
    assert told in fault.message
    assert fault.hint and "\n" not in fault.message + fault.hint


def test_progress_names_what_is_fetched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pip = installer.Pip(Environment(str(tmp_path)), Progress(2, str(tmp_path / "log")))
    for line in (
        "Downloading https://example.org/torch-2.13.0-cp311-none-any.whl (190.5 MB)",
        "Downloading torch-2.13.0-cp311-none-any.whl.metadata (30 MB)",
        "Using cached numpy-2.4.6-cp311-none-any.whl (16.8 MB)",
        "Downloading tiny-1.0-py3-none-any.whl (12 kB)",
        "Installing collected packages: a, b, c",
    ):
        pip._tell(line)
    assert capsys.readouterr().err.split("\n") == [
        "      fetching torch-2.13.0, 190.5 MB",
        "      taking from the last download numpy-2.4.6, 16.8 MB",
        "      unpacking 3 packages",
        "",
    ]


def test_a_long_step_gives_a_sign_of_life(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import time

    progress = Progress(3, str(tmp_path / "log"), every=0.5)
    with progress.step("Something slow"):
        while "still at it" not in (said := capsys.readouterr().err):
            time.sleep(0.05)
    assert said.strip().startswith("still at it")


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
