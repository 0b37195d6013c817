"""What the parent asks of the model process: plain values that cross between the two."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.models import Head
from app.core.requests import ModelChoice


@dataclass(frozen=True, slots=True)
class Run:
    """Answer a request, with a model where its task needs one."""

    request: object
    choice: ModelChoice | None


@dataclass(frozen=True, slots=True)
class Load:
    """Have a model ready to read."""

    choice: ModelChoice
    head: Head
