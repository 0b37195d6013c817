"""Importing without the bindings of Qt reading every module's source: importing this module sees to it.

Once PySide6 is there, each module that is imported is read again as text and kept, to find out whether it uses PySide6
and may want Qt's names in another style (`from __feature__ import snake_case`): an eighth of the time that the window's
own modules take, and their sources in memory for good. Nothing here uses another style.
"""

from __future__ import annotations

import sys

import PySide6.QtCore  # noqa: F401, it brings the module below


def _never(module: object) -> bool:
    """Whether a module may want another style."""
    return False


_feature = sys.modules.get("shibokensupport.feature")
if _feature is not None and hasattr(_feature, "_mod_uses_pyside"):
    vars(_feature)["_mod_uses_pyside"] = _never
