"""A classifier without a model, and what the classify page is made of."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.core.requests import ModelChoice, TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from app.ui.heads.classify.classify import ClassifyView

CARD = ModelCard(
    "moods", "/models/moods", "bert", (Head.CLASSIFICATION,), labels=("negative", "positive"), window=8
)


def by_length(request: TextsToClassify, choice: ModelChoice | None, report: Report) -> Classifications:
    """Positive in the measure of the text's length; a window for every eight characters."""
    items = []
    for at, text in enumerate(request.texts):
        report.check()
        share = min(0.99, len(text) / 100)
        scores = (ClassScore("negative", 1 - share), ClassScore("positive", share))
        winner = "positive" if share > 0.5 else "negative"
        items.append(Classification(scores, winner, windows=1 + len(text) // 80, tokens=len(text)))
        report.progress(Progress(at + 1, len(request.texts), "Classifying"))
        report.partial(Classifications(tuple(items), 0.1))
    return Classifications(tuple(items), 0.5, model="moods", device="CPU")


def edit(view: ClassifyView) -> QPlainTextEdit:
    found = view.findChild(QPlainTextEdit)
    assert isinstance(found, QPlainTextEdit)
    return found


def button(view: ClassifyView, name: str) -> QPushButton:
    return next(one for one in view.findChildren(QPushButton) if one.accessibleName() == name)
