"""The virtual environment beside the code: where it is, whether it is ready, and how it is made.

Every start asks whether it is ready, so what only the set-up needs is imported where it is needed.
`stamp` is written last: a line `python 3.12`, and for every group of dependencies and every part of the system
that is there a line with its name: groups with the digest of the pyproject.toml they were read from.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

VERSION = "{}.{}".format(*sys.version_info[:2])


class Environment:
    """`.venv` in the code's folder."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.pyproject = os.path.join(root, "pyproject.toml")
        self.folder = os.path.join(root, ".venv")
        self.python = os.path.join(
            self.folder, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python"))
        )
        self.stamp = os.path.join(self.folder, "spanlight-ready")
        self.unfinished = os.path.join(self.folder, "spanlight-unfinished")
        self.log = os.path.join(self.folder, "spanlight-set-up.log")
        self.lock = os.path.join(self.folder, "spanlight-lock")
        # For subprocess: what works on the environment holds its lock too, should this process be killed before it.
        self.holding: dict[str, tuple[int, ...]] = {}

    def is_this(self) -> bool:
        """Whether the running interpreter is this environment's."""
        return os.path.realpath(sys.prefix) == os.path.realpath(self.folder)

    def digest(self) -> str:
        """The file that names what is needed, in a few characters; cheaper than understanding it."""
        import zlib

        with open(self.pyproject, "rb") as file:
            return f"{zlib.crc32(file.read()):08x}"

    def is_ready(self, groups: Sequence[str], system: Sequence[str]) -> bool:
        """Whether the stamp says that nothing is missing; reads two small files and starts nothing."""
        stamped = self.stamped()
        if not stamped or not os.path.exists(self.python) or os.path.exists(self.unfinished):
            return False
        asked = dict.fromkeys(groups, self.digest()) | dict.fromkeys(system, "yes")
        return all(stamped.get(name) == value for name, value in asked.items())

    def moved_on(self) -> bool:
        """Whether the interpreter that runs is this environment's and another version than it was made with."""
        return self.is_this() and self.stamped().get("python", VERSION) != VERSION

    def stamped(self) -> dict[str, str]:
        """The stamp's lines, none without a stamp."""
        try:
            with open(self.stamp, encoding="utf-8") as file:
                return dict(line.split() for line in file if line.strip())
        except (OSError, ValueError):
            return {}

    def write_stamp(self, lines: dict[str, str]) -> None:
        """Replace the stamp at once, after all that it speaks of is done."""
        beside = f"{self.stamp}.{os.getpid()}"
        with open(beside, "w", encoding="utf-8") as file:
            file.writelines(f"{name} {value}\n" for name, value in lines.items())
        os.replace(beside, self.stamp)

    def unmet(self, groups: Sequence[str]) -> list[str]:
        """What the running interpreter lacks; quick where it has next to nothing."""
        import importlib.util

        from bootstrapping import requirements

        if any(importlib.util.find_spec(name) is None for name in ("torch", "PySide6", "transformers")):
            return ["torch"]
        return requirements.unmet(requirements.read(self.pyproject, groups))

    def lacks(self, groups: Sequence[str]) -> list[str] | None:
        """What this environment's own interpreter lacks; None when it does not run."""
        import subprocess

        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "requirements.py")
        try:
            done = subprocess.run(
                [self.python, "-I", script, self.pyproject, *groups],
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode not in (0, 1) or done.stderr.strip():
            return None
        return done.stdout.split("\n")[:-1] if done.returncode else []

    def runs(self) -> bool:
        """Whether its interpreter starts and is new enough."""
        import subprocess

        try:
            code = "import sys; sys.exit(sys.version_info < (3, 11) or sys.prefix == sys.base_prefix)"
            return (
                subprocess.run([self.python, "-I", "-c", code], capture_output=True, check=False).returncode
                == 0
            )
        except OSError:
            return False

    def has_pip(self) -> bool:
        """Whether its own pip starts."""
        import subprocess

        return (
            subprocess.run(
                [self.python, "-m", "pip", "--version"], capture_output=True, check=False
            ).returncode
            == 0
        )

    def version(self) -> str:
        """Its Python's version, as the stamp writes it."""
        import subprocess

        code = "import sys; print('{}.{}'.format(*sys.version_info[:2]))"
        done = subprocess.run([self.python, "-I", "-c", code], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def clear(self) -> None:
        """Empty the folder but for the lock, which someone holds."""
        import shutil

        for entry in os.scandir(self.folder):
            if entry.path == self.lock:
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)


class Lock:
    """Holds an environment against other starts; `waiting()` is called once if another one holds it."""

    def __init__(self, environment: Environment, waiting: Callable[[], object]) -> None:
        self._environment = environment
        self._waiting = waiting

    def __enter__(self) -> None:
        os.makedirs(self._environment.folder, exist_ok=True)
        self._file = open(self._environment.lock, "a+b")
        if not _try_lock(self._file):
            self._waiting()
            _wait_for_lock(self._file)
        if os.name == "posix":
            self._environment.holding = {"pass_fds": (self._file.fileno(),)}

    def __exit__(self, *_: object) -> None:
        self._environment.holding = {}
        self._file.close()


def _try_lock(file: BinaryIO) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _wait_for_lock(file: BinaryIO) -> None:
    import time

    while not _try_lock(file):
        time.sleep(0.5)
