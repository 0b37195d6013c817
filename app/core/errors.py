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
    """A process ended during a request; the next request starts a new one.

    `exit_code` is how it ended, usually the negative number of a signal; None if unknown.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code


class Busy(SpanlightError):
    """Another process does the same work just now."""


class NoText(SpanlightError):
    """A document holds nothing to read."""


class NotStarted(SpanlightError):
    """The system refused a new process, whatever it was to do."""


class DeviceLost(SpanlightError):
    """A GPU broke down while it computed: the process that used it must end before anything is computed again."""


class PasswordNeeded(SpanlightError):
    """An encrypted document needs its password; `wrong` is whether one was given and is wrong."""

    def __init__(self, message: str, hint: str = "", wrong: bool = False) -> None:
        super().__init__(message, hint)
        self.wrong = wrong

    def __reduce__(self) -> tuple[type[PasswordNeeded], tuple[str, str, bool]]:
        return PasswordNeeded, (self.message, self.hint, self.wrong)
