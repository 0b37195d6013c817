"""What the section on this computer says: devices, precisions, memory."""

from __future__ import annotations

import re

from app.core import wording
from app.core.devices import PRECISIONS, DeviceOption, Devices, HeldModel, MemoryUse
from app.core.models import DeviceChoice
from app.settings.settings import Settings
from app.ui.kit.facts import Fact
from app.ui.models.device_rows import DeviceRow
from app.ui.models.words import does

PRECISION_TITLES = (
    ("auto", "Automatic"), ("float32", "32 bits"), ("bfloat16", "16 bits, bfloat16"), ("float16", "16 bits, float16"),
)  # fmt: skip
TERMS = {"float32": "32 bits", "bfloat16": "16 bits (bfloat16)", "float16": "16 bits (float16)"}
_ABOUT = {
    "float32": "Every number as exact as the model computes it.",
    "bfloat16": "Half the memory. Numbers are rounded more coarsely: probabilities may differ a little.",
    "float16": "Half the memory. Numbers are rounded, and very large ones do not fit: a few models fail with it.",
}
MINUTES = (0, 5, 15, 60)
BUSY = "After the work that runs now."
LOOKING = "Looking at what this computer has…"


def device_rows(devices: Devices, settings: Settings) -> tuple[DeviceRow, ...]:
    """`auto` first, then every device; at the end the one that was chosen where it is not here any more."""
    rows = [DeviceRow("auto", "Automatic", plain(_auto_words(devices)), tip=devices.auto.reason)]
    rows += [
        DeviceRow(
            one.key, _title(one), plain(_sentence(one.reason)), _memory_words(one), one.usable, one.reason
        )
        for one in devices.options
    ]
    chosen = device_key(settings)
    if chosen not in {row.key for row in rows}:
        rows.append(
            DeviceRow(chosen, chosen, "It was chosen, and is not here. Choose another one.", usable=False)
        )
    return tuple(rows)


def device_key(settings: Settings) -> str:
    """The device that was chosen, as devices are listed: "cuda" is the first GPU."""
    return "cuda:0" if settings.device == "cuda" else settings.device


def precisions(devices: Devices, settings: Settings) -> tuple[str, ...]:
    """The dtypes that can be chosen, what `auto` takes first."""
    key = device_key(settings)
    options = [one for one in devices.options if one.usable and key in ("auto", one.key)]
    found = dict.fromkeys(dtype for one in options for dtype in one.precisions if dtype in PRECISIONS)
    if key == "auto":
        found = dict.fromkeys((devices.auto.dtype, *found))
    return tuple(found) or ("float32",)


def precision_words(devices: Devices, settings: Settings) -> str:
    """What the precision that was chosen means here."""
    takes = precisions(devices, settings)
    if settings.precision == "auto":
        return f"Automatic takes {TERMS.get(takes[0], takes[0])} here. {_ABOUT.get(takes[0], '')}".strip()
    if settings.precision not in takes:
        chosen = TERMS.get(settings.precision, settings.precision)
        return f"What was chosen to run models does not compute in {chosen}. Choose another one."
    return _ABOUT.get(settings.precision, "")


def memory_words(use: MemoryUse) -> str:
    """The memory of the process and of the computer."""
    own = f"The model process takes {wording.size(use.process)}." if use.process else "No model process runs."
    if not use.computer:
        return own
    return f"{own} {wording.size(use.free)} of the computer's {wording.size(use.computer)} are free."


def gpu_words(use: MemoryUse) -> str:
    """The memory of the GPU in use, empty without one."""
    return f"{wording.size(use.gpu_free)} of the GPU's {wording.size(use.gpu)} are free." if use.gpu else ""


def held_facts(use: MemoryUse) -> tuple[Fact, ...]:
    """Every model in memory: what it does there, where, and how large it is."""
    return tuple(Fact(model.name, _held_words(model)) for model in use.held)


def held_size(use: MemoryUse, *, gpu: bool) -> int:
    """The bytes of the models that lie on a GPU, or in the computer's own memory."""
    return sum(model.size for model in use.held if model.device.startswith("cuda") == gpu)


def plain(reason: str) -> str:
    """A reason without the names of dtypes and of a processor's instructions."""
    reason = re.sub(r" with (?:AMX|(?:AVX512-)?[BF][FP]16)\b", "", reason)
    return re.sub(r"\b(b?float(?:16|32))\b", lambda found: TERMS[found[1]].partition(" (")[0], reason)


def minutes_words(minutes: int) -> str:
    """A time without work after which models are put away."""
    return wording.count(minutes, "minute") if minutes else "Never"


def _auto_words(devices: Devices) -> str:
    auto = devices.auto
    reason = f": {auto.reason.strip()}" if auto.reason.strip() else ""
    return f"Takes the {auto.title} now{reason}".rstrip(".") + "."


def _title(one: DeviceOption) -> str:
    kind = DeviceChoice(one.key, "", "").title
    return one.title if one.title.startswith(kind) else f"{kind}: {one.title}"


def _memory_words(one: DeviceOption) -> str:
    if not one.memory:
        return ""
    whole = wording.size(one.memory)
    return f"{wording.size(one.free)} of {whole} free" if one.free else whole


def _held_words(model: HeldModel) -> str:
    where = DeviceChoice(model.device, model.dtype, "").title
    parts = [
        does((model.head,)),
        where,
        TERMS.get(model.dtype, model.dtype),
        wording.size(model.size),
    ]
    return " · ".join([*parts, *(["for Look inside"] if model.opened else [])])


def _sentence(words: str) -> str:
    words = words.strip()
    if not words:
        return ""
    return words[0].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")
