"""Errors of the system's loader about a missing library, put into words for the user."""

from __future__ import annotations

import os
import re
import sys

from app.core.errors import SpanlightError
from app.core.message import Message

_MISSING = re.compile(r"([\w.+-]+\.so(?:\.\d+)*): cannot open shared object file")
_TOO_OLD = re.compile(r"version [`'](GLIBC(?:XX)?)_([\d.]+)' not found")
_OF_PACKAGE = re.compile(r"cannot import name '(\w+)' from '(app[\w.]*)' \(.*__init__\.pyc?\)")
# Libraries that come with Spanlight or its dependencies; those of wheels have part of a checksum in the name.
_OURS = re.compile(r"lib(torch|c10|shm|Qt6|shiboken6|pyside6|pdfium|python3).*|.*-[0-9a-f]{8}\..*")
_NAME = re.compile(r"(.+?)\.so\.(\d+)")
# Libraries in a package with another name.
_OTHERS = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libbrotlidec.so.1": "libbrotli1",
}
_DEBIAN = "/etc/debian_version"


def missing_library_error(fault: str) -> SpanlightError | None:
    """The error for a system library that is missing or too old, None if the message is about something else."""
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
        return SpanlightError(Message("Spanlight is not whole: {name} is missing.", name=name), repair_hint())
    package = debian_package(name)
    hint = Message("Install your system's package that brings it.")
    if package and os.path.exists(_DEBIAN):  # noqa: PTH110 the start reads this file too
        hint = Message("To install it: sudo apt install {package}", package=package)
    return SpanlightError(
        Message("The system's library {name} is missing, which Spanlight needs.", name=name), hint
    )


def debian_package(library: str) -> str:
    """The name of the Debian package with a shared library, by Debian's rule for such names; empty if none.

    Debian Policy, section 8.1: the library's name and its version, with a hyphen between if the name ends in a digit.
    """
    if library in _OTHERS:
        return _OTHERS[library]
    found = _NAME.fullmatch(library)
    if found is None:
        return ""
    name = found[1].lower().replace("_", "-")
    return f"{name}-{found[2]}" if name[-1].isdigit() else f"{name}{found[2]}"


def installation_error(fault: BaseException) -> SpanlightError | None:
    """The error for a missing or broken part of the program; None for an exception of another kind."""
    if isinstance(fault, FileNotFoundError):
        bundle, name = getattr(sys, "_MEIPASS", ""), fault.filename
        if bundle and isinstance(name, str) and name.startswith(bundle):
            return _lacking(name)
        return None
    if not isinstance(fault, ImportError):
        return None
    system = missing_library_error(str(fault))
    if system is not None:
        return system
    text = " ".join(str(fault).split())
    # Our packages contain only modules.
    of_package = _OF_PACKAGE.match(text)
    if of_package:
        return _lacking(f"{of_package[2]}.{of_package[1]}")
    if isinstance(fault, ModuleNotFoundError) and fault.name:
        return _lacking(fault.name)
    reason = text[:200].rstrip(".")
    message = (
        Message("Spanlight is not whole: {name} is broken ({reason}).", name=fault.name, reason=reason)
        if fault.name
        else Message("Spanlight is not whole: {reason}.", reason=reason)
    )
    return SpanlightError(message, repair_hint())


def _lacking(name: str) -> SpanlightError:
    return SpanlightError(Message("Spanlight is not whole: {name} is missing.", name=name), repair_hint())


def repair_hint() -> str:
    """The hint on how to repair a missing or broken part of Spanlight."""
    from app.core.about import command

    if not getattr(sys, "frozen", False) and command() != "spanlight":
        return Message(
            "Get the code once more, delete the folder .venv beside it, and start again: {command}",
            command=command(),
        )
    return Message("Install it again.")
