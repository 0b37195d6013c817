"""Stops PySide6 from reading the source of every imported module; importing this module has that effect.

Once PySide6 is imported, it reads the source of each further module and keeps it, to find out whether the module wants
Qt's names in another style (`from __feature__ import snake_case`): an eighth of the import time of the window's own
modules, and their sources in memory for good. No module here uses another style.
"""

from __future__ import annotations

import sys

import PySide6.QtCore  # noqa: F401, it brings the module below


def _never(module: object) -> bool:
    """Whether a module wants another style: never."""
    return False


_feature = sys.modules.get("shibokensupport.feature")
if _feature is not None and hasattr(_feature, "_mod_uses_pyside"):
    vars(_feature)["_mod_uses_pyside"] = _never
