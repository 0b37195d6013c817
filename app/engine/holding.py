"""The models that the process holds, and the steps down when memory runs out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.devices import HeldModel
from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head, ModelCard
from app.core.report import Progress, Report
from app.core.requests import ModelChoice
from app.models.compute import device as devices
from app.models.compute.faults import OutOfMemory, ran_out, short_reason
from app.models.compute.forward import Forward
from app.models.compute.loader import Loaded, load
from app.models.compute.memory import release
from app.models.compute.precise import Precise
from app.models.disk.card import read_card
from app.models.disk.installed import Signature, signature
from app.tasks.task import ReadyModel
from app.tasks.text.text_cache import TextCache

# A page each and some opened ones, while they are small: three of BERT base's size (110 million weights).
MOST_HELD, MOST_WEIGHTS = 8, 400_000_000
# Windows are not made shorter than this: a question may take a quarter of one, and its special tokens some more.
LEAST_WINDOW = 64


@dataclass(frozen=True, slots=True)
class Key:
    """What a held model was asked for as."""

    folder: str
    head: Head
    device: str
    precision: str
    opened: bool


@dataclass(slots=True)
class Held:
    """A model in memory: its files as they were, its card as they tell it, and itself.

    What was learnt of the memory it runs in stays with it: `model` is on the device that had room for it, and its own
    card has the windows that fitted. `size` is the bytes of its weights. `precise` is the forward pass in float32 of a
    model in less. `alone` tells that memory had no room for its finder beside it.
    """

    signature: Signature
    card: ModelCard
    model: ReadyModel
    size: int = 0
    precise: Precise | None = None
    alone: bool = False

    @property
    def bytes(self) -> int:
        """What its weights take in memory, those in float32 included."""
        return self.size + (self.precise.size if self.precise is not None else 0)

    def make_lighter(self, device: str) -> bool:
        """Let go, for good, of the weights in float32 where they take a device's memory; whether they did."""
        here = self.model.device.device.split(":")[0] == device.split(":")[0]
        if not here or self.precise is None or not self.precise.size:
            return False
        self.precise.close()
        self.precise, self.model = None, replace(self.model, precise=None)
        return True


class Holding:
    """Loads models, keeps the last few, and finds a smaller way for one whose memory ran out.

    `report` gives the Report of the order under way.
    """

    def __init__(self, report: Callable[[], Report]) -> None:
        self._report = report
        self._held: OrderedDict[Key, Held] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def held(self) -> tuple[HeldModel, ...]:
        """All models held, the one used last at the end."""
        return tuple(
            HeldModel(
                one.card.name,
                key.head,
                one.model.device.device,
                one.model.device.dtype,
                one.bytes,
                key.opened,
            )
            for key, one in self._held.items()
        )

    def clear(self) -> None:
        """Let go of all models, and give their memory back."""
        self._held.clear()
        release()

    def __getitem__(self, key: Key) -> Held:
        return self._held[key]

    def reader(self, key: Key, avoid: str) -> ReadyModel:
        """The held model; one that answers questions can load the quicker reader that is its finder, if any."""
        held = self._held[key]
        if not held.card.finder or held.alone or key.opened or key.head is not Head.QUESTION_ANSWERING:
            return held.model
        return replace(held.model, finder=lambda: self._finder(key, held, avoid))

    def _finder(self, key: Key, held: Held, avoid: str) -> ReadyModel | None:
        """The finder of a held model; without it that one reads slower, and as well."""
        choice = ModelChoice(held.card.finder, key.device, key.precision)
        try:
            finder = self._held[self.ready(choice, key.head, avoid, beside=key)].model
        except OutOfMemory as fault:
            self._leave_alone(held, fault.device)
            return None
        except SpanlightError:
            return None
        self._held.setdefault(key, held)
        self._held.move_to_end(key)
        return finder

    def _leave_alone(self, held: Held, device: str) -> None:
        """Have a held model read without its finder from now on, and say so."""
        held.alone = True
        self._report().notice(f"{ran_out(device)}: long texts are read by {held.card.name} alone.")

    def ready(
        self, choice: ModelChoice, head: Head, avoid: str, opened: bool = False, beside: Key | None = None
    ) -> Key:
        """Have a model loaded, unless it is held and its files have not changed since; what it is held as.

        `avoid` is why no GPU is to be used, empty where one may. The model held as `beside` makes no room for this one,
        which goes where that one is. Raises SpanlightError where it cannot be loaded.
        """
        key = Key(choice.folder, head, choice.device, choice.precision, opened)
        now = signature(Path(choice.folder))
        held = self._held.get(key)
        if held is not None and held.signature == now:
            self._held.move_to_end(key)
            return key
        del held
        self._held.pop(key, None)
        card = read_card(choice.folder)
        card = replace(card, finder=card.finder or choice.finder)
        self._report().check()
        if beside is not None:
            device = self._held[beside].model.device
        elif avoid and choice.device != "cpu":
            device = devices.cpu(avoid, _possible(choice.precision))
        else:
            device = devices.choose(choice.device, choice.precision)
        if not self._take_over(key, now, device):
            self._report().progress(Progress(0, 0, f"Loading {card.name}"))
            self._load(key, now, card, device, beside)
            self._report().check()
        return key

    def step_down(self, key: Key, fault: OutOfMemory) -> None:
        """Have a held model ready in a way that needs less memory; the person is told of it.

        First its weights in float32 go and other models make room, then windows are halved, then the CPU takes the
        whole windows; raises the fault where nothing is left to try. What was kept of texts goes whenever it was the
        CPU's.
        """
        held = self._held[key]
        if fault.device == "cpu":
            self._forget_texts()
        lighter = held.make_lighter(fault.device)
        release()
        self._report().check()
        if lighter or self._make_room(key, fault.device):
            return
        card = held.model.card
        window = shorter(card.window, fault.length)
        if window:
            self._report().notice(
                f"{ran_out(fault.device)}: the text is read in shorter windows of {window} tokens."
            )
            stride = max(1, card.stride * window // card.window)
            card = replace(card, window=window, stride=stride, max_length=min(card.max_length, window))
            held.model = replace(held.model, card=card)
            return
        if held.model.device.device == "cpu" or fault.device == "cpu":
            raise fault
        now, whole = held.signature, held.card
        del held, self._held[key]  # its weights must go before they come to the CPU
        self._load_on_the_cpu(key, now, whole, fault)

    def _take_over(self, key: Key, now: Signature, device: DeviceChoice) -> bool:
        """Hold under this key what was asked for otherwise and is the very same; whether there was any.

        What "auto" took and what was chosen by hand may be one device and one dtype: one copy does for both.
        """
        what = (key.folder, key.head, key.opened, device.device, device.dtype)
        for other, one in self._held.items():
            runs = one.model.device
            if (
                what == (other.folder, other.head, other.opened, runs.device, runs.dtype)
                and now == one.signature
            ):
                one.model = replace(one.model, device=device)
                self._held[key] = self._held.pop(other)
                return True
        return False

    def _load(
        self, key: Key, now: Signature, card: ModelCard, device: DeviceChoice, beside: Key | None = None
    ) -> None:
        """Load a model and hold it; where the GPU has no room for it, on the CPU, unless it is to be beside another."""
        fault = self._try(key, now, card, device)
        if fault is not None and self._make_room(beside or key, fault.device):
            fault = self._try(key, now, card, device)
        if fault is None:
            return
        if device.device == "cpu" or fault.device == "cpu" or beside is not None:
            raise fault
        self._load_on_the_cpu(key, now, card, fault)

    def _load_on_the_cpu(self, key: Key, now: Signature, card: ModelCard, fault: OutOfMemory) -> None:
        release()
        self._report().check()
        self._report().notice(f"{ran_out(fault.device)}: the model now runs on the CPU.")
        self._load(key, now, card, devices.cpu(short_reason(fault), _possible(key.precision)))

    def _try(self, key: Key, now: Signature, card: ModelCard, device: DeviceChoice) -> OutOfMemory | None:
        """Load a model and hold it; what is to be told where the memory does not suffice."""
        try:
            loaded = load(card, key.head, device, lambda: self._report().check(), opened=key.opened)
        except OutOfMemory as error:
            # Its traceback holds the weights that were loaded so far.
            fault = error.with_traceback(None)
            fault.__cause__ = fault.__context__ = None
        else:
            self._hold(key, now, card, loaded)
            return None
        release()
        return fault

    def _hold(self, key: Key, now: Signature, card: ModelCard, loaded: Loaded) -> None:
        size = 0
        if isinstance(loaded.forward, Forward):
            size = loaded.forward.size
            loaded.forward.room.notify = lambda sentence: self._report().notice(sentence)
        # What was read is kept for the next question, as long as the model is held.
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
        self._held[key] = Held(now, card, model, size, loaded.precise)
        while len(self._held) > 1 and (len(self._held) > MOST_HELD or self._weights > MOST_WEIGHTS):
            self._held.popitem(last=False)

    def _forget_texts(self) -> None:
        for one in self._held.values():
            if one.model.text_cache is not None:
                one.model.text_cache.clear()

    def _make_room(self, key: Key, device: str) -> bool:
        """Let go of the other models in a device's memory; whether there were any. A finder that goes stays away."""
        kind = device.split(":")[0]
        held = self._held.get(key)
        others = [
            other
            for other, one in self._held.items()
            if other != key and one.model.device.device.split(":")[0] == kind
        ]
        for other in others:
            del self._held[other]
            if held is not None and other.folder == held.card.finder and not held.alone:
                self._leave_alone(held, device)
        if others:
            release()
        return bool(others)

    @property
    def _weights(self) -> int:
        return sum(held.card.parameters for held in self._held.values())


def shorter(window: int, length: int) -> int:
    """The longest window, halved from one of `window` tokens, that is shorter than an input that did not fit.

    `length` counts that input's tokens, 0 where it is not known. 0 where no window of at least LEAST_WINDOW tokens is.
    """
    while window > LEAST_WINDOW:
        window = max(LEAST_WINDOW, window // 2)
        if not length or window < length:
            return window
    return 0


def _possible(precision: str) -> str:
    """The precision that was chosen, `auto` where the CPU does not compute in it."""
    try:
        devices.cpu("", precision)
    except SpanlightError:
        return "auto"
    return precision
