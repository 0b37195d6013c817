"""What came of trying out whether all of Spanlight works here."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was tried, the seconds that it took, and what was wrong with it, empty where nothing was."""

    what: str
    seconds: float
    fault: str = ""

    @property
    def ok(self) -> bool:
        """Whether it works."""
        return not self.fault


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All that was tried, in order; the versions by name; `log` is what the processes printed, where one failed."""

    parts: tuple[Checked, ...]
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    log: str = ""

    @property
    def failed(self) -> tuple[Checked, ...]:
        """What does not work."""
        return tuple(part for part in self.parts if not part.ok)

    @property
    def sentence(self) -> str:
        """What came of it, in one sentence."""
        failed = self.failed
        if not failed:
            return f"All {len(self.parts)} things that were tried work."
        first = f"{failed[0].what}: {failed[0].fault}"
        return f"{len(failed)} of {len(self.parts)} things that were tried failed; the first: {first}"


@dataclass(frozen=True, slots=True)
class WindowTrial:
    """What the window's side is to try out, in a process of its own: its resources, a folder for all that it writes,

    and the modules to import there.
    """

    resources: str
    folder: str
    modules: tuple[str, ...] = ()
