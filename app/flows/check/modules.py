"""Finds every module that the program imports anywhere, from byte code, and checks that it exists.

Imports within functions count too: a bundle may start although it lacks a module that is imported later.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from types import CodeType

# The modules that the start imports; a bundle contains the start itself as its script, under another name.
ROOTS = (
    "app.cli.check",
    "app.cli.main",
    "app.core.about",
    "app.core.arguments",
    "app.core.errors",
    "app.core.system_libraries",
    "app.flows.early",
    "app.flows.second_start",
    "app.settings.paths",
    "app.ui.window.check",
    "app.ui.window.last_words",
    "app.ui.window.start",
)
PACKAGE = "app"
# Installers leave the benchmarks out.
_LEFT_OUT = "app.bench."
# Modules of the standard library that only some systems have, and that are imported only there.
_SYSTEM_SPECIFIC = frozenset(
    "_winapi fcntl grp msvcrt nt posix pwd resource select termios tty winreg winsound".split()
)
# Packages of the extra "cluster", which installers leave out.
_OF_EXTRAS = frozenset(("pyarrow", "ray"))
_NAME, _FROM, _LONGER = (dis.opmap[name] for name in ("IMPORT_NAME", "IMPORT_FROM", "EXTENDED_ARG"))


def find_modules() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The app's modules that can be reached from the start, and those of them and of their imports that are missing."""
    ours: set[str] = set()
    missing: set[str] = set()
    others: set[str] = set()
    left = [*ROOTS]
    while left:
        name = left.pop()
        if name in ours or f"{name}.".startswith(_LEFT_OUT):
            continue
        ours.add(name)
        code = _code(name)
        if code is None:
            missing.add(name)
            continue
        for base, inside in _imports(code):
            if base.split(".")[0] != PACKAGE:
                others.add(base.split(".")[0])
            elif inside and _is_package(base):
                left.append(f"{base}.{inside}")
            else:
                left.append(base)
    others -= _SYSTEM_SPECIFIC | _OF_EXTRAS
    missing |= {name for name in others if name not in sys.builtin_module_names and not _is_installed(name)}
    return tuple(sorted(ours - missing)), tuple(sorted(missing))


def _code(name: str) -> CodeType | None:
    """A module's code, without running it; None if the module is missing."""
    try:
        spec = find_spec(name)
        loader: object = spec.loader if spec is not None else None
        get = getattr(loader, "get_code", None)
        code: CodeType | None = get(name) if get is not None else None
    except (ImportError, ValueError):
        return None
    return code


def _is_package(name: str) -> bool:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.submodule_search_locations is not None


def _is_installed(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _imports(code: CodeType) -> Iterator[tuple[str, str]]:
    """Yield (module, imported name or "") for each import in a code object and those nested in it."""
    base, argument, raw = "", 0, code.co_code
    for at in range(0, len(raw), 2):
        operation, argument = raw[at], argument << 8 | raw[at + 1]
        if operation == _LONGER:
            continue
        if operation == _NAME:
            base = code.co_names[argument]
            yield base, ""
        elif operation == _FROM:
            yield base, code.co_names[argument]
        argument = 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imports(constant)
