"""Interpreters that pretend to be another Python: they take `-I SCRIPT ...` and do something else."""

from __future__ import annotations

import sys
from pathlib import Path

# Answers as the reference does: 0.25 s for a load, 2 ms for each word read, a window for each 100 words begun.
REFERENCE = """
import json
for line in sys.stdin:
    order = json.loads(line)
    if order["do"] == "load":
        told = {"transformers": "4.57.6", "torch": "2.0", "dtype": "float32", "device": order["device"],
                "threads": 1, "seconds": 0.25}
    else:
        words = sum(len(context.split()) for _, context in order["pairs"])
        windows = sum(-(-len(context.split()) // 100) for _, context in order["pairs"])
        answers = []
        for question, context in order["pairs"]:
            word = question.rstrip("?").split()[-1]
            start = max(0, context.find(word))
            answers.append([{"start": start, "end": start + len(word), "text": word, "score": 0.5}])
        told = {"seconds": words * 0.002, "windows": windows, "peak": 4 * 10**9, "answers": answers}
        if order["do"] == "watch":  # half of it for products, a quarter each for attention and for choosing
            seconds = told["seconds"]
            operations = {"aten::addmm": seconds / 2, "aten::bmm": seconds / 4, "ProfilerStep": 9.0}
            told |= {"preparing": 0.0, "choosing": seconds / 4, "operations": operations}
    print(json.dumps(told), flush=True)
"""


def fake_python(folder: Path, body: str = REFERENCE, name: str = "python") -> str:
    """The path of an executable that runs `body`, with sys imported, whatever script it is given."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)
