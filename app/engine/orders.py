"""The orders that the parent sends to the model process: plain values that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.models import Head
from app.core.requests import ModelChoice, Question
from app.engine.texts import SentText


@dataclass(frozen=True, slots=True)
class Run:
    """Answer a request, with a model where its task needs one.

    `avoid` is why no GPU is to be used although one may have been chosen, empty where one may be used. With `opened`
    transformers' own class computes in float32, not the faster encoder. `texts` are the request's long texts, which
    are taken out of it.
    """

    request: object
    choice: ModelChoice | None
    avoid: str = ""
    opened: bool = False
    texts: tuple[SentText, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepare:
    """Cache a question's documents before it is asked; the fields as in Run."""

    request: Question
    choice: ModelChoice
    avoid: str = ""
    texts: tuple[SentText, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Load a model; `avoid` as in Run."""

    choice: ModelChoice
    head: Head
    avoid: str = ""


@dataclass(frozen=True, slots=True)
class ListDevices:
    """Return every device as core.devices.Devices; `avoid` as in Run."""

    avoid: str = ""


@dataclass(frozen=True, slots=True)
class GetMemory:
    """Return what is in memory as core.devices.MemoryUse."""


@dataclass(frozen=True, slots=True)
class Unload:
    """Unload all models, and return the memory in use then."""


@dataclass(frozen=True, slots=True)
class TryModel:
    """Load every head of a folder on the CPU, run each on a small input, and return the card."""

    folder: str


@dataclass(frozen=True, slots=True)
class ImportModules:
    """Import modules by name, and every family's classes; returns the error of each that fails, by its name."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GetVersions:
    """Return the versions of the libraries that compute, by their names."""
