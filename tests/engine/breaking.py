"""A model process whose GPU breaks down at its first batch; imported in the child only."""

from __future__ import annotations

from app.engine.process import start
from app.engine.serve import Handler
from tests.helpers.fake_gpu import FakeGpu


def start_breaking() -> Handler:
    """Create the handler of the model process, with such a GPU."""
    host = start()
    FakeGpu(breaks="CUDA error: device-side assert triggered\nCompile with TORCH_USE_CUDA_DSA").install()
    return host
