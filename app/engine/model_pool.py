"""The pool of loaded models, and what it does when memory runs out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Adjustment, DeviceChoice, Head, HeldModel, ModelCard
from app.core.report import Progress, Report
from app.core.requests import ModelChoice
from app.models.compute import device as devices
from app.models.compute.faults import OutOfMemory, ran_out, short_reason
from app.models.compute.forward import Forward, PreciseForward
from app.models.compute.loader import Loaded, load
from app.models.compute.memory import release
from app.models.disk.card import read_card
from app.models.disk.installed import Signature, signature
from app.tasks.task import ReadyModel
from app.tasks.text.sections import TextCache

# Small models: one for each page and some opened ones. Of BERT base's size (110 million weights): three.
MOST_MODELS, MOST_WEIGHTS = 8, 400_000_000
# The shortest window in tokens, of which a question may take a quarter, and special tokens a few.
LEAST_WINDOW = 64


@dataclass(frozen=True, slots=True)
class Key:
    """What a model was loaded as."""

    folder: str
    head: Head
    device: str
    precision: str
    opened: bool


@dataclass(slots=True)
class PooledModel:
    """A model in memory, with its files' signature and the card that was read from them.

    `model` is on the device that had room for it, and its own card has the window that fitted into memory. `size` is
    its weights in bytes. `precise` is the float32 forward pass of a model of lower precision. `without_finder` is
    whether memory had no room for its finder.
    """

    signature: Signature
    card: ModelCard
    model: ReadyModel
    size: int = 0
    precise: PreciseForward | None = None
    without_finder: bool = False

    @property
    def bytes(self) -> int:
        """The bytes that its weights take, those in float32 included."""
        return self.size + (self.precise.size if self.precise is not None else 0)

    def make_lighter(self, device: str) -> bool:
        """Drop the float32 weights for good if they are in this device's memory; returns whether they were."""
        same_device = self.model.device.device.split(":")[0] == device.split(":")[0]
        if not same_device or self.precise is None or not self.precise.size:
            return False
        self.precise.close()
        self.precise, self.model = None, replace(self.model, precise=None)
        return True


class ModelPool:
    """Loads models, keeps those used last, and makes a model whose memory ran out need less.

    `report` returns the Report of the current order.
    """

    def __init__(self, report: Callable[[], Report]) -> None:
        self._report = report
        self._pool: OrderedDict[Key, PooledModel] = OrderedDict()

    def loaded(self) -> tuple[HeldModel, ...]:
        """Return all loaded models, in ascending order of last use."""
        return tuple(
            HeldModel(
                one.card.name,
                key.head,
                one.model.device.device,
                one.model.device.dtype,
                one.bytes,
                key.opened,
            )
            for key, one in self._pool.items()
        )

    def clear(self) -> None:
        """Unload all models and release their memory."""
        self._pool.clear()
        release()

    def __getitem__(self, key: Key) -> PooledModel:
        return self._pool[key]

    def reader(self, key: Key, choice: ModelChoice, avoid: str) -> ReadyModel:
        """Return the loaded model, calibrated as chosen; a reader with a finder can load that when it needs it."""
        entry = self._pool[key]
        model = _adjusted(entry.model, choice.adjustment)
        if (
            not entry.card.finder
            or entry.without_finder
            or key.opened
            or key.head is not Head.QUESTION_ANSWERING
        ):
            return model
        return replace(model, finder=lambda: self._finder(key, entry, choice, avoid))

    def _finder(self, key: Key, entry: PooledModel, choice: ModelChoice, avoid: str) -> ReadyModel | None:
        """Return the finder of a loaded model; None if it cannot be loaded, which makes reading slower, not worse."""
        own = ModelChoice(entry.card.finder, key.device, key.precision)
        try:
            found = self._pool[self.ready(own, key.head, avoid, partner=key)].model
            finder = _adjusted(found, choice.finder_adjustment)
        except OutOfMemory as fault:
            self._drop_finder(entry, fault.device)
            return None
        except SpanlightError:
            return None
        self._pool.setdefault(key, entry)
        self._pool.move_to_end(key)
        return finder

    def _drop_finder(self, entry: PooledModel, device: str) -> None:
        """Let a model read without its finder from now on, and notify the person."""
        entry.without_finder = True
        self._report().notice(
            Message(
                "{fault}: long texts are read by {name} alone.",
                fault=ran_out(device),
                name=entry.card.name,
            )
        )

    def ready(
        self, choice: ModelChoice, head: Head, avoid: str, opened: bool = False, partner: Key | None = None
    ) -> Key:
        """Load a model, unless it is in the pool and its files have not changed since; returns its key.

        `avoid` is why no GPU may be used, empty if one may. The model under the key `partner` is not unloaded to make
        room for this one, which goes to the same device. Raises SpanlightError if the model cannot be loaded.
        """
        key = Key(choice.folder, head, choice.device, choice.precision, opened)
        now = signature(Path(choice.folder))
        entry = self._pool.get(key)
        if entry is not None and entry.signature == now:
            self._pool.move_to_end(key)
            return key
        del entry
        self._pool.pop(key, None)
        card = read_card(choice.folder)
        card = replace(card, finder=card.finder or choice.finder)
        self._report().check()
        if partner is not None:
            device = self._pool[partner].model.device
        elif avoid and choice.device != "cpu":
            device = devices.cpu(avoid, _cpu_precision(choice.precision))
        else:
            device = devices.choose(choice.device, choice.precision)
        if not self._reuse(key, now, device):
            self._report().progress(Progress(0, 0, Message("Loading {name}", name=card.title)))
            self._load(key, now, card, device, partner)
            self._report().check()
        return key

    def step_down(self, key: Key, fault: OutOfMemory) -> None:
        """Make a loaded model need less memory, and notify the person.

        First its float32 weights and other models are unloaded, then windows are halved, then the model moves to the
        CPU with whole windows; raises the fault if nothing is left to try. If it was the CPU's memory that ran out,
        text caches are cleared too.
        """
        entry = self._pool[key]
        if fault.device == "cpu":
            for one in self._pool.values():
                if one.model.text_cache is not None:
                    one.model.text_cache.clear()
        lighter = entry.make_lighter(fault.device)
        release()
        self._report().check()
        if lighter or self._make_room(key, fault.device):
            return
        card = entry.model.card
        window = shorter(card.window, fault.length)
        if window:
            self._report().notice(
                Message(
                    "{fault}: the text is read in shorter windows of {tokens} tokens.",
                    fault=ran_out(fault.device),
                    tokens=window,
                )
            )
            stride = max(1, card.stride * window // card.window)
            card = replace(card, window=window, stride=stride, max_length=min(card.max_length, window))
            entry.model = replace(entry.model, card=card)
            return
        if entry.model.device.device == "cpu" or fault.device == "cpu":
            raise fault
        now, whole = entry.signature, entry.card
        del entry, self._pool[key]  # its weights must be freed before they are loaded on the CPU
        self._load_on_the_cpu(key, now, whole, fault)

    def _reuse(self, key: Key, now: Signature, device: DeviceChoice) -> bool:
        """Move an identical model from another key to this one; returns whether there was one.

        "auto" and an explicit choice may mean the same device and dtype, and one copy is enough.
        """
        what = (key.folder, key.head, key.opened, device.device, device.dtype)
        for other, one in self._pool.items():
            runs = one.model.device
            if (
                what == (other.folder, other.head, other.opened, runs.device, runs.dtype)
                and now == one.signature
            ):
                one.model = replace(one.model, device=device)
                self._pool[key] = self._pool.pop(other)
                return True
        return False

    def _load(
        self, key: Key, now: Signature, card: ModelCard, device: DeviceChoice, partner: Key | None = None
    ) -> None:
        """Load a model into the pool; on the CPU if the GPU has no room for it, unless it is a finder."""
        fault = self._try_to_load(key, now, card, device)
        if fault is not None and self._make_room(partner or key, fault.device):
            fault = self._try_to_load(key, now, card, device)
        if fault is None:
            return
        if device.device == "cpu" or fault.device == "cpu" or partner is not None:
            raise fault
        self._load_on_the_cpu(key, now, card, fault)

    def _load_on_the_cpu(self, key: Key, now: Signature, card: ModelCard, fault: OutOfMemory) -> None:
        release()
        self._report().check()
        self._report().notice(Message("{fault}: the model now runs on the CPU.", fault=ran_out(fault.device)))
        self._load(key, now, card, devices.cpu(short_reason(fault), _cpu_precision(key.precision)))

    def _try_to_load(
        self, key: Key, now: Signature, card: ModelCard, device: DeviceChoice
    ) -> OutOfMemory | None:
        """Load a model into the pool; returns the fault if memory runs out."""
        try:
            loaded = load(card, key.head, device, lambda: self._report().check(), opened=key.opened)
        except OutOfMemory as error:
            # Its traceback would keep the weights loaded so far alive.
            fault = error.with_traceback(None)
            fault.__cause__ = fault.__context__ = None
        else:
            self._add_loaded(key, now, card, loaded)
            return None
        release()
        return fault

    def _add_loaded(self, key: Key, now: Signature, card: ModelCard, loaded: Loaded) -> None:
        size = 0
        if isinstance(loaded.forward, Forward):
            size = loaded.forward.size
            loaded.forward.room.notify = lambda sentence: self._report().notice(sentence)
        text_cache = TextCache(loaded.tokenizer)
        model = ReadyModel(
            card,
            loaded.device,
            loaded.tokenizer,
            loaded.forward,
            loaded.inside,
            text_cache=text_cache,
            precise=loaded.precise,
        )
        self._pool[key] = PooledModel(now, card, model, size, loaded.precise)
        # A model that only serves searching unloads no other, and is the first to be unloaded itself.
        others = [] if key.head is Head.EMBEDDINGS else list(self._pool)[:-1]
        others.sort(key=lambda other: other.head is not Head.EMBEDDINGS)
        while others and (len(self._pool) > MOST_MODELS or self._weights > MOST_WEIGHTS):
            del self._pool[others.pop(0)]

    def _make_room(self, key: Key, device: str) -> bool:
        """Unload the other models in a device's memory; returns whether there were any.

        If the model's own finder is among them, it is not loaded again.
        """
        kind = device.split(":")[0]
        entry = self._pool.get(key)
        others = [
            other
            for other, one in self._pool.items()
            if other != key and one.model.device.device.split(":")[0] == kind
        ]
        for other in others:
            del self._pool[other]
            if entry is not None and other.folder == entry.card.finder and not entry.without_finder:
                self._drop_finder(entry, device)
        if others:
            release()
        return bool(others)

    @property
    def _weights(self) -> int:
        return sum(entry.card.parameters for entry in self._pool.values())


def _adjusted(model: ReadyModel, adjustment: Adjustment | None) -> ReadyModel:
    """Return a model with its calibration adjusted, if there is an adjustment."""
    if adjustment is None:
        return model
    calibration = model.card.calibration.adjusted(adjustment)
    return replace(model, card=replace(model.card, calibration=calibration))


def shorter(window: int, length: int) -> int:
    """Halve a window of `window` tokens until it is shorter than an input of `length` tokens that did not fit.

    `length` is 0 if unknown. Returns 0 if the window would have fewer than `LEAST_WINDOW` tokens.
    """
    while window > LEAST_WINDOW:
        window = max(LEAST_WINDOW, window // 2)
        if not length or window < length:
            return window
    return 0


def _cpu_precision(precision: str) -> str:
    """Return the chosen precision, or `auto` if the CPU does not compute in it."""
    try:
        devices.cpu("", precision)
    except SpanlightError:
        return "auto"
    return precision
