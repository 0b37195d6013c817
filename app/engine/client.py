"""The client of the model process: what the rest of the app calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import DeviceLost, SpanlightError
from app.core.message import Message
from app.core.models import Devices, Head, LoadedModel, MemoryUse, ModelCard
from app.core.report import Relay, Report
from app.core.requests import ModelChoice, Question
from app.core.text import Document
from app.engine.child import Child
from app.engine.host import model_process, start_host
from app.engine.orders import (
    GetMemory,
    GetVersions,
    ImportModules,
    ListDevices,
    Load,
    Prepare,
    Run,
    SentText,
    TextsGone,
    TryModel,
    Unload,
    with_texts,
)
from app.engine.serve import Factory
from app.models.compute.faults import short_reason

if TYPE_CHECKING:
    from app.core.confine import Confined

# Code points; shorter texts are always sent with their question.
LONG_TEXT = 50_000
# A malicious tokenizer may never end; the largest models take a minute or two on a slow computer.
TRIAL_SECONDS = 600.0


class Engine:
    """Runs models in a process of their own; nothing here imports torch.

    Call it from one thread at a time (`close`, `alive` and `pid` from any). The process starts with the first call,
    and again after it was killed or lost. `log` takes what its libraries print. `child` is a model process that was
    started already. With `only`, a folder, the process is for a trial of the model in it: as far as the system allows,
    it reaches no network, writes no file, starts no program, and reads no other files (see core.confine).

    If a GPU breaks down, the process that used it is ended, the work is done again on the CPU, and no GPU is used for
    the rest of this Engine's life, as drivers are not reliable after such a fault.
    """

    def __init__(
        self,
        log: Path | None = None,
        factory: Factory = start_host,
        child: Child | None = None,
        only: Path | None = None,
    ) -> None:
        # A model's files may be links into a cache.
        reads = None if only is None else (str(only), *map(str, only.rglob("*")))
        self._child = child or model_process(log, factory, reads)
        self._avoid = ""
        self._texts = TextSender()

    def begin(self) -> None:
        """Start the process and have it load PyTorch, without waiting: that takes longer than reading a text."""
        self._child.begin()

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        """Return the result of a request of core.requests; `choice` is the model, None for training.

        Raises SpanlightError for expected errors, EngineLost if the process died, Stopped if `report.check` raised it,
        ChildBug for a bug in the process.
        """
        return self._send(Run, request, choice, report)

    def prepare(self, documents: Sequence[Document], choice: ModelChoice, report: Report) -> None:
        """Cache documents' texts and tokens in the process for later questions; raises as `run` does.

        May be stopped at any time; a question computes what is not cached by then.
        """
        self._send(Prepare, Question("", tuple(documents)), choice, report)

    def run_opened(self, request: object, choice: ModelChoice, report: Report) -> Any:
        """Return the result of a request computed by transformers' own class in float32; raises as `run` does."""
        return self._ask(lambda avoid: Run(request, choice, avoid, opened=True), report)

    def load(self, choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        """Load a model; raises as `run` does."""
        loaded: LoadedModel = self._ask(lambda avoid: Load(choice, head, avoid), report)
        return loaded

    def try_model(self, folder: str, report: Report, *, seconds: float = TRIAL_SECONDS) -> ModelCard:
        """Try each head of a model on the CPU, and return the model's card.

        Raises SpanlightError if a head gives no sound scores or the trial takes longer than `seconds`; otherwise raises
        as `run` does.
        """
        card: ModelCard = self._child.run(TryModel(folder), _Limited(report, Path(folder).name, seconds))
        return card

    def import_modules(self, names: tuple[str, ...], report: Report) -> dict[str, str]:
        """Import modules and every family's classes in the process; returns the error of each that fails, by name.

        Raises as `run` does.
        """
        faults: dict[str, str] = self._child.run(ImportModules(names), report)
        return faults

    def versions(self, report: Report) -> dict[str, str]:
        """Return the versions of the libraries that compute, by name; raises as `run` does."""
        versions: dict[str, str] = self._child.run(GetVersions(), report)
        return versions

    def devices(self, report: Report) -> Devices:
        """Return every device of this computer, and what `auto` chooses; raises as `run` does."""
        found: Devices = self._ask(ListDevices, report)
        return found

    def memory(self, report: Report) -> MemoryUse:
        """Return the memory that the process uses; raises as `run` does."""
        use: MemoryUse = self._child.run(GetMemory(), report)
        return use

    def unload(self, report: Report) -> MemoryUse:
        """Unload all models; returns the memory in use then. Raises as `run` does."""
        use: MemoryUse = self._child.run(Unload(), report)
        return use

    def _send(
        self, kind: Callable[..., object], request: object, choice: ModelChoice | None, report: Report
    ) -> Any:
        """Return the answer to an order about a request, sending those of its long texts that the process lacks."""
        try:
            return self._send_packed(kind, request, choice, report)
        except TextsGone:
            self._texts.forget()
            return self._send_packed(kind, request, choice, report)

    def _send_packed(
        self, kind: Callable[..., object], request: object, choice: ModelChoice | None, report: Report
    ) -> Any:
        rest, texts = self._texts.pack(request)
        return self._ask(
            lambda avoid: kind(rest, choice, avoid, texts=texts), report, again=choice is not None
        )

    def _ask(self, order: Callable[[str], object], report: Report, *, again: bool = True) -> Any:
        """Return the answer to an order; if the GPU breaks down and `again` is set, have the CPU do the work.

        `order` builds the order from the reason why no GPU may be used, empty if one may.
        """
        avoided = self._avoid
        try:
            return self._child.run(order(avoided), report)
        except DeviceLost as fault:
            self._child.end()
            self._avoid = avoided or short_reason(fault)
            if avoided or not again:
                raise
        report.notice(Message("The GPU broke down: the models now run on the CPU."))
        return self._ask(order, report, again=False)

    @property
    def confined(self) -> Confined | None:
        """The limits of the process that was started last; None until it has reported them."""
        return self._child.confined

    @property
    def alive(self) -> bool:
        """Whether the model process runs now."""
        return self._child.alive

    @property
    def pid(self) -> int | None:
        """The model process's id, None while there is none."""
        return self._child.pid

    def end(self) -> None:
        """End the model process once it waits for work; the next order starts another, with nothing loaded."""
        self._child.end()

    def close(self) -> None:
        """End the model process for good; work under way ends as Stopped."""
        self._child.close()


class TextSender:
    """Remembers the texts sent last, so that only others are sent: 500,000 words take 25 ms to pickle and unpickle.

    A process that was started since does not have them, and raises TextsGone.
    """

    def __init__(self) -> None:
        self._sent: dict[int, Document] = {}
        self._numbers = count(1)

    def pack(self, request: object) -> tuple[Any, tuple[SentText, ...]]:
        """Return a request without its long texts, and these texts as they are sent."""
        if not isinstance(request, Question):
            return request, ()
        long = [at for at, document in enumerate(request.documents) if len(document.text) >= LONG_TEXT]
        texts = tuple(self._as_sent(at, request.documents[at]) for at in long)
        self._sent = {sent.number: request.documents[sent.document] for sent in texts}
        return with_texts(request, dict.fromkeys(long, ("", None))), texts

    def _as_sent(self, at: int, document: Document) -> SentText:
        for number, sent in self._sent.items():
            if sent.text == document.text and sent.view == document.view:
                return SentText(at, number, None)
        return SentText(at, next(self._numbers), document.text, document.view)

    def forget(self) -> None:
        """Forget which texts were sent, so that all are sent again."""
        self._sent = {}


class _Limited(Relay):
    """A Report that ends the work after a number of seconds."""

    def __init__(self, report: Report, name: str, seconds: float) -> None:
        super().__init__(report)
        self._name, self._end = name, time.monotonic() + seconds

    def check(self) -> None:
        """Raise Stopped when the work is to stop, and SpanlightError when it has taken too long."""
        super().check()
        if time.monotonic() > self._end:
            raise SpanlightError(
                Message("Trying {name} took too long, so it is not used.", name=self._name),
                Message("Choose another model."),
            )
