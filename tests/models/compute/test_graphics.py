"""Why a GPU is not used, in plain words, for every way in which it may fail."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from app.models.compute import graphics
from app.models.compute.device import list_devices
from app.models.compute.graphics import Card, cards, driver_version, gpus, why_not

GEFORCE = Card("NVIDIA", "NVIDIA GeForce RTX 4090", "470.256.02")


def torch_without_a_gpu(
    monkeypatch: pytest.MonkeyPatch, *, cuda: str | None = None, hip: str | None = None, says: str = ""
) -> None:
    """A fake PyTorch of some build that lists no GPU, and its error when it starts CUDA."""

    def init() -> None:
        if says:
            raise RuntimeError(says)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.version, "hip", hip)
    monkeypatch.setattr(torch.cuda, "init", init)
    for name in graphics._HIDING:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("build", "says", "card", "why"),
    [
        ({}, "", GEFORCE, "this PyTorch is a CPU build: it cannot use the NVIDIA GPU"),
        ({}, "", Card("AMD", "AMD GPU"), "this PyTorch is a CPU build: it cannot use the AMD GPU"),
        ({"cuda": "13.0"}, "", Card("AMD", "AMD GPU"), "this PyTorch is built for NVIDIA GPUs, not for AMD's"),
        ({"hip": "6.4"}, "", GEFORCE, "this PyTorch is built for AMD GPUs, not for NVIDIA's"),
        (
            {"cuda": "13.0"},
            "The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver",
            GEFORCE,
            "the driver 470.256.02 is older than this PyTorch needs: it knows CUDA 11.4 at the most, "
            "PyTorch was built for CUDA 13.0",
        ),
        (
            {"cuda": "13.0"},
            "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
            Card("NVIDIA", "NVIDIA GPU"),
            "no NVIDIA driver answers: it is not installed, or not running",
        ),
        ({"hip": "6.4"}, "", Card("AMD", "AMD GPU"), "no AMD driver answers: it is not installed, or not running"),
        (
            {"cuda": "13.0"},
            "Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver\nmore",
            GEFORCE,
            "the NVIDIA driver does not work with PyTorch: Unexpected error from cudaGetDeviceCount(). Error 803: "
            "system has unsupported display driver",
        ),
    ],
)  # fmt: skip
def test_why_pytorch_lists_no_gpu(
    monkeypatch: pytest.MonkeyPatch, build: dict[str, str], says: str, card: Card, why: str
) -> None:
    torch_without_a_gpu(monkeypatch, **build, says=says)
    assert why_not(card) == why
    monkeypatch.setattr(graphics, "cards", lambda: (card,))
    (gpu,) = gpus()
    assert (gpu.key, gpu.title, gpu.fault, gpu.usable) == ("cuda:0", card.title, why, False)


def test_a_gpu_hidden_by_the_environment_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    torch_without_a_gpu(monkeypatch, cuda="13.0", says="No CUDA GPUs are available")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert why_not(GEFORCE) == "it is hidden from PyTorch by the environment variable CUDA_VISIBLE_DEVICES"


@pytest.mark.parametrize(
    ("built", "capability", "why"),
    [
        (["sm_75", "sm_80", "sm_90"], (8, 9), ""),
        (["sm_75", "sm_80", "compute_80"], (12, 0), ""),
        (["sm_90a", "sm_100"], (9, 0), ""),
        ([], (3, 0), ""),
        (
            ["sm_75", "sm_80", "sm_90"],
            (6, 1),
            "the GPU Graphics (compute capability 6.1) is too old for this PyTorch, which needs 7.5 or newer",
        ),
        (
            ["sm_75", "sm_80", "sm_90"],
            (12, 0),
            "the GPU Graphics (compute capability 12.0) is newer than this PyTorch knows: install a newer PyTorch",
        ),
        (
            ["sm_86"],
            (8, 0),
            "the GPU Graphics (compute capability 8.0) is too old for this PyTorch, which needs 8.6 or newer",
        ),
    ],
)
def test_a_gpu_must_suit_the_kernels_of_this_build(
    monkeypatch: pytest.MonkeyPatch, built: list[str], capability: tuple[int, int], why: str
) -> None:
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: built)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Graphics")
    monkeypatch.setattr(graphics, "multiplies", lambda *_: True)
    gpu = graphics.cuda(0)
    assert gpu.fault == why
    assert (gpu.precisions[0] == "bfloat16") == (capability >= (8, 0))


@pytest.mark.parametrize(("arch", "usable"), [("gfx1100:sramecc-", True), ("gfx803", False), ("", True)])
def test_an_amd_gpu_must_suit_the_kernels_too(
    monkeypatch: pytest.MonkeyPatch, arch: str, usable: bool
) -> None:
    monkeypatch.setattr(torch.version, "hip", "6.4")
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["gfx1100", "gfx90a"])
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(gcnArchName=arch))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Radeon")
    monkeypatch.setattr(graphics, "multiplies", lambda *_: True)
    assert graphics.cuda(0).usable == usable


@pytest.mark.parametrize(
    ("built", "version", "why"),
    [
        (False, "15.1", "this PyTorch is built without the Apple GPU"),
        (True, "12.6", "macOS 12.6 is too old for PyTorch to use the Apple GPU"),
    ],
)
def test_why_an_apple_gpu_is_not_used(
    monkeypatch: pytest.MonkeyPatch, built: bool, version: str, why: str
) -> None:
    torch_without_a_gpu(monkeypatch)
    monkeypatch.setattr(graphics, "cards", lambda: ())
    monkeypatch.setattr(torch.backends.mps, "is_built", lambda: built)
    monkeypatch.setattr(graphics.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(graphics.platform, "machine", lambda: "arm64")
    monkeypatch.setattr(graphics.platform, "mac_ver", lambda: (version, ("", "", ""), "arm64"))
    (gpu,) = gpus()
    assert (gpu.key, gpu.fault) == ("mps", why)


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Linux's files on devices and NVIDIA's driver, in a folder of the test's own."""
    monkeypatch.setattr(graphics, "PCI", tmp_path / "pci")
    monkeypatch.setattr(graphics, "NVIDIA", tmp_path / "nvidia")
    monkeypatch.setattr(graphics.sys, "platform", "linux")
    return tmp_path


def on_the_bus(system: Path, number: int, vendor: str, kind: str) -> None:
    folder = system / "pci" / f"0000:0{number}:00.0"
    folder.mkdir(parents=True)
    (folder / "vendor").write_text(vendor + "\n")
    (folder / "class").write_text(kind + "\n")


def test_cards_are_found_without_pytorch(system: Path) -> None:
    assert cards() == ()
    on_the_bus(system, 0, "0x8086", "0x030000")
    on_the_bus(system, 1, "0x10de", "0x030000")
    on_the_bus(system, 2, "0x10de", "0x040300")  # its sound
    on_the_bus(system, 3, "0x10de", "0x030200")
    on_the_bus(system, 4, "0x1002", "0x120000")
    assert [card.title for card in cards()] == ["NVIDIA GPU", "NVIDIA GPU", "AMD GPU"]
    assert driver_version() == ""


def test_the_driver_names_its_cards_and_itself(system: Path) -> None:
    on_the_bus(system, 1, "0x10de", "0x030000")
    folder = system / "nvidia" / "gpus" / "0000:01:00.0"
    folder.mkdir(parents=True)
    (folder / "information").write_text("Model: \t\t NVIDIA H200\nIRQ:   \t\t 120\n")
    (system / "nvidia" / "version").write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n"
        "GCC version:  gcc version 12.3.0\n"
    )
    assert cards() == (Card("NVIDIA", "NVIDIA H200", "580.95.05"),)


def test_every_device_is_listed_with_memory_or_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    torch_without_a_gpu(monkeypatch)
    monkeypatch.setattr(graphics, "cards", lambda: (GEFORCE, GEFORCE))
    found = list_devices()
    assert [option.key for option in found.options] == ["cpu", "cuda:0", "cuda:1"]
    processor, *others = found.options
    assert processor.usable
    assert 0 < processor.free < processor.memory
    assert processor.precisions[0] == found.auto.dtype
    assert not any(option.usable or option.memory for option in others)
    assert found.auto.device == "cpu"
    assert GEFORCE.title in found.auto.reason
    assert found.torch == torch.__version__


def test_a_gpu_that_broke_down_is_not_listed_as_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    torch_without_a_gpu(monkeypatch)
    working = graphics.Gpu("cuda:0", "Graphics", "", ("bfloat16", "float32"))
    monkeypatch.setattr("app.models.compute.device.gpus", lambda: (working,))
    found = list_devices("the GPU broke down: it is lost")
    assert not found.options[1].usable
    assert found.options[1].reason == (
        "It is not used until Spanlight is started again: the GPU broke down: it is lost."
    )
    assert found.auto.reason.startswith("the GPU broke down: it is lost")
