"""What the parent asks of the model process: plain values that cross between the two."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.models import Head
from app.core.requests import ModelChoice, Question
from app.engine.texts import SentText


@dataclass(frozen=True, slots=True)
class Run:
    """Answer a request, with a model where its task needs one.

    `avoid` is why no GPU is to be used although one may have been chosen, empty where it may. `opened` has an opened
    model do it, as transformers' own class computes it in float32, whatever is quicker. `texts` are the request's long
    texts, which it comes without.
    """

    request: object
    choice: ModelChoice | None
    avoid: str = ""
    opened: bool = False
    texts: tuple[SentText, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepare:
    """Have a question's documents ready for it, as far as that goes before it is asked; the fields as in Run."""

    request: Question
    choice: ModelChoice
    avoid: str = ""
    texts: tuple[SentText, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Have a model ready to read; `avoid` as in Run."""

    choice: ModelChoice
    head: Head
    avoid: str = ""


@dataclass(frozen=True, slots=True)
class ListDevices:
    """Tell of every device as core.devices.Devices; `avoid` as in Run."""

    avoid: str = ""


@dataclass(frozen=True, slots=True)
class TellMemory:
    """Tell what is held in memory as core.devices.MemoryUse."""


@dataclass(frozen=True, slots=True)
class Unload:
    """Let go of all models, and tell of the memory then."""


@dataclass(frozen=True, slots=True)
class MeasurePeak:
    """Tell how fast a device multiplies matrices, as core.benches.Peak for each dtype; `device` as in ModelChoice."""

    device: str
    avoid: str = ""


@dataclass(frozen=True, slots=True)
class ProfileRun:
    """Do what `run` asks, and tell as core.benches.Profile where the time went."""

    run: Run


@dataclass(frozen=True, slots=True)
class TryModel:
    """Load every head of a folder on the CPU, run each on a small input, and tell the card."""

    folder: str


@dataclass(frozen=True, slots=True)
class ImportModules:
    """Import modules by name; brings back what is wrong with each that cannot be, by its name."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MakeModel:
    """Write a tiny model of a family into a folder, all of the family's heads tried; fields as in `write_small`."""

    folder: str
    family: str
    tokens: int
    padding: int


@dataclass(frozen=True, slots=True)
class TellVersions:
    """Tell the versions of the libraries that compute, by their names."""
