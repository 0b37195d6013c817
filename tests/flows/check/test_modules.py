"""Modules that a bundle lacks are found without running it."""

from __future__ import annotations

import ast
import sys
from importlib.util import find_spec

import pytest

from app.flows.check import modules
from app.flows.check.modules import ROOTS, _imports, find_modules
from tests.conftest import ROOT

APP = ROOT / "app"
# Run by other commands than Spanlight's own, or in another interpreter.
APART = "app.bench."


def named(source: str) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.module or "", ""), *((node.module or "", alias.name) for alias in node.names)}
    return found


@pytest.mark.parametrize("name", ["__main__.py", "cli/main.py", "engine/process.py", "ui/window/window.py"])
def test_byte_code_tells_what_the_source_imports(name: str) -> None:
    source = (APP / name).read_text("utf-8")
    assert set(_imports(compile(source, name, "exec"))) == named(source)


def test_a_long_module_is_read_to_its_end() -> None:
    source = "".join(f"a{number} = {number}\n" for number in range(700)) + "import last.of.all\n"
    assert set(_imports(compile(source, "long", "exec"))) == {("last.of.all", "")}


def test_the_roots_are_what_the_start_imports() -> None:
    named_there = named((APP / "__main__.py").read_text("utf-8"))
    found = {base for base, inside in named_there if base.startswith("app.") and inside}
    assert found == set(ROOTS)


def test_here_nothing_is_missing_and_all_of_ours_is_reached() -> None:
    ours, missing = find_modules()
    assert missing == ()
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in APP.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py")
    }
    apart = {name for name in files if name.startswith(APART)}
    # What is imported in functions only, and there by functions of functions; not what nobody uses yet.
    assert {"app.models.encoder.model", "app.documents.pdf.marks", "app.training.trainer"} <= set(ours)
    assert len(files - apart - set(ours)) < 0.03 * len(files)
    assert not apart & set(ours)


def test_what_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = ("app.documents.pdf.marks", "app.ui.history.history", "lxml")
    monkeypatch.setattr(modules, "find_spec", lambda name: None if name in gone else find_spec(name))
    monkeypatch.delitem(sys.modules, "lxml", raising=False)
    assert find_modules()[1] == gone
