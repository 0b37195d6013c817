"""The graphics cards in this computer as the system lists them: whether PyTorch can use them or not."""

from __future__ import annotations

import contextlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

PCI = Path("/sys/bus/pci/devices")
NVIDIA = Path("/proc/driver/nvidia")
MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD"}
# Display controllers; an accelerator without a screen (Instinct) is a processing accelerator, class 0x12.
CLASSES = ("0x03", "0x12")
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
