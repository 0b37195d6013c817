"""The GPUs in this computer: which of them PyTorch can compute on, and in plain words why not."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.message import Message
from app.models.compute.system import text_of

PCI = Path("/sys/bus/pci/devices")
NVIDIA = Path("/proc/driver/nvidia")
MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD"}
# Display controllers; an accelerator without a screen (Instinct) is a processing accelerator, class 0x12.
CLASSES = ("0x03", "0x12")
_HIDING = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_WINDOWS_DISPLAYS = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"


@dataclass(frozen=True, slots=True)
class Card:
    """A graphics card: its maker, its name, and its driver's version (empty where unknown)."""

    maker: str
    title: str
    driver: str = ""


def cards() -> tuple[Card, ...]:
    """The NVIDIA and AMD cards in this computer, found without PyTorch; none where the system does not list them."""
    if sys.platform == "win32":
        return _on_windows()
    if not sys.platform.startswith("linux"):
        return ()
    version = driver_version()
    named = [Card("NVIDIA", title, version) for title in _nvidia_names()]
    makers = _pci_makers()
    # A running driver knows the cards' names, and in a container may be all that is visible of them.
    nvidia = named or [Card("NVIDIA", "NVIDIA GPU", version)] * makers.count("NVIDIA")
    return (*nvidia, *[Card("AMD", "AMD GPU")] * makers.count("AMD"))


def driver_version() -> str:
    """The version of NVIDIA's driver on Linux, empty where none is loaded."""
    found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", text_of(NVIDIA / "version"))
    return found[1] if found else ""


def _nvidia_names() -> list[str]:
    names = []
    with contextlib.suppress(OSError):
        for folder in sorted((NVIDIA / "gpus").iterdir()):
            found = re.search(r"^Model:\s*(\S.*?)\s*$", text_of(folder / "information"), re.MULTILINE)
            names.append(found[1] if found else "NVIDIA GPU")
    return names


def _pci_makers() -> list[str]:
    makers = []
    with contextlib.suppress(OSError):
        for device in sorted(PCI.iterdir()):
            maker = MAKERS.get(text_of(device / "vendor").strip().lower())
            if maker and text_of(device / "class").startswith(CLASSES):
                makers.append(maker)
    return makers


def _on_windows() -> tuple[Card, ...]:
    import winreg

    found = []
    # The module is empty on other systems, where the type checker runs.
    reach = {name: getattr(winreg, name) for name in ("OpenKey", "QueryValueEx", "HKEY_LOCAL_MACHINE")}
    for number in range(16):
        with contextlib.suppress(OSError):
            where = f"{_WINDOWS_DISPLAYS}\\{number:04d}"
            with reach["OpenKey"](reach["HKEY_LOCAL_MACHINE"], where) as key:
                title, driver = (
                    str(reach["QueryValueEx"](key, value)[0]) for value in ("DriverDesc", "DriverVersion")
                )
            for maker in MAKERS.values():
                if maker.lower() in title.lower() or (maker == "AMD" and "radeon" in title.lower()):
                    found.append(Card(maker, title, driver))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU: torch's name for it, its title, what is wrong with it (a part of a sentence, or empty), and its dtypes.

    The first of `precisions` is the one that `auto` chooses.
    """

    key: str
    title: str
    fault: str = ""
    precisions: tuple[str, ...] = ("float32",)

    @property
    def usable(self) -> bool:
        """Whether models can run on it."""
        return not self.fault


def gpus() -> tuple[Gpu, ...]:
    """Every GPU that PyTorch lists, each tested with a matrix product; if it lists none, the cards in the computer."""
    import torch

    if torch.cuda.is_available():
        found = [cuda(number) for number in range(torch.cuda.device_count())]
    else:
        found = [Gpu(f"cuda:{number}", card.title, why_not(card)) for number, card in enumerate(cards())]
    return (*found, *([apple()] if _has_apple_gpu() else []))


def cuda(number: int) -> Gpu:
    """An NVIDIA or AMD GPU that PyTorch lists, tested with a matrix product."""
    import torch

    key, title = f"cuda:{number}", torch.cuda.get_device_name(number)
    native = bool(torch.version.hip) or torch.cuda.get_device_capability(number)[0] >= 8
    precisions = ("bfloat16", "float32", "float16") if native else ("float32", "float16")
    fault = _no_kernels(number, title)
    if not fault and not multiplies(key, precisions[0]):
        fault = Message(
            "PyTorch cannot compute on the GPU {gpu}: a product comes out wrong or not at all", gpu=title
        )
    return Gpu(key, title, fault, precisions)


def apple() -> Gpu:
    """The GPU of a Mac with an Apple chip."""
    import torch

    if torch.backends.mps.is_available():
        if multiplies("mps", "float32"):
            more = tuple(dtype for dtype in ("float16", "bfloat16") if multiplies("mps", dtype))
            return Gpu("mps", "Apple GPU", "", ("float32", *more))
        fault = Message("PyTorch cannot compute on the Apple GPU: a product comes out wrong")
    elif torch.backends.mps.is_built():
        version = platform.mac_ver()[0]
        fault = Message("macOS {version} is too old for PyTorch to use the Apple GPU", version=version)
    else:
        fault = Message("this PyTorch is built without the Apple GPU")
    return Gpu("mps", "Apple GPU", fault)


def multiplies(device: str, dtype: str) -> bool:
    """Whether a small matrix product comes out right: PyTorch may list a GPU that it cannot compute on."""
    import torch

    try:
        ones = torch.ones((8, 8), device=device, dtype=getattr(torch, dtype))
        return bool((ones @ ones).sum().item() == 512.0)
    except (RuntimeError, AssertionError, TypeError):
        return False


def why_not(card: Card) -> str:
    """Why PyTorch lists no GPU although this card is in the computer: a part of a sentence."""
    import torch

    if torch.version.cuda is None and torch.version.hip is None:
        if card.maker == "AMD" and sys.platform == "win32":
            return Message("PyTorch does not compute on AMD GPUs on Windows")
        return Message("this PyTorch is a CPU build: it cannot use the {maker} GPU", maker=card.maker)
    built_for = "AMD" if torch.version.hip else "NVIDIA"
    if card.maker != built_for:
        return Message(
            "this PyTorch is built for {built_for} GPUs, not for {maker}'s",
            built_for=built_for,
            maker=card.maker,
        )
    message = _driver_error()
    found = re.search(r"driver on your system is too old \(found version (\d+)\)", message)
    if found:
        driver = card.driver or driver_version()
        known, built = _version(int(found[1])), torch.version.cuda
        if not driver:
            return Message(
                "the driver is older than this PyTorch needs: it knows CUDA {known} at the most, "
                "PyTorch was built for CUDA {built}",
                known=known,
                built=built,
            )
        return Message(
            "the driver {driver} is older than this PyTorch needs: it knows CUDA {known} at the most, "
            "PyTorch was built for CUDA {built}",
            driver=driver,
            known=known,
            built=built,
        )
    hidden = next((name for name in _HIDING if name in os.environ), "")
    if hidden and ("No CUDA GPUs" in message or not message):
        return Message("it is hidden from PyTorch by the environment variable {name}", name=hidden)
    if "found no nvidia driver" in message.lower() or (not message and not card.driver):
        return Message("no {maker} driver answers: it is not installed, or not running", maker=card.maker)
    lines = message.strip().splitlines()
    reason = lines[0][:160].rstrip(".") if lines else Message("it finds no GPU")
    return Message("the {maker} driver does not work with PyTorch: {reason}", maker=card.maker, reason=reason)


def _driver_error() -> str:
    """The message of the error that PyTorch raises when it starts CUDA; empty if none."""
    import torch

    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:
        return str(error)
    return ""


def _version(number: int) -> str:
    """A CUDA version as people write it: 12.4 for 12040."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _no_kernels(number: int, title: str) -> str:
    """Why the kernels of this PyTorch do not run on a GPU: too old or too new; empty where they do, or if unknown."""
    import torch

    built = torch.cuda.get_arch_list()
    if torch.version.hip:
        name = str(getattr(torch.cuda.get_device_properties(number), "gcnArchName", "")).split(":")[0]
        if not name or not built or name in built:
            return ""
        return Message(
            "this PyTorch has no kernels for the GPU {gpu} ({name}), only for {built}",
            gpu=title,
            name=name,
            built=", ".join(built),
        )
    has = torch.cuda.get_device_capability(number)
    kernels = sorted(_capabilities(built, "sm_"))
    compilable = _capabilities(built, "compute_")
    # Kernels run on later GPUs of the same generation; PTX is compiled for any later one.
    if not built or any(k[0] == has[0] and k <= has for k in kernels) or any(c <= has for c in compilable):
        return ""
    capability = f"{has[0]}.{has[1]}"
    if kernels and has < kernels[0]:
        return Message(
            "the GPU {gpu} (compute capability {capability}) is too old for this PyTorch, which needs {least} or newer",
            gpu=title,
            capability=capability,
            least=f"{kernels[0][0]}.{kernels[0][1]}",
        )
    return Message(
        "the GPU {gpu} (compute capability {capability}) is newer than this PyTorch knows: install a newer PyTorch",
        gpu=title,
        capability=capability,
    )


def _capabilities(built: list[str], kind: str) -> Iterator[tuple[int, int]]:
    """The compute capabilities in names like sm_86, sm_90a or compute_120."""
    for name in built:
        found = re.fullmatch(kind + r"(\d+)(\d)[a-z]?", name)
        if found:
            yield int(found[1]), int(found[2])


def _has_apple_gpu() -> bool:
    import torch

    apple_chip = platform.system() == "Darwin" and platform.machine() == "arm64"
    return apple_chip or torch.backends.mps.is_available()
