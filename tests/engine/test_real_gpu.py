"""With the memory of a real GPU filled, the question is answered and every step is announced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice, Question
from app.core.text import Document
from app.engine.orders import GetMemory, ListDevices, Load, Run, Unload
from app.engine.process import Host
from app.models.compute.memory import release
from tests.helpers.fake_models import Noted
from tests.helpers.small_models import small_checkpoint

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

TEXT = " ".join(f"The queen made {n} tarts, and the knave of hearts stole them." for n in range(400))
QUESTION = Question("Who stole the tarts?", (Document(TEXT),), threshold=0.0, in_order=True)
STEPS = re.compile(
    r"(The GPU|This computer)'s memory ran out: (less is read at a time"
    r"|the text is read in shorter windows of \d+ tokens|the model now runs on the CPU)\."
)
_MEGABYTE = 2**20


class Filled:
    """Takes all of the GPU's memory except some megabytes within its context."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._taken: list[torch.Tensor] = []

    def __enter__(self) -> None:
        spared = [torch.empty(_MEGABYTE, dtype=torch.uint8, device="cuda") for _ in range(self._left)]
        size = torch.cuda.mem_get_info()[1]
        while size >= _MEGABYTE:
            try:
                self._taken.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
            except torch.OutOfMemoryError:
                size //= 2
        del spared
        release()

    def __exit__(self, *_: object) -> None:
        self._taken.clear()
        release()


@pytest.fixture
def host() -> Iterator[Host]:
    torch.ones(8, 8, device="cuda") @ torch.ones(8, 8, device="cuda")  # what the driver itself takes
    host = Host()
    yield host
    host(Unload(), Silent())


@pytest.mark.parametrize("device", ["auto", "cuda"])
@pytest.mark.parametrize("left", [0, 2, 8, 32, 128])
def test_a_full_gpu_gives_way_step_by_step(host: Host, tmp_path: Path, left: int, device: str) -> None:
    folder = str(small_checkpoint(tmp_path / "reader"))
    expected = Host()(Run(QUESTION, ModelChoice(folder, "cpu", "float32")), Silent())
    report = Noted()
    with Filled(left):
        reading = host(Run(QUESTION, ModelChoice(folder, device, "float32")), report)
        again = Noted()
        assert host(Run(QUESTION, ModelChoice(folder, device, "float32")), again).complete
    assert all(STEPS.fullmatch(sentence) for sentence in report.notices), report.notices
    assert len(report.notices) == len(set(report.notices))
    assert reading.complete
    assert (reading.device == "CPU") == any("CPU" in sentence for sentence in report.notices)
    if left == 0:
        assert reading.device == "CPU"
    if reading.device == "CPU" or not any("windows" in sentence for sentence in report.notices):
        assert reading.best is not None
        assert expected.best is not None
        assert reading.best.span == expected.best.span
        assert reading.best.probability == pytest.approx(expected.best.probability, abs=1e-3)


def test_memory_is_told_and_comes_back(host: Host, tmp_path: Path) -> None:
    folder = str(small_checkpoint(tmp_path / "reader"))
    loaded = host(Load(ModelChoice(folder, "cuda"), Head.QUESTION_ANSWERING), Silent())
    assert loaded.device.device == "cuda:0"
    use = host(GetMemory(), Silent())
    assert 0 < use.gpu_free < use.gpu
    assert use.held[0].device == "cuda:0"
    assert torch.cuda.memory_allocated() >= use.held[0].size
    before = torch.cuda.memory_allocated()
    host(Unload(), Silent())
    assert torch.cuda.memory_allocated() <= before - use.held[0].size


def test_the_gpu_is_listed_with_its_memory(host: Host) -> None:
    found = host(ListDevices(), Silent())
    assert found.auto.device.startswith("cuda:")
    option = next(one for one in found.options if one.key == found.auto.device)
    assert option.usable
    assert 0 < option.free <= option.memory
    assert found.auto.dtype == option.precisions[0]
