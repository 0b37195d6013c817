"""The plan of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass

# Environment variables that limit oneDNN, ATen and MKL to the instructions of a lesser processor.
INSTRUCTIONS: dict[str, dict[str, str]] = {
    "avx2": {
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
}

# The options that each part takes beside `model`, `device` and `isa`, which all take: fields of a plan, and
# `precision`, which is the workspace's setting and reaches only the model process of this program.
PART_OPTIONS: dict[str, tuple[str, ...]] = {
    "reading": ("data", "words", "questions", "repeats", "seed", "against", "precision"),
    "anytime": ("data", "words", "questions", "seed", "against", "precision"),
    "memory": ("data", "words", "repeats", "seed", "against", "precision"),
    "library": ("data", "words", "questions", "seed", "precision", "vectors"),
    "start": ("repeats", "against"),
    "bundle": ("repeats", "bundle"),
    "window": ("data", "words", "seed"),
    "teach": ("data", "questions", "repeats", "examples"),
    "training": ("data", "questions", "repeats", "seed", "against"),
    "recognition": ("data", "questions", "repeats"),
    "cluster": ("questions", "repeats"),
}


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """The parts to measure, and their options.

    `model` is a name or a folder, `device` one of core.requests.ModelChoice's; empty for those of the settings. `data`
    is a folder with question files, empty for the bundled texts. `words`, `questions` and `repeats` are 0 for each
    part's own defaults. `against` is the path of a Python with transformers, whose pipeline is measured in turn; empty
    for none. `isa` is one of INSTRUCTIONS, empty for all that the processor has; its environment variables are set
    before a part begins, so that every process that it starts has them. `bundle` is the path of a bundle's program, to
    compare with this Spanlight. `vectors` is whether a library's passages are embedded too. `examples` is the number of
    examples of each label to teach, 0 for several numbers.
    """

    parts: tuple[str, ...]
    model: str = ""
    device: str = ""
    data: str = ""
    words: int = 0
    questions: int = 0
    seed: int = 13
    against: str = ""
    repeats: int = 0
    isa: str = ""
    bundle: str = ""
    vectors: bool = False
    examples: int = 0
