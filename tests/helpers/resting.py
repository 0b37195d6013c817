"""Engines that read nothing, whose models can be put away, and whose work can be held up."""

from __future__ import annotations

import threading

from app.core.errors import SpanlightError
from app.core.models import Head, LoadedModel, MemoryUse, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice
from tests.helpers.windows import FakeEngine

READER = ModelCard("reader", "/m/reader", "bert", (Head.QUESTION_ANSWERING,))
OTHER = ModelCard("other", "/m/other", "bert", (Head.QUESTION_ANSWERING,))


class RestingEngine(FakeEngine):
    """Counts how often its models were put away."""

    def __init__(self, *cards: ModelCard) -> None:
        super().__init__(lambda *_: None, *cards)
        self.unloads = 0
        self.said: list[str] = []

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> object:
        self.said.append("run")
        return super().run(request, choice, report)

    def load(self, choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        self.said.append("load")
        return super().load(choice, head, report)

    def unload(self, report: Report) -> MemoryUse:
        self.said.append("unload")
        self.unloads += 1
        return MemoryUse((), 0, 0, 0)


class HeldEngine(RestingEngine):
    """Holds its work up until `go_on` is set, and says how that ended; fails with `fault` if there is one."""

    def __init__(self, *cards: ModelCard) -> None:
        super().__init__(*cards)
        self.go_on = threading.Event()
        self.fault: SpanlightError | None = None

    def hold(self, report: Report) -> None:
        self.said.append("begins")
        if self.fault is not None:
            raise self.fault
        try:
            while not self.go_on.wait(0.002):
                report.check()
        except BaseException:
            self.said.append("stopped")
            raise
