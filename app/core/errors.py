"""Faults of the world, as opposed to our own bugs."""

from __future__ import annotations


class SpanlightError(Exception):
    """A fault that a person can do something about: one sentence, and one hint for the next step.

    Anything raised that is not a SpanlightError is a bug of ours.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class EngineLost(SpanlightError):
    """A process ended while it was at work; the next request starts a new one.

    `exit_code` is how it ended, the negative number of a signal as a rule; None where that is not known.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code


class DeviceLost(SpanlightError):
    """A GPU broke down while it computed: the process that used it must end before anything is computed again."""


class PasswordNeeded(SpanlightError):
    """An encrypted document asks for its password; `wrong` tells that one was given and does not fit."""

    def __init__(self, message: str, hint: str = "", wrong: bool = False) -> None:
        super().__init__(message, hint)
        self.wrong = wrong

    def __reduce__(self) -> tuple[type[PasswordNeeded], tuple[str, str, bool]]:
        return PasswordNeeded, (self.message, self.hint, self.wrong)
