"""The reference in a process of its own: `pipeline("question-answering")` of transformers 4.57.6.

Run by its path in an interpreter with torch and transformers; imports nothing else but the standard library. Each line
of standard input is an order, a JSON object, which is answered with one line on standard output; ends with its input.

    {"do": "load", "model": folder, "device": "cpu"}    transformers, torch, dtype, device, threads, seconds
    {"do": "read", "pairs": [[question, context], ...], "length": 384, "stride": 128, "most": 15}
                                                        seconds, windows, peak (bytes), answers (a list for each pair)
    {"do": "watch", and what "read" takes}              the same, and operations: seconds by PyTorch's names of them;
                                                        preparing and choosing: seconds before and after the model

An answer is {"start", "end", "text", "score"}; with its defaults the pipeline always gives one.
Errors are answered with {"error": sentence}.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any


class Reference:
    """The pipeline, once it is loaded, and the number of windows that it has read."""

    def __init__(self) -> None:
        self._pipeline: Any = None
        self._windows = 0

    def load(self, order: dict[str, Any]) -> dict[str, Any]:
        """Import the libraries and load the model; on the CPU in float32, which is faster there than other dtypes."""
        began = time.perf_counter()
        import torch
        import transformers

        transformers.logging.set_verbosity_error()
        on_cpu = order["device"] == "cpu"
        self._pipeline = transformers.pipeline(
            "question-answering",
            model=order["model"],
            tokenizer=order["model"],
            device=torch.device(order["device"]),
            torch_dtype=torch.float32 if on_cpu else "auto",
        )
        self._pipeline.model.register_forward_hook(self._count)
        return {
            "transformers": transformers.__version__,
            "torch": torch.__version__,
            "dtype": str(self._pipeline.model.dtype).removeprefix("torch."),
            "device": str(self._pipeline.device),
            "threads": torch.get_num_threads(),
            "seconds": time.perf_counter() - began,
        }

    def read(self, order: dict[str, Any]) -> dict[str, Any]:
        """Ask all pairs, one after another as is the pipeline's default."""
        questions = [question for question, _ in order["pairs"]]
        contexts = [context for _, context in order["pairs"]]
        self._windows = 0
        began = time.perf_counter()
        found = self._pipeline(
            question=questions,
            context=contexts,
            max_seq_len=order["length"],
            doc_stride=order["stride"],
            max_answer_len=order["most"],
        )
        seconds = time.perf_counter() - began
        each = found if len(questions) > 1 else [found]
        return {
            "seconds": seconds,
            "windows": self._windows,
            "peak": peak(),
            "answers": [_answers(one) for one in each],
        }

    def watch(self, order: dict[str, Any]) -> dict[str, Any]:
        """Read as `read` does, with the times by phase; the profiler takes some time itself."""
        from torch.profiler import ProfilerActivity, profile

        pipeline = self._pipeline
        prepare, choose = pipeline.preprocess, pipeline.postprocess
        spent = {"preparing": 0.0, "choosing": 0.0}

        def preparing(*given: Any, **named: Any) -> Any:
            features = prepare(*given, **named)
            while True:
                began = time.perf_counter()
                try:
                    one = next(features)
                except StopIteration:
                    return
                finally:
                    spent["preparing"] += time.perf_counter() - began
                yield one

        def choosing(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return choose(*given, **named)
            finally:
                spent["choosing"] += time.perf_counter() - began

        pipeline.preprocess, pipeline.postprocess = preparing, choosing
        try:
            with profile(activities=[ProfilerActivity.CPU]) as seen:
                result = self.read(order)
        finally:
            pipeline.preprocess, pipeline.postprocess = prepare, choose
        operations = {one.key: one.self_cpu_time_total / 1e6 for one in seen.key_averages()}
        return {**result, **spent, "operations": operations}

    def _count(self, model: Any, inputs: Any, output: Any) -> None:
        self._windows += len(output["start_logits"])


def _answers(found: Any) -> list[dict[str, Any]]:
    listed = found if isinstance(found, list) else [found]
    return [
        {"start": one["start"], "end": one["end"], "text": one["answer"], "score": float(one["score"])}
        for one in listed
    ]


def peak() -> int:
    """Return this process's peak memory in bytes; 0 if unknown."""
    try:
        # getrusage may report the process that started this one.
        with Path("/proc/self/status").open() as file:
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0


def _error_sentence(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} is not installed in {sys.executable}."
    if isinstance(error, KeyError) and "question-answering" in str(error):
        return "That transformers has no pipeline for question answering."
    words = (str(error).strip().splitlines() or [""])[0][:200].rstrip(".")
    return f"{type(error).__name__}: {words}."


def main() -> None:
    """Answer orders until the input ends, even in the middle of one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process gets Ctrl+C too, and ends this one
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the libraries' output must not mix with answers
    orders: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        for line in sys.stdin:
            orders.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    reference = Reference()
    while True:
        order = json.loads(orders.get())
        try:
            result = getattr(reference, order["do"])(order)
        except Exception as error:
            result = {"error": _error_sentence(error)}
        answers.write(json.dumps(result) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
