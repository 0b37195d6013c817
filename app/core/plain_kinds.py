"""The names of files that are plain text: prose, and source code, logs and data, which are set in equal letters."""

from __future__ import annotations

from pathlib import PurePath

PROSE = tuple("txt text rst adoc org srt vtt".split())
LOGS = ("log",)
# What people write for machines, and what these write for people.
CODE = tuple(
    "py pyi c h cc cpp cxx hh hpp cs java kt kts scala groovy gradle go rs swift m mm zig js mjs cjs jsx ts tsx "
    "vue svelte css scss sass less php rb pl pm lua r jl hs ml mli fs ex exs erl clj lisp el scm vb pas f90 f95 "
    "asm sql sh bash zsh fish ps1 psm1 bat cmd tcl proto graphql cmake mk tf nix json jsonl geojson yaml yml toml "
    "ini cfg conf properties env xml xsd xsl xslt rss atom tex sty bib diff patch".split()
)
_NAMES = frozenset("makefile dockerfile rakefile gemfile jenkinsfile cmakelists.txt".split())


def is_code(name: str) -> bool:
    """Whether a file is source code or data by its name: its blanks and tabs indent, and separate no cells."""
    path = PurePath(name.lower())
    return path.suffix[1:] in CODE or path.name in _NAMES


def has_equal_letters(name: str) -> bool:
    """Whether a file is shown in a monospaced face: code, data and logs, by its name."""
    return is_code(name) or PurePath(name.lower()).suffix[1:] in LOGS
