"""The GPUs in this computer, those that PyTorch can compute on, and why it cannot use one, in plain words."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PCI = Path("/sys/bus/pci/devices")
NVIDIA = Path("/proc/driver/nvidia")
MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD"}
# Display controllers; an accelerator without a screen (Instinct) is a processing accelerator, class 0x12.
CLASSES = ("0x03", "0x12")
_HIDING = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_WINDOWS_DISPLAYS = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"


@dataclass(frozen=True, slots=True)
class Card:
    """A graphics card: who made it, what it is called, and the version of its driver (empty where not known)."""

    maker: str
    title: str
    driver: str = ""


def cards() -> tuple[Card, ...]:
    """NVIDIA's and AMD's cards in this computer, found without PyTorch; none where the system does not list them."""
    if sys.platform == "win32":
        return _on_windows()
    if not sys.platform.startswith("linux"):
        return ()
    version = driver_version()
    named = [Card("NVIDIA", title, version) for title in _nvidia_names()]
    makers = _pci_makers()
    # A running driver knows their names; in a container it may be all that is visible.
    nvidia = named or [Card("NVIDIA", "NVIDIA GPU", version)] * makers.count("NVIDIA")
    return (*nvidia, *[Card("AMD", "AMD GPU")] * makers.count("AMD"))


def driver_version() -> str:
    """The version of NVIDIA's driver on Linux, empty where none is loaded."""
    found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", _text(NVIDIA / "version"))
    return found[1] if found else ""


def _nvidia_names() -> list[str]:
    names = []
    with contextlib.suppress(OSError):
        for folder in sorted((NVIDIA / "gpus").iterdir()):
            found = re.search(r"^Model:\s*(\S.*?)\s*$", _text(folder / "information"), re.MULTILINE)
            names.append(found[1] if found else "NVIDIA GPU")
    return names


def _pci_makers() -> list[str]:
    makers = []
    with contextlib.suppress(OSError):
        for device in sorted(PCI.iterdir()):
            maker = MAKERS.get(_text(device / "vendor").strip().lower())
            if maker and _text(device / "class").startswith(CLASSES):
                makers.append(maker)
    return makers


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


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
    """A GPU: its key, its name, what is wrong with it (a sentence, empty if it works), and its dtypes.

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
    """Every GPU that PyTorch lists, each tested with a product; else those that the computer has."""
    import torch

    if torch.cuda.is_available():
        found = [cuda(number) for number in range(torch.cuda.device_count())]
    else:
        found = [_unusable(number, card) for number, card in enumerate(cards())]
    return (*found, *([apple()] if _has_apple_gpu() else []))


def cuda(number: int) -> Gpu:
    """An NVIDIA or AMD GPU that PyTorch lists, tested with a product."""
    import torch

    key, title = f"cuda:{number}", torch.cuda.get_device_name(number)
    native = bool(torch.version.hip) or torch.cuda.get_device_capability(number)[0] >= 8
    precisions = ("bfloat16", "float32", "float16") if native else ("float32", "float16")
    fault = _too_old(number, title)
    if not fault and not multiplies(key, precisions[0]):
        fault = f"PyTorch cannot compute on the GPU {title}: a product comes out wrong or not at all."
    return Gpu(key, title, fault, precisions)


def apple() -> Gpu:
    """The GPU of a Mac with an Apple chip."""
    import torch

    if torch.backends.mps.is_available():
        if not multiplies("mps", "float32"):
            return Gpu(
                "mps", "Apple GPU", "PyTorch cannot compute on the Apple GPU: a product comes out wrong."
            )
        more = tuple(dtype for dtype in ("float16", "bfloat16") if multiplies("mps", dtype))
        return Gpu("mps", "Apple GPU", "", ("float32", *more))
    if not torch.backends.mps.is_built():
        return Gpu("mps", "Apple GPU", "This PyTorch is built without the Apple GPU.")
    version = platform.mac_ver()[0]
    return Gpu("mps", "Apple GPU", f"macOS {version} is too old for PyTorch to use the Apple GPU.")


def multiplies(device: str, dtype: str) -> bool:
    """Whether a small product comes out right: a GPU can be listed and yet be of no use to this PyTorch."""
    import torch

    try:
        ones = torch.ones((8, 8), device=device, dtype=getattr(torch, dtype))
        return bool((ones @ ones).sum().item() == 512.0)
    except (RuntimeError, AssertionError, TypeError):
        return False


def _unusable(number: int, card: Card) -> Gpu:
    return Gpu(f"cuda:{number}", card.title, why_not(card))


def why_not(card: Card) -> str:
    """Why PyTorch lists no GPU although this card is in the computer: a sentence."""
    import torch

    if torch.version.cuda is None and torch.version.hip is None:
        if card.maker == "AMD" and sys.platform == "win32":
            return "PyTorch does not compute on AMD GPUs on Windows."
        return f"This PyTorch is a CPU build: it cannot use the {card.maker} GPU."
    built_for = "AMD" if torch.version.hip else "NVIDIA"
    if card.maker != built_for:
        return f"This PyTorch is built for {built_for} GPUs, not for {card.maker}'s."
    message = _driver_error()
    found = re.search(r"driver on your system is too old \(found version (\d+)\)", message)
    if found:
        driver = card.driver or driver_version()
        known = f"driver {driver}" if driver else "driver"
        return (
            f"The {known} is older than this PyTorch needs: it knows CUDA {_version(int(found[1]))} at the most, "
            f"PyTorch was built for CUDA {torch.version.cuda}."
        )
    hidden = next((name for name in _HIDING if name in os.environ), "")
    if hidden and ("No CUDA GPUs" in message or not message):
        return f"It is hidden from PyTorch by the environment variable {hidden}."
    if "found no nvidia driver" in message.lower() or (not message and not card.driver):
        return f"No {card.maker} driver answers: it is not installed, or not running."
    line = (message.strip().splitlines() or ["it finds no GPU"])[0][:160].rstrip(".")
    return f"The {card.maker} driver does not work with PyTorch: {line}."


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


def _too_old(number: int, title: str) -> str:
    """Why the kernels of this PyTorch do not run on a GPU, empty where they do (or where that is not known)."""
    import torch

    built = torch.cuda.get_arch_list()
    if torch.version.hip:
        name = str(getattr(torch.cuda.get_device_properties(number), "gcnArchName", "")).split(":")[0]
        if not name or not built or name in built:
            return ""
        return f"This PyTorch has no kernels for the GPU {title} ({name}), only for {', '.join(built)}."
    has = torch.cuda.get_device_capability(number)
    kernels = sorted(_capabilities(built, "sm_"))
    compilable = _capabilities(built, "compute_")
    # Kernels run on later GPUs of the same generation; PTX is compiled for any later one.
    if not built or any(k[0] == has[0] and k <= has for k in kernels) or any(c <= has for c in compilable):
        return ""
    capability = f"{title} (compute capability {has[0]}.{has[1]})"
    if kernels and has < kernels[0]:
        least = f"{kernels[0][0]}.{kernels[0][1]}"
        return f"The GPU {capability} is too old for this PyTorch, which needs {least} or newer."
    return f"The GPU {capability} is newer than this PyTorch knows: install a newer PyTorch."


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
