"""The section Compare: the results of two installed models on the same text."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame

from app.core import wording
from app.core.legible import legible
from app.core.message import Message
from app.core.models import ModelCard, ProblemType, family_title
from app.core.name_types import plain_type
from app.core.results import Classifications, FilledText, FollowOns, Reading, TaggedTexts, best_places
from app.flows.heads.inspect import compare
from app.ui.inspect.section import Section, choice_box
from app.ui.inspect.visit import MAX_TITLE_CHARACTERS
from app.ui.kit.boxes import column, row
from app.ui.kit.chart import Cell, Figures, Table
from app.ui.kit.class_card import headline as class_headline
from app.ui.kit.parts import Label, plain_label
from app.ui.kit.score_bars import ScoreBars, ScoreRow, nice_label
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_MOST_ROWS = 6
Rows = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Side:
    """One model's result: the model's name and facts, and the result as a headline and as rows.

    A row is a name, its value, and the value as text; the values are `probabilities` unless the head is a regression
    head. Two results count as the same if their `outcome` is equal.
    """

    name: str
    facts: str
    headline: str
    rows: tuple[tuple[str, float, str], ...]
    seconds: float
    outcome: tuple[str, ...]
    probabilities: bool = True


def side_of(result: object, card: ModelCard) -> Side:
    """The Side for one model's result; raises TypeError for an object that is no head's result."""
    probabilities = True
    match result:
        case Reading():
            headline, rows = _reading(result)
        case Classifications():
            probabilities = card.problem is not ProblemType.REGRESSION
            headline, rows = _classification(result)
        case FilledText():
            headline, rows = _filled(result)
        case FollowOns():
            likely = result.items[0].probability
            headline = Message("It follows.") if likely >= 0.5 else Message("It does not follow.")
            rows = [(Message("It follows"), likely), (Message("It does not follow"), 1 - likely)]
        case TaggedTexts():
            names = result.items[0].entities
            headline = Message("{n:,} name", "{n:,} names", n=len(names))
            rows = [
                (
                    Message("{name} · {type}", name=legible(name.text, 40), type=plain_type(name.label)),
                    name.probability,
                )
                for name in names
            ]
        case _:
            raise TypeError(f"not a head's result: {type(result).__name__}")
    scores = tuple(
        (name, value, wording.percent(value) if probabilities else tr("{value:.3g}", value=value))
        for name, value in rows
    )
    weights = tr("{n:,} weight", "{n:,} weights", n=card.parameters) if card.parameters else ""
    about = (family_title(card.family), weights, result.device)
    facts = " · ".join(localised(part) for part in about if part)
    # The headline counts names only; the result of any other head is its headline.
    outcome = tuple(name for name, _ in rows) if isinstance(result, TaggedTexts) else (headline,)
    if isinstance(result, Reading) and result.shown is None:
        outcome = ("",)  # "the text does not say" is one outcome, however probable
    return Side(card.title, facts, headline, scores, result.seconds, outcome, probabilities)


def _reading(result: Reading) -> tuple[str, Rows]:
    headline = wording.without_answer(result.no_answer_probability, whole=result.judged_whole)[0]
    if result.shown is not None:
        headline = legible(result.shown.text, MAX_TITLE_CHARACTERS)
        if result.best is None:
            headline = Message("{answer} (low confidence)", answer=headline)
    # The best place of words that stand in several has the probability of all of them.
    best = best_places(result.answers)[:_MOST_ROWS]
    rows = [(legible(answer.text, 60), answer.probability) for answer in best]
    return headline, [*rows, (Message("The text does not say"), result.no_answer_probability)]


def _classification(result: Classifications) -> tuple[str, Rows]:
    item = result.items[0]
    rows = sorted(((nice_label(one.label), one.probability) for one in item.scores), key=lambda row: -row[1])
    if item.problem == ProblemType.REGRESSION:
        return class_headline(item), rows
    return nice_label(item.winner) if item.winner else Message("No class stands out"), rows


def _filled(result: FilledText) -> tuple[str, Rows]:
    """The likeliest words of each blank; with several blanks, each word carries the number of its blank."""
    headline = ", ".join(blank.guesses[0].word for blank in result.blanks if blank.guesses)
    each = max(2, _MOST_ROWS // max(1, len(result.blanks)))
    rows = [
        (f"{number}: {guess.word}" if len(result.blanks) > 1 else guess.word, guess.probability)
        for number, blank in enumerate(result.blanks, start=1)
        for guess in blank.guesses[:each]
    ]
    return headline, rows


class CompareSection(Section):
    """A choice of the second model, and the results of both, which read the same text one after the other."""

    KEY = "compare"
    TITLE = Message("Compare")
    TERM = Message("same input, same head")
    ABOUT = Message(
        "Two models with the same head read the very same text, each with the tokens, the window and the calibration"
        " of its own. Probabilities can be compared; scores in logits cannot, since every model has its own scale."
    )

    def build(self) -> None:
        self._label = Label(tr("Compare with"))
        self._other = choice_box(tr("The second model"), self._compare)
        self._summary = plain_label()
        self._compared = self.main = Compared(self.theme)
        self._tools = self.chart_bar(self._compared)
        self.body.addLayout(row(self.theme, self._label, self._other, 1, gap=4))
        self.add(self._summary)
        self.add_results(self._compared, self._tools)

    def begin(self) -> None:
        before = self._other.currentData()
        self._other.clear()
        for card in self.models[1:]:
            self._other.addItem(localised(card.title), card.folder)
        self._other.setCurrentIndex(max(0, self._other.findData(before)) if self._other.count() else -1)
        several = len(self.models) > 1
        for widget in (self._label, self._other):
            widget.setVisible(several)
        self._summary.setText(
            tr(
                "{model} is the only model here that does this. Put a second model folder beside it (Settings shows"
                " where), or train one of your own on your own examples; it stands here as soon as it is installed.",
                model=self.card.title,
            )
        )
        self._summary.setVisible(not several)
        if several:
            self._compare()

    @Slot()
    def _compare(self) -> None:
        folders = tuple(card.folder for card in self._pair())
        self._summary.hide()
        self._show_partial(())
        self.run_flow(
            compare,
            self.visit.subject,
            folders,
            status=tr("Reading with both models"),
            on_result=self._show,
            on_partial=self._show_partial,
        )

    def _pair(self) -> tuple[ModelCard, ModelCard]:
        return self.models[0], self.models[1 + self._other.currentIndex()]

    @Slot(object)
    def _show_partial(self, results: tuple[object, ...]) -> None:
        """Show the results so far."""
        sides = self._sides(results)
        first, second = self._pair()
        self._compared.show_sides(sides, (first.name, second.name))
        self._compared.setVisible(bool(results))
        self._tools.setVisible(len(sides) == 2)

    @Slot(object)
    def _show(self, results: tuple[object, ...]) -> None:
        self._show_partial(results)
        one, other = self._sides(results)
        same = one.outcome == other.outcome
        slower, faster = sorted((one, other), key=lambda side: -side.seconds)
        times = slower.seconds / faster.seconds if faster.seconds > 0 else 1.0
        words = tr("Both come to the same.") if same else tr("They do not come to the same.")
        if times >= 1.2:
            speed = tr("{model} is {times:.1f} times as fast.", model=faster.name, times=times)
            words = f"{words} {speed}"
        self._summary.setText(words)
        self._summary.show()

    def _sides(self, results: tuple[object, ...]) -> tuple[Side, ...]:
        return tuple(side_of(result, card) for result, card in zip(results, self._pair(), strict=False))


class _Card(QFrame):
    """The card of one model's result."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._name, self._headline = plain_label(type="strong"), plain_label(type="answer", selectable=True)
        self._facts, self._took = (plain_label(type="small", ink="quiet") for _ in range(2))
        self._bars = ScoreBars(theme)
        parts = (self._name, self._facts, self._headline, self._bars, self._took)
        column(theme, *parts, 1, gap=2, margins=(4, 4, 4, 4), parent=self)
        self.setProperty("kind", "card")

    def show_side(self, side: Side | None, waiting: str = "") -> None:
        """Show a result; None while it is still being computed by the model called `waiting`."""
        self._name.setText(side.name if side is not None else waiting)
        self._facts.setText(side.facts if side is not None else tr("Still reading…"))
        self._headline.setText(side.headline if side is not None else "")
        self._took.setText(tr("in {time}", time=wording.duration(side.seconds)) if side is not None else "")
        rows = side.rows if side is not None else ()
        best = max((value for _, value, _ in rows), default=0.0)
        shares = side is not None and side.probabilities
        self._bars.set_rows(
            tuple(
                ScoreRow(localised(name), value if shares else None, localised(text), value == best)
                for name, value, text in rows
            )
        )
        for widget in (self._headline, self._bars, self._took):
            widget.setVisible(side is not None)
        self._bars.setVisible(bool(rows))
        self._bars.setAccessibleName(tr("Results of {model}", model=self._name.text()))
        self.setAccessibleName(f"{self._name.text()}: {self._headline.text()}")


class Compared(Figures):
    """The results of two models as cards side by side."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.title = tr("Two models compared")
        self._sides: tuple[Side, ...] = ()
        self._cards = (_Card(theme), _Card(theme))
        row(theme, *((card, 1) for card in self._cards), gap=4, parent=self)
        self.setAccessibleName(self.title)

    def show_sides(self, sides: tuple[Side, ...], names: tuple[str, str]) -> None:
        """Show the results so far; `names` are those of both models."""
        self._sides = sides
        for at, card in enumerate(self._cards):
            card.show_side(sides[at] if at < len(sides) else None, names[at])
        self.renewed.emit()

    def table(self) -> Table:
        """A row for each row of both results."""
        rows: list[tuple[Cell, ...]] = [
            (side.name, name, value, side.seconds) for side in self._sides for name, value, _ in side.rows
        ]
        columns = (Message("model"), Message("result"), Message("probability"), Message("seconds"))
        return Table(columns, tuple(rows))
