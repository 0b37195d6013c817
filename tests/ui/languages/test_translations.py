"""The translations: all of the window's texts are in them, whole, with the same values."""

from __future__ import annotations

import ast
import re
import shutil
import string
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from app.core.measures import share
from app.core.message import Message
from app.core.wording import percent, precise_percent, size
from app.ui.kit.translation import LANGUAGES, localised, tr, use_language
from tests.conftest import ROOT
from tests.helpers.scripts import script

FOLDER = ROOT / "resources" / "translations"
OTHERS = sorted(LANGUAGES.keys() - {"en"})


@pytest.fixture(params=OTHERS)
def file(request: pytest.FixtureRequest) -> Path:
    return FOLDER / f"spanlight_{request.param}.ts"


def messages(file: Path) -> Iterator[tuple[str, str, list[str], bool]]:
    """The source, its plural, the translations (several of a plural), and whether they are finished."""
    for message in ElementTree.parse(file).iter("message"):
        translation = message.find("translation")
        assert translation is not None
        forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
        yield (
            message.findtext("source", ""),
            message.findtext("comment", ""),
            forms,
            translation.get("type") is None,
        )


def fields(pattern: str) -> set[str]:
    """The values of a pattern, each with its format."""
    return {f"{name}:{spec}" for _, name, spec, _ in string.Formatter().parse(pattern) if name is not None}


def test_they_hold_what_the_code_says(file: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(file, tmp_path))
    script("translations.py").collect(copy)
    assert copy.read_text("utf-8") == file.read_text("utf-8"), "run: python packaging/translations.py"


def test_they_are_compiled(file: Path, tmp_path: Path) -> None:
    script("translations.py").compile(file, tmp_path / "made.qm")
    assert (tmp_path / "made.qm").read_bytes() == file.with_suffix(".qm").read_bytes()


def test_nothing_is_left_out(file: Path) -> None:
    assert not [source for source, _, forms, finished in messages(file) if not finished or not all(forms)]


def test_the_values_are_the_same(file: Path) -> None:
    wrong = []
    for source, several, forms, _ in messages(file):
        for at, form in enumerate(forms):
            wanted = fields(source if at == 0 or not several else several)
            # The form for one may do without the number.
            spare = (
                {field for field in wanted | fields(several) if field.startswith("n:")} if at == 0 else set()
            )
            if not wanted - spare <= fields(form) <= wanted | spare:
                wrong.append((source, form))
    assert not wrong


def test_ends_are_the_same(file: Path) -> None:
    ends = re.compile(r"[.?!…:]?\s*$")
    wrong = [
        (source, form)
        for source, _, forms, _ in messages(file)
        for form in forms
        if ends.search(source)[0] != ends.search(form)[0]  # type: ignore[index]
        or (form != form.strip()) != (source != source.strip())
    ]
    assert not wrong


_TEXTS = ("tr", "Message", "localised")
Piece = tuple[str, set[str]]  # a literal, "" for anything else; the patterns of the texts that it may be


class Joins(ast.NodeVisitor):
    """Finds what a file's functions put together, of which a part is a text: its pieces in their order."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[int, list[Piece]]] = []
        self._named: dict[str, set[str]] = {}
        self.visit(tree)

    def visit_FunctionDef(self, function: ast.FunctionDef) -> None:
        before, self._named = self._named, {}
        for node in ast.walk(function):
            if isinstance(node, (ast.Assign, ast.NamedExpr)) and (texts := self._texts(node.value)):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        self._named.setdefault(target.id, set()).update(texts)
        self.generic_visit(function)
        self._named = before

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._add(
            node, [self._piece(node.left), self._piece(node.right)] if isinstance(node.op, ast.Add) else []
        )

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._add(node, [self._piece(each) for each in node.values])

    def visit_Call(self, node: ast.Call) -> None:
        pieces: list[Piece] = []
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str(between)), attr="join"),
                args=[ast.List(elts=parts) | ast.Tuple(elts=parts)],
            ):
                for part in parts:
                    pieces += [(between, set()), self._piece(part)] if pieces else [self._piece(part)]
        self._add(node, pieces)

    def _add(self, node: ast.AST, pieces: list[Piece]) -> None:
        if any(texts for _, texts in pieces):
            self.found.append((getattr(node, "lineno", 0), pieces))
        self.generic_visit(node)

    def _piece(self, node: ast.expr) -> Piece:
        is_literal = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return (node.value if is_literal else "", self._texts(node))  # type: ignore[attr-defined]

    def _texts(self, node: ast.expr) -> set[str]:
        match node:
            case ast.Call(func=ast.Name(id=name), args=args) if name in _TEXTS:
                return {each.value for each in args if isinstance(each, ast.Constant)} or {""}
            case ast.Name(id=name):
                return self._named.get(name, set())
            case ast.IfExp(body=one, orelse=other):
                return self._texts(one) | self._texts(other)
            case ast.BoolOp(values=values):
                return set().union(*map(self._texts, values))
            case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.FormattedValue(value=value):
                return self._texts(value)
        return set()


def with_texts(body: list[ast.stmt], lines: list[str]) -> Iterator[ast.stmt]:
    """The statements and functions that hold texts, those of classes too: few of a file's, and soon gone through."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from with_texts(node.body, lines)
        elif any(f"{name}(" in line for line in lines[node.lineno - 1 : node.end_lineno] for name in _TEXTS):
            yield node


def unseen(tree: ast.Module) -> list[int]:
    """The lines of texts that are no literals, or stand in f-strings: lupdate, which reads the source, misses them."""
    nodes = [*ast.walk(tree)]
    in_strings = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    return [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") in ("tr", "Message")
        and (
            id(node) in in_strings
            or not node.args
            or not all(
                isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value
                for each in node.args
            )
        )
    ]


def fragments(tree: ast.Module) -> list[int]:
    """The lines where a text is a piece of a sentence: beside words, or before others without an end of its own."""
    wrong = []
    for line, pieces in Joins(tree).found:
        literals = [re.sub(r"\(Ctrl\+.\)", "", literal) for literal, _ in pieces]
        beside_words = any(re.search(r"[^\W\d_]{2}", literal) for literal in literals)
        followed = (
            texts
            for (_, texts), between in zip(pieces[:-2], literals[1:], strict=False)
            if between.strip(" ") == "" != between
        )
        if beside_words or any(
            text and not re.search(r"[.?!…:]$", text) for texts in followed for text in texts
        ):
            wrong.append(line)
    return wrong


def test_texts_are_literals_and_whole_sentences() -> None:
    """Another language may need another order, so that sentences and labels stand beside each other, never words."""
    wrong = []
    for file in (ROOT / "app").rglob("*.py"):
        place = file.relative_to(ROOT)
        if file.name in ("translation.py", "message.py") or place.parts[1] in ("cli", "bench"):
            continue
        source = file.read_text("utf-8")
        if not any(f"{name}(" in source for name in _TEXTS):
            continue
        tree = ast.Module([*with_texts(ast.parse(source).body, source.split("\n"))], [])
        wrong += [f"{place}:{line} is not seen" for line in unseen(tree)]
        wrong += [f"{place}:{line} is put together" for line in fragments(tree)]
    assert not wrong


@pytest.mark.parametrize(
    ("said", "is_whole"),
    [
        ("f\"{tr('Saved.')} {name}\"", True),
        ("f\"{tr('Saved')}: {name}\"", True),
        ('" · ".join((tr("Saved"), name))', True),
        ("f\"{tr('Saved')} {name}\"", False),
        ('tr("Saved") + " as " + name', False),
        ('" ".join([tr("Saved"), name])', False),
        ('f"files {localised(name)}"', False),
        ('(words := tr("Saved")) and f"{words} as {name}"', False),
    ],
)
def test_a_text_put_together_is_found(said: str, is_whole: bool) -> None:
    tree = ast.parse(f"def f(name: str) -> str:\n    return {said}")
    assert (fragments(tree) == []) is is_whole


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    before = QLocale()
    assert use_language(FOLDER, "de") == "de"
    yield
    use_language(FOLDER, "en")
    QLocale.setDefault(before)


def test_numbers_and_plurals_are_those_of_the_language(german: None) -> None:
    assert localised(percent(0.65)) == "65\u00a0%"
    assert localised(size(1_200_000_000)) == "1,2 GB"
    assert localised(precise_percent(0.034)).startswith("3,4") and localised(share(84.9)) == "84,9\u00a0%"
    assert tr("{n:,} file", "{n:,} files", n=1) != tr("{n:,} file", "{n:,} files", n=1204)
    for number, written in ((1204, "1.204"), (7_000_000_000, "7.000.000.000")):
        assert written in tr("{n:,} file", "{n:,} files", n=number)


def test_a_value_is_translated_too_and_texts_of_others_are_not(german: None) -> None:
    text = tr("{one}, {other}", one=Message("Stop"), other="Stop {braces}")
    assert text == f"{tr('Stop')}, Stop {{braces}}" and tr("Stop") != "Stop"
    assert localised("Stop") == "Stop"


def test_an_unknown_choice_is_that_of_the_system(qapp: QApplication) -> None:
    before = QLocale()
    system = QLocale.languageToCode(QLocale.system().language())
    assert use_language(FOLDER, "xx") == (system if system in LANGUAGES else "en")
    QLocale.setDefault(before)


def test_another_language_takes_the_place_of_the_one_before(german: None) -> None:
    application = QCoreApplication.instance()
    assert application is not None
    use_language(FOLDER, "es")
    spanish = tr("Stop")
    use_language(FOLDER, "en")
    assert tr("Stop") == "Stop" != spanish
    QCoreApplication.sendPostedEvents(None, 52)  # what is to be deleted later
    assert not [each for each in application.findChildren(QTranslator) if not each.isEmpty()]
