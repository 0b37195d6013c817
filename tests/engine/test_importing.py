"""Imports skip some work, and everything is as before afterwards."""

from __future__ import annotations

import gc
import inspect
import sys
import types
import warnings
from collections.abc import Iterator

import pytest

from app.engine import importing
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


@pytest.fixture
def as_it_was(monkeypatch):
    monkeypatch.setattr(inspect, "getsourcefile", inspect.getsourcefile)
    with warnings.catch_warnings():
        yield


def compiled(file):
    module = types.ModuleType("made")
    exec(compile("def answer():\n    return 42\n", str(file), "exec"), module.__dict__)
    return module.answer


def test_code_of_a_bundle_is_told_by_its_place_below_the_folder(as_it_was, tmp_path):
    answer = compiled("transformers/models/bert/modeling_bert.py")
    assert inspect.getsourcefile(answer) is None
    importing.patch_source_lookup(str(tmp_path))
    assert inspect.getsourcefile(answer) == str(tmp_path / "transformers/models/bert/modeling_bert.py")


def test_code_with_a_place_of_its_own_is_told_as_ever(as_it_was, tmp_path):
    importing.patch_source_lookup(str(tmp_path))
    assert inspect.getsourcefile(test_code_with_a_place_of_its_own_is_told_as_ever) == __file__


def test_outside_a_bundle_nothing_is_changed(as_it_was):
    before = inspect.getsourcefile
    importing.patch_source_lookup()
    assert inspect.getsourcefile is before
