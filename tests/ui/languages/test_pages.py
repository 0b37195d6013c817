"""Every page in a language made up for this: nothing of it is left in English, and nothing is cut."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from PySide6.QtCore import QCoreApplication, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.parts import Label
from app.ui.window.window import MainWindow
from tests.helpers import insides
from tests.helpers.accessible import cut_off, nodes, sideways
from tests.helpers.ask_page import TEXT
from tests.helpers.furnished import CARDS, CONTRACTS, NAMED, QUESTIONS, FurnishedEngine, furnish, places
from tests.helpers.teaching import CATS, LABELS, TEAS
from tests.helpers.windows import FakeEngine

_LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGER = str.maketrans(_LATIN, "áƀćđéƒǵĥíĵķĺḿńóṕɋŕśťúṽŵẋýźÁɃĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼŴẊÝŹ")
_RIGHT_TO_LEFT = str.maketrans(_LATIN, ("אבגדהוזחטיכלמנסעפצקרשתםןףץ" * 2)[: len(_LATIN)])
_FIELDS = re.compile(r"(\{[^}]*\})")


class Pseudo(QTranslator):
    """Every text in ⟦ ⟧ and other letters, with its values: as English, 40 % longer, or written from right to left."""

    def __init__(self, *, right_to_left: bool) -> None:
        super().__init__()
        self._letters = _RIGHT_TO_LEFT if right_to_left else _LONGER
        self._longer = not right_to_left

    def isEmpty(self) -> bool:
        return False

    def translate(
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        if context:  # Qt's own
            return None
        source = disambiguation if disambiguation and n not in (-1, 1) else source
        parts = _FIELDS.split(source)
        words = "".join(part if at % 2 else part.translate(self._letters) for at, part in enumerate(parts))
        longer = len(_FIELDS.sub("", source)) * 2 // 5 if self._longer else 0
        return f"⟦{words}{(' ~~~~~' * longer)[:longer].rstrip()}⟧"


@contextmanager
def pseudo_language(*, right_to_left: bool = False) -> Iterator[None]:
    """The made-up language for as long as this is open."""
    application = QCoreApplication.instance()
    assert isinstance(application, QApplication)
    translator = Pseudo(right_to_left=right_to_left)
    application.installTranslator(translator)
    if right_to_left:
        application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    application.removeTranslator(translator)
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def untranslated(text: str) -> str:
    """What of a text stands outside of any ⟦ ⟧; a translated text may hold values, as a file's name."""
    depth, left = 0, []
    for character in text:
        if character == "⟦":
            depth += 1
        elif character == "⟧":
            depth -= 1
        elif depth <= 0:
            left.append(character)
    return "".join(left)


# Names, keys and terms that are the same in every language; what stands in a table of texts.
SAME = (
    "Spanlight PyTorch PySide6 NumPy PDFium SQLite transformers tokenizers safetensors Python BERT DistilBERT"
    " CPU GPU CLS"
    " float32 float16 first average max Ctrl Shift Enter Esc Tab Space Del PageUp PageDown Home End Alt Return id topic"
)
# What furnishes the window beside that, and Qt's own buttons.
READ = (
    "Paris is the capital of ___. France Europe contracts contract Some Processor, Some GPU, 8 cores, computes, faster"
    " than the CPU. Positive Negative pretraining moods reader Scroll Left Right Computes."
    " There is no model here. Install one."
)
WORD = re.compile(r"[A-Za-z]{3,}")


@pytest.fixture(scope="module")
def known(furnished: MainWindow) -> set[str]:
    """The words of what is read and of models, which no translation changes."""
    paths = furnished.workspace.paths
    samples = [tomllib.loads(file.read_text("utf-8")) for file in paths.samples.glob("*.toml")]
    offered = json.loads(paths.catalogue_file.read_text("utf-8"))["models"]
    texts = [
        *(TEXT, NAMED, SAME, READ, insides.REVIEW.text, insides.FOLLOWED.text, insides.FOLLOWED.pair),
        *(insides.ASKED.text, insides.ASKED.pair),
        *(" ".join(each) for each in (CONTRACTS, CONTRACTS.values(), QUESTIONS, CATS, TEAS, LABELS)),
        *(f"{card.title} {card.name} {card.family} {card.labels} {card.description}" for card in CARDS),
        *(f"{each['title']} {each['line']}" for each in offered),
        *(f"{each['title']} {' '.join(each.get('questions', []))}" for each in samples),
        *(
            f"{each['title']} {each['line']}"
            for each in tomllib.loads((paths.example_sets / "sets.toml").read_text("utf-8"))["set"]
        ),
    ]
    return set(WORD.findall(" ".join(texts)))


@pytest.fixture(scope="module")
def engine(language: str) -> FakeEngine:
    """That of a window which is made once the language is there: a new one for each."""
    return FurnishedEngine()


# The same pages the other way round are cut where these are, nearly always.
@pytest.fixture(scope="module", params=["longer", pytest.param("right to left", marks=pytest.mark.long)])
def language(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    with pseudo_language(right_to_left=request.param == "right to left"):
        yield request.param


@pytest.fixture(scope="module")
def furnished(
    language: str, shared_window: MainWindow, tmp_path_factory: pytest.TempPathFactory
) -> MainWindow:
    furnish(shared_window, tmp_path_factory.mktemp("files"))
    return shared_window


def texts(page: QWidget) -> Iterator[tuple[str, str]]:
    """What is seen and told of a page, with where it is."""
    for node in nodes(page):
        for text in (node.name, node.description):
            yield node.path, text
    for one in page.findChildren(QWidget):
        if one.isVisible():
            yield f"tip of {type(one).__name__}", one.toolTip()
            if isinstance(one, Label):
                yield f"label of {type(one.parent()).__name__}", one.text()


def english(page: QWidget, known: set[str]) -> Iterator[str]:
    """What of a page is in English; paths of files, parts of code and cut texts are not."""
    for place, text in texts(page):
        left = re.sub(r"(/[\w.-]+)+…?|\w+…|[\w-]+\.txt", "", untranslated(text))
        if set(WORD.findall(left)) - known and "import torch" not in text:
            yield f"{place}: {text[:120]}"


@pytest.mark.timeout(300)
def test_all_is_translated_and_nothing_is_cut(furnished: MainWindow, known: set[str], qtbot: QtBot) -> None:
    faults = []
    for name, page in places(furnished):
        furnished.setMinimumSize(0, 0)
        furnished.resize(1024, 640)
        QApplication.processEvents()
        with suppress(qtbot.TimeoutError):  # a busy computer lays out late
            qtbot.waitUntil(lambda page=page: not any((*cut_off(page), *sideways(page))))
        # The list of licences is one of names, and the system's own is told below About.
        found = [
            *([] if page.window() is furnished and "about" in name else english(page, known)),
            *cut_off(page),
            *sideways(page),
        ]
        faults += [f"{name}: {fault}" for fault in dict.fromkeys(found)]
    assert not faults, "\n" + "\n".join(faults)
