"""What pyproject.toml asks for, and whether an environment has it.

Only the few forms of PEP 508 that the file uses are read: name, extras, version clauses, a marker on python_version.
Run as a script it exits with 0 when the interpreter that runs it meets them all:
`requirements.py PYPROJECT GROUP...`.
"""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Iterable, Sequence

_LINE = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[A-Za-z0-9,._-]+\])?\s*(?P<clauses>[^;]*?)\s*"
    r"(?:;\s*python_version\s*(?P<relation><|<=|>=|>|==|!=)\s*['\"](?P<python>[\d.]+)['\"]\s*)?$"
)
_CLAUSE = re.compile(r"^(==|!=|>=|<=|>|<)\s*([\w.+]+)$")
_RELATIONS = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


def release(version: str) -> tuple[int, ...]:
    """The numbers of a version without trailing zeros: `2.13.0+cpu` is (2, 13)."""
    numbers = [int(part) for part in re.match(r"[\d.]*", version).group().split(".") if part]  # type: ignore[union-attr]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def is_preview(version: str) -> bool:
    """Whether a version is one before its release (alpha, beta, candidate, development)."""
    return bool(re.search(r"\d\.?(a|b|rc|dev)", version.split("+")[0]))


class Requirement:
    """One line of dependencies."""

    def __init__(self, line: str) -> None:
        match = _LINE.match(line.strip())
        if match is None:
            raise ValueError(f"pyproject.toml: {line!r} is not understood")
        self.line = line.strip()
        self.name = match["name"]
        self.relation, self.python = match["relation"], match["python"]
        self.clauses: list[tuple[str, str]] = []
        for clause in filter(None, (part.strip() for part in match["clauses"].split(","))):
            parts = _CLAUSE.match(clause)
            if parts is None:
                raise ValueError(f"pyproject.toml: {clause!r} is not understood")
            self.clauses.append((parts[1], parts[2]))

    def applies(self, python: tuple[int, ...] = sys.version_info[:2]) -> bool:
        """Whether the line is meant for this Python."""
        if self.relation is None:
            return True
        return bool(_RELATIONS[self.relation](release(".".join(map(str, python))), release(self.python)))

    def takes(self, version: str) -> bool:
        """Whether an installed version will do."""
        if is_preview(version):
            return False
        return all(
            _RELATIONS[relation](release(version), release(wanted)) for relation, wanted in self.clauses
        )


def read(pyproject: str, groups: Iterable[str]) -> list[str]:
    """The lines of dependencies for groups: `app` for the app's own, else an optional one's name."""
    project = _project(pyproject)["project"]
    optional = project.get("optional-dependencies", {})
    return [
        line for group in groups for line in (project["dependencies"] if group == "app" else optional[group])
    ]


def optional_groups(pyproject: str) -> list[str]:
    """The names of the optional groups."""
    return list(_project(pyproject)["project"].get("optional-dependencies", {}))


def tested(pyproject: str) -> list[str]:
    """The exact versions that the tests were last run with."""
    return list(_project(pyproject).get("tool", {}).get("spanlight", {}).get("tested", ()))


def unmet(lines: Sequence[str]) -> list[str]:
    """Those of the lines that the running interpreter does not meet."""
    import importlib.metadata

    missing = []
    for requirement in map(Requirement, lines):
        if not requirement.applies():
            continue
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(requirement.line)
            continue
        if not version or not requirement.takes(version):
            missing.append(requirement.line)
    return missing


def _project(pyproject: str) -> dict:
    import tomllib

    with open(pyproject, "rb") as file:
        return tomllib.load(file)


if __name__ == "__main__":
    sys.path[0] = ""  # this folder must not lend its names to anyone
    rest = unmet(read(sys.argv[1], sys.argv[2:]))
    print("\n".join(rest))
    sys.exit(1 if rest else 0)
