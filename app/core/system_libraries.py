"""Errors for the user when a system library or a part of the installation is missing or broken."""

from __future__ import annotations

import os
import re
import sys

from app.core.errors import SpanlightError
from app.core.message import Message

_MISSING = re.compile(r"([\w.+-]+\.so(?:\.\d+)*): cannot open shared object file")
_TOO_OLD = re.compile(r"version [`'](GLIBC(?:XX)?)_([\d.]+)' not found")
_MISSING_MODULE = re.compile(r"cannot import name '(\w+)' from '(app[\w.]*)' \(.*__init__\.pyc?\)")
# Libraries of Spanlight's dependencies; a wheel's own have part of a checksum in their names.
_OURS = re.compile(r"lib(torch|c10|shm|Qt6|shiboken6|pyside6|pdfium|python3).*|.*-[0-9a-f]{8}\..*")
_NAME = re.compile(r"(.+?)\.so\.(\d+)")
# Libraries whose package has an irregular name.
_IRREGULAR = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libbrotlidec.so.1": "libbrotli1",
}
_DEBIAN = "/etc/debian_version"


def missing_library_error(fault: str) -> SpanlightError | None:
    """Return the error for a system library that is missing or too old; None for a message about something else."""
    old = _TOO_OLD.search(fault)
    if old:
        message = (
            Message(
                "This system is too old for Spanlight, which needs the C library (glibc {version} or newer).",
                version=old[2],
            )
            if old[1] == "GLIBC"
            else Message(
                "This system is too old for Spanlight, which needs the C++ library (GLIBCXX {version} or newer).",
                version=old[2],
            )
        )
        return SpanlightError(
            message,
            Message("Install it on a newer release of the system."),
        )
    missing = _MISSING.search(fault)
    if missing is None:
        return None
    name = missing[1]
    if _OURS.fullmatch(name):
        return _missing_part(name)
    package = debian_package(name)
    hint = Message("Install your system's package that brings it.")
    if package and os.path.exists(_DEBIAN):  # noqa: PTH110 the start reads this file too
        hint = Message("To install it: sudo apt install {package}", package=package)
    return SpanlightError(
        Message("The system's library {name} is missing, which Spanlight needs.", name=name), hint
    )


def debian_package(library: str) -> str:
    """Return the name of the Debian package of a shared library, by Debian's rule for such names; empty if none.

    Debian Policy, section 8.1: the library's name and its version, with a hyphen between if the name ends in a digit.
    """
    if library in _IRREGULAR:
        return _IRREGULAR[library]
    found = _NAME.fullmatch(library)
    if found is None:
        return ""
    name = found[1].lower().replace("_", "-")
    return f"{name}-{found[2]}" if name[-1].isdigit() else f"{name}{found[2]}"


def installation_error(fault: BaseException) -> SpanlightError | None:
    """Return the error for a missing or broken part of the installation; None for any other exception."""
    if isinstance(fault, FileNotFoundError):
        bundle, name = getattr(sys, "_MEIPASS", ""), fault.filename
        if bundle and isinstance(name, str) and name.startswith(bundle):
            return _missing_part(name)
        return None
    if not isinstance(fault, ImportError):
        return None
    system = missing_library_error(str(fault))
    if system is not None:
        return system
    text = " ".join(str(fault).split())
    # Spanlight's packages contain only modules.
    module = _MISSING_MODULE.match(text)
    if module:
        return _missing_part(f"{module[2]}.{module[1]}")
    if isinstance(fault, ModuleNotFoundError) and fault.name:
        return _missing_part(fault.name)
    reason = text[:200].rstrip(".")
    message = (
        Message("Spanlight is not whole: {name} is broken ({reason}).", name=fault.name, reason=reason)
        if fault.name
        else Message("Spanlight is not whole: {reason}.", reason=reason)
    )
    return SpanlightError(message, repair_hint())


def _missing_part(name: str) -> SpanlightError:
    return SpanlightError(Message("Spanlight is not whole: {name} is missing.", name=name), repair_hint())


def repair_hint() -> str:
    """Return the hint on how to repair a missing or broken part of Spanlight."""
    from app.core.about import command

    if not getattr(sys, "frozen", False) and command() != "spanlight":
        return Message(
            "Get the code once more, delete the folder .venv beside it, and start again: {command}",
            command=command(),
        )
    return Message("Install it again.")
