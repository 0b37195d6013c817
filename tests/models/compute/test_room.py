"""Batches that fit are computed in order, and the size that fits is remembered."""

from __future__ import annotations

import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import DeviceLost
from app.models.compute.faults import (
    OutOfMemory,
    device_lost,
    exhausted_device,
    is_device_lost,
    is_out_of_memory,
    out_of_memory,
    ran_out,
    short_reason,
)
from app.models.compute.forward import Room


class Memory:
    """Computes slices of at most `tokens` tokens."""

    def __init__(self, tokens: int, length: int) -> None:
        self.tokens, self.length = tokens, length
        self.tried: list[int] = []

    def __call__(self, some: slice) -> list[int]:
        self.tried.append(some.stop - some.start)
        if (some.stop - some.start) * self.length > self.tokens:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return list(range(some.start, some.stop))


@given(st.integers(0, 70), st.integers(1, 512), st.integers(1, 4000))
def test_batches_cover_all_inputs_in_order_and_the_next_one_fits(
    count: int, length: int, tokens: int
) -> None:
    room, memory, said = Room("cuda:0"), Memory(tokens, length), []
    room.notify = said.append
    if count and length > tokens:
        with pytest.raises(OutOfMemory) as caught:
            room.in_batches(count, length, memory)
        assert (caught.value.length, caught.value.device) == (length, "cuda:0")
        return
    assert [row for piece in room.in_batches(count, length, memory) for row in piece] == list(range(count))
    failed = any(rows * length > tokens for rows in memory.tried)
    assert said == ["The GPU's memory ran out: less is read at a time."] * failed
    memory.tried.clear()
    room.in_batches(count, length, memory)
    assert all(rows * length <= tokens for rows in memory.tried)
    assert len(said) == failed


def test_shorter_inputs_may_be_more_at_once() -> None:
    room = Room("cuda:0")
    room.in_batches(32, 384, Memory(8 * 384, 384))
    assert room.rows(384, 32) == 8
    assert room.rows(96, 64) == 32
    assert room.rows(4000, 5) == 1


def test_other_errors_are_not_caught() -> None:
    def fail(_: slice) -> None:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="mat1"):
        Room("cpu").in_batches(4, 8, fail)


@pytest.mark.parametrize(
    ("error", "device"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 MiB."), "cuda"),
        (torch.OutOfMemoryError("HIP out of memory."), "cuda"),
        (RuntimeError("CUDA error: out of memory"), "cuda"),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), "cuda"),
        (RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"), "mps"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), "cpu"),
        (RuntimeError("could not create a primitive"), "cpu"),
        (RuntimeError("std::bad_alloc"), "cpu"),
        (MemoryError(), "cpu"),
    ],
)
def test_out_of_memory_errors_are_recognized(error: BaseException, device: str) -> None:
    assert is_out_of_memory(error)
    assert not is_device_lost(error)
    assert exhausted_device(error) == device


@pytest.mark.parametrize(
    "said",
    [
        "CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported",
        "CUDA error: unspecified launch failure",
        "CUDA error: an illegal memory access was encountered",
        "CUDA error: uncorrectable ECC error encountered",
        "CUDA error: the launch timed out and was terminated",
        "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm`",
        "HIP error: unspecified launch failure",
    ],
)
def test_errors_of_a_lost_gpu_are_recognized(said: str) -> None:
    error = RuntimeError(said)
    assert is_device_lost(error)
    assert not is_out_of_memory(error)
    fault = device_lost(error)
    assert isinstance(fault, DeviceLost)
    assert fault.message == f"The GPU broke down: {said.splitlines()[0]}."
    assert fault.hint


def test_faults_are_pickled_whole() -> None:
    fault = pickle.loads(pickle.dumps(out_of_memory("cuda:1", 384)))
    assert isinstance(fault, OutOfMemory)
    assert (fault.device, fault.length, fault.message) == ("cuda:1", 384, out_of_memory("cuda").message)


@pytest.mark.parametrize(
    ("device", "said"),
    [("cuda:0", "The GPU's"), ("mps", "The Apple GPU's"), ("cpu", "This computer's")],
)
def test_whose_memory_ran_out(device: str, said: str) -> None:
    assert ran_out(device) == f"{said} memory ran out"


def test_short_reasons() -> None:
    assert short_reason(out_of_memory("cuda:0")) == "the GPU has too little free memory for the model"
    assert short_reason(device_lost(RuntimeError("it is lost"))) == "the GPU broke down: it is lost"
    assert short_reason(DeviceLost("Broken.")) == "the GPU broke down"
