"""The set-up's modules, importable as they import each other."""

from __future__ import annotations

import sys

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "packaging"))
try:
    import bootstrapping.installer
    import bootstrapping.system  # noqa: F401 - the tests find them loaded
finally:
    sys.path.remove(str(ROOT / "packaging"))
