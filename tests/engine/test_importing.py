"""What an import is spared, and that all is as it was after it."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.engine.importing import fast_imports


@pytest.fixture(autouse=True)
def _unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def state() -> tuple[object, ...]:
    flags = sys.getdlopenflags() if hasattr(sys, "getdlopenflags") else 0
    return gc.isenabled(), inspect.getframeinfo.__defaults__, flags


def here() -> inspect.Traceback:
    return inspect.getframeinfo(sys._getframe())


def test_an_import_is_spared_the_collector_and_the_sources() -> None:
    usual = here()
    with fast_imports():
        assert not gc.isenabled()
        found = here()
    assert found.code_context is None
    assert (found.filename, found.lineno) == (usual.filename, usual.lineno)
    assert usual.code_context


def test_all_is_as_it_was_also_where_the_import_fails() -> None:
    before = state()
    with fast_imports():
        assert state() != before
    assert state() == before
    with pytest.raises(ImportError), fast_imports():
        raise ImportError("no such library")
    assert state() == before
    assert here().code_context


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with fast_imports():
        assert not gc.isenabled()
    assert not gc.isenabled()
    assert gc.get_freeze_count() > 0


def test_torch_computes_after_it() -> None:
    code = (
        "from app.engine.importing import fast_imports\n"
        "with fast_imports():\n    import torch\n"
        "m = torch.nn.Linear(3, 2).bfloat16()\n"
        "x = torch.ones(4, 3, dtype=torch.bfloat16, requires_grad=True)\n"
        "m(x).float().sum().backward()\n"
        "assert x.grad is not None and x.grad.isfinite().all()\n"
        "print(torch.Generator().manual_seed(1).initial_seed(), torch.get_num_threads() > 0)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ended.stdout.split() == ["1", "True"], ended.stderr
