"""Expected errors, as opposed to bugs."""

from __future__ import annotations

from app.core.message import joined


class SpanlightError(Exception):
    """An error that the user can act on: one sentence, and one hint for the next step.

    Any other exception is a bug.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return joined(filter(None, (self.message, self.hint)), " ")


class EngineLost(SpanlightError):
    """A child process ended during a request; the next request starts a new one.

    `exit_code` is the process's, usually a signal's negative number; None if unknown.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code


class Busy(SpanlightError):
    """Another process is doing the same work at the moment."""


class NoText(SpanlightError):
    """A document has no text to read."""


class NotStarted(SpanlightError):
    """The system refused to start a process."""


class DeviceLost(SpanlightError):
    """A GPU failed during a computation; the process that used it must end before anything is computed again."""


class PasswordNeeded(SpanlightError):
    """An encrypted document needs its password; `wrong` is whether a wrong one was given."""

    def __init__(self, message: str, hint: str = "", wrong: bool = False) -> None:
        super().__init__(message, hint)
        self.wrong = wrong

    def __reduce__(self) -> tuple[type[PasswordNeeded], tuple[str, str, bool]]:
        return PasswordNeeded, (self.message, self.hint, self.wrong)
