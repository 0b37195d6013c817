"""The plan of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass

# Environment variables that simulate a lesser processor: the most that oneDNN, ATen and MKL may use.
INSTRUCTIONS: dict[str, dict[str, str]] = {
    "avx2": {
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
}

# The fields of a plan that each part uses besides `model`, `device` and `isa`, which all use; `precision` is the
# workspace's setting, which only the model process of this program has.
HEEDED: dict[str, tuple[str, ...]] = {
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

    `model` is a name or a folder, `device` one of core.requests.ModelChoice's; empty for those of the settings.
    `data` is a folder with question files, empty for the bundled texts. `words`, `questions` and `repeats`
    are 0 for each part's own defaults. `against` is the path of a Python with transformers' pipeline to measure in
    turn with, empty for none. `isa` is one of INSTRUCTIONS, empty for all that the processor has; its environment
    variables are set before a part begins, so that every process it starts has them. `bundle` is the path of the
    program of a bundle, to compare with this Spanlight. `vectors` is whether a library's passages get vectors as well.
    `examples` is how many of each label are learnt from, 0 for several numbers.
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
