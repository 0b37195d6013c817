import inspect
import types
import warnings

import pytest

from app.engine import bundled


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
    bundled.patch_source_lookup(str(tmp_path))
    assert inspect.getsourcefile(answer) == str(tmp_path / "transformers/models/bert/modeling_bert.py")


def test_code_with_a_place_of_its_own_is_told_as_ever(as_it_was, tmp_path):
    bundled.patch_source_lookup(str(tmp_path))
    assert inspect.getsourcefile(test_code_with_a_place_of_its_own_is_told_as_ever) == __file__


def test_outside_a_bundle_nothing_is_changed(as_it_was):
    before = inspect.getsourcefile
    bundled.patch_source_lookup()
    assert inspect.getsourcefile is before
