import ast
import sys
from pathlib import Path

import pytest

from app.core import about

APP = Path(about.__file__).resolve().parent.parent


def test_the_command_is_pythons_in_a_source_tree_and_else_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(about, "_ROOT", tmp_path)
    (tmp_path / "packaging").mkdir()  # the library of that name, beside app/ in an environment
    assert about.command() == "spanlight"
    (tmp_path / "packaging" / "bootstrap.py").touch()
    assert about.command() == "python3 -m app"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert about.command() == "spanlight"


def strings(source: str) -> list[str]:
    """Return every string of a module's source, except docstrings."""
    tree = ast.parse(source)
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
    ]


def test_nobody_is_told_a_source_trees_command_elsewhere() -> None:
    here = APP / "core" / "about.py"
    wrong = [
        f"{file.relative_to(APP)}: {words}"
        for file in APP.rglob("*.py")
        if file != here and "-m app" in (source := file.read_text("utf-8"))
        for words in strings(source)
        if "-m app" in words
    ]
    assert not wrong
    assert any("-m app" in words for words in strings(here.read_text("utf-8")))
