"""Results of the self-check of an installation."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Checked:
    """One check, the seconds that it took, and what was wrong, empty if nothing was."""

    what: str
    seconds: float
    fault: str = ""

    @property
    def ok(self) -> bool:
        """Whether it works."""
        return not self.fault


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All checks in order; the versions by name; `log` is what the processes printed, if one failed."""

    parts: tuple[Checked, ...]
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    log: str = ""

    @property
    def failed(self) -> tuple[Checked, ...]:
        """The checks that failed."""
        return tuple(part for part in self.parts if not part.ok)

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        failed = self.failed
        if not failed:
            return f"All {len(self.parts)} things that were tried work."
        first = f"{failed[0].what}: {failed[0].fault}"
        return f"{len(failed)} of {len(self.parts)} things that were tried failed; the first: {first}"


@dataclass(frozen=True, slots=True)
class WindowTrial:
    """The window's self-check, to run in its own process.

    `resources` is the folder of its resources, `folder` is for all that it writes, `modules` are to be imported there.
    """

    resources: str
    folder: str
    modules: tuple[str, ...] = ()
