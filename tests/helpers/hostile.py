"""Checkpoints made to harm or mislead: each a change to a whole one, and a part of the sentence that refuses it."""

from __future__ import annotations

import base64
import json
import os
import pickle
import shutil
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from tests.helpers.cards import Edit, config, rewrite, write_header

Cases = dict[str, tuple[Edit, str]]
INNER = "bert.encoder.layer.0.intermediate.dense.weight"
MARKER = "was-here"


class Opens:
    """What a pickle does on being read: it leaves a file in the folder above."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.path,)


def pickled(folder: Path, name: str) -> None:
    """Leave a pickle that writes `was-here` beside the folder when it is read."""
    (folder / name).write_bytes(pickle.dumps(Opens(folder.parent / MARKER)))


def weights(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the weights themselves, and write them as they should be written."""
    path = folder / "model.safetensors"
    held = load_file(path)
    change(held)
    save_file(held, path, {"format": "pt"})


def set_to(folder: Path, name: str, value: float) -> None:
    """Put one number into the middle of a weight."""

    def change(held: dict[str, Any]) -> None:
        held[name].reshape(-1)[held[name].size // 2] = value

    weights(folder, change)


def tokenizer(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "tokenizer.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    change(stored)
    path.write_text(json.dumps(stored), encoding="utf-8")


def instead(name: str, make: Callable[[Path], object]) -> Edit:
    """Put something else where a file stood."""

    def edit(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return edit


def pipe(path: Path) -> None:
    os.mkfifo(path)


def elsewhere(path: Path) -> None:
    """Link to a file of the person's own."""
    own = path.parent.parent / "own.txt"
    own.write_text("secret: 7")
    path.symlink_to(own)


def into_shards(folder: Path, shards: dict[str, str] | None = None, **index: Any) -> None:
    """Turn the one file into a part with an index; `shards` changes which file holds a weight by the index."""
    held = load_file(folder / "model.safetensors")
    names = dict.fromkeys(held, "model-00001-of-00001.safetensors") | (shards or {})
    (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
    said = {"weight_map": names} | index
    (folder / "model.safetensors.index.json").write_text(json.dumps(said))


def twice(folder: Path) -> None:
    into_shards(folder, {"qa_outputs.bias": "model-00002-of-00001.safetensors"})
    shutil.copy(folder / "model-00001-of-00001.safetensors", folder / "model-00002-of-00001.safetensors")


def beyond(name: str, value: Any) -> Edit:
    return lambda folder: config(folder, **{name: value})


def raw_config(content: bytes) -> Edit:
    return lambda folder: (folder / "config.json").write_bytes(content)


def with_normalizer(*steps: dict[str, Any]) -> Edit:
    return lambda f: tokenizer(
        f, lambda t: t.update(normalizer={"type": "Sequence", "normalizers": list(steps)})
    )


def replacing(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def charsmap(replacements: bytes) -> str:
    """A SentencePiece table of characters without an index, only with what stands for them."""
    return base64.b64encode(bytes(4) + replacements).decode("ascii")


def nested(depth: int) -> dict[str, Any]:
    """Steps within steps."""
    return {"type": "Sequence", "normalizers": [nested(depth - 1)] if depth else []}


PADDING = {
    "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0,
    "pad_token": "[PAD]",
}  # fmt: skip
TRUNCATION = {"direction": "Right", "max_length": 128, "strategy": "LongestFirst", "stride": 0}


def header_first(text: bytes) -> Edit:
    return lambda f: (f / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text)


# Config: code, other files, other kinds of model, values out of range.
CONFIGS: Cases = {
    "remote code": (beyond("auto_map", {"AutoModel": "evil.Model"}), "program code of its own"),
    "remote code of elsewhere": (beyond("auto_map", {"AutoModel": "other/repo--evil.Model"}), "program code"),
    "custom pipelines": (beyond("custom_pipelines", {"x": {"impl": "evil.P"}}), "program code of its own"),
    "trust asked for": (beyond("trust_remote_code", True), "program code of its own"),
    "attention from the Hub": (beyond("_attn_implementation_internal", "evil/kernel"), "what to load or run"),
    "attention by its other name": (beyond("_attn_implementation", "evil/kernel"), "what to load or run"),
    "attention in public": (beyond("attn_implementation", "evil/kernel"), "what to load or run"),
    "other weights": (beyond("transformers_weights", "../../other.bin"), "what to load or run"),
    "fused modules": (beyond("fusion_config", {"patch_embeddings": True}), "what to load or run"),
    "sizes by layer": (beyond("per_layer_config", {"0": {"hidden_size": 10**9}}), "what to load or run"),
    "quantised": (beyond("quantization_config", {"quant_method": "bitsandbytes"}), "is quantised"),
    "quantised by another name": (beyond("quant_method", "gptq"), "is quantised"),
    "compressed": (beyond("compression_config", {"format": "pack"}), "is quantised"),
    "an adapter": (beyond("adapter_config", {"r": 8}), "is an addition to another model"),
    "unknown settings": (beyond("vision_config", {"hidden_size": 10**9}), "settings that Spanlight does not know"),
    "heads cut away": (beyond("pruned_heads", {"0": [1]}), "settings that Spanlight does not know: pruned_heads"),
    "a decoder": (beyond("is_decoder", True), "from left to right only"),
    "relative positions": (beyond("position_embedding_type", "relative_key"), "tells positions apart"),
    "no such activation": (beyond("hidden_act", "__import__('os')"), "hidden_act is"),
    "an activation with weights": (beyond("hidden_act", "xielu"), "hidden_act is xielu"),
    "dropout beyond 1": (beyond("hidden_dropout_prob", 1.5), "hidden_dropout_prob is 1.5"),
    "a rate of 400 digits": (beyond("hidden_dropout_prob", 10**400), "hidden_dropout_prob is 1000"),
    "an epsilon of 400 digits": (beyond("layer_norm_eps", 10**400), "layer_norm_eps is 1000"),
    "half a character": (beyond("id2label", {"0": "\ud83d"}), "not well-formed JSON"),
    "half a character in bytes": (
        raw_config(b'{"model_type": "bert", "id2label": {"0": "\xed\xa0\x80"}}'), "not well-formed JSON"
    ),
    "values without number": (raw_config(b'{"a": [' + b"[]," * 5_000_000 + b"[]]}"), "larger than any model's"),
    "no epsilon": (beyond("layer_norm_eps", 0), "layer_norm_eps is 0"),
    "negative epsilon": (beyond("layer_norm_eps", -1e-12), "layer_norm_eps is -1e-12"),
    "infinite epsilon": (
        lambda f: (f / "config.json").write_text(
            (f / "config.json").read_text().replace('"layer_norm_eps": 1e-12', '"layer_norm_eps": 1e999')
        ),
        "layer_norm_eps is inf",
    ),
    "NaN": (
        lambda f: (f / "config.json").write_text(
            (f / "config.json").read_text().replace('"layer_norm_eps": 1e-12', '"layer_norm_eps": NaN')
        ),
        "not well-formed JSON",
    ),
    "a number of 5,000 digits": (raw_config(b'{"vocab_size": ' + b"9" * 5000 + b"}"), "not well-formed JSON"),
    "a number of 4,000 digits": (
        lambda f: (f / "config.json").write_text(
            (f / "config.json").read_text().replace('"vocab_size": ', '"vocab_size": ' + "9" * 4000)
        ),
        "vocab_size is 9999",
    ),
    "truth for a number": (beyond("num_hidden_layers", True), "num_hidden_layers is True"),
    "a fraction of a layer": (beyond("num_hidden_layers", 1.5), "num_hidden_layers is 1.5"),
    "a negative size": (beyond("hidden_size", -32), "hidden_size is -32"),
    "padding beyond the words": (beyond("pad_token_id", 10**6), "pad_token_id is 1000000"),
    "negative padding": (beyond("pad_token_id", -1), "pad_token_id is -1"),
    "keys twice": (raw_config(b'{"model_type": "bert", "model_type": "gpt2"}'), "not well-formed JSON"),
    "deep": (raw_config(b'{"a": ' * 50_000), "not well-formed JSON"),
    "not UTF-8": (raw_config(b'{"model_type": "bert\xff"}'), "not well-formed JSON"),
    "empty": (raw_config(b""), "not well-formed JSON"),
    "endless": (raw_config(b" " * (16 * 2**20 + 1)), "larger than any model's"),
    "a family that steers a terminal": (beyond("model_type", "\x1b[2J\nbert\u202e"), "of the family '?[2J?bert?'"),
    "a family of look-alikes": (beyond("model_type", "b\u0435rt"), "which Spanlight does not read"),
    "a config that is a pipe": (instead("config.json", pipe), "has no config.json"),
    "a config that is a device": (instead("config.json", lambda p: p.symlink_to("/dev/zero")), "has no config.json"),
    "a config that leads round": (instead("config.json", lambda p: p.symlink_to(p)), "has no config.json"),
    "a config that is somebody's file": (
        instead("config.json", elsewhere),
        "config.json is not",
    ),
}  # fmt: skip

# Weights: their file, its header, their shapes by the config, their numbers.
WEIGHTS: Cases = {
    "a pickle by its name": (
        lambda f: ((f / "model.safetensors").unlink(), pickled(f, "pytorch_model.bin")),
        "only as pytorch_model.bin, a format that can carry programs",
    ),
    "a pickle by another name": (
        lambda f: pickled(f, "model.safetensors"),
        "ends before its own header does",
    ),
    "a zip with a safe name": (
        lambda f: (f / "model.safetensors").write_bytes(b"PK\x03\x04" + b"\0" * 400),
        "model.safetensors",
    ),
    "a header longer than the file": (
        lambda f: write_header(f / "model.safetensors", {}, b"", length=2**40),
        "ends before its own header does",
    ),
    "a header beyond all sense": (
        lambda f: write_header(f / "model.safetensors", b"{}" + b" " * (17 * 2**20), b""),
        "which no model needs",
    ),
    "a header cut in two": (
        lambda f: write_header(f / "model.safetensors", {"a": {}}, b"", length=4),
        "not well-formed JSON",
    ),
    "a header of text": (header_first(b'{"__metadata__": {"format": 7}}'), "header that is malformed"),
    "a header not UTF-8": (header_first(b'{"\xff\xfe": 1}'), "not well-formed JSON"),
    "a deep header": (header_first(b'{"a":' * 40_000), "not well-formed JSON"),
    "cut off": (
        lambda f: os.truncate(f / "model.safetensors", (f / "model.safetensors").stat().st_size - 1),
        "is cut off: 1 byte is missing",
    ),
    "overlapping": (
        lambda f: rewrite(f, lambda h: h.update(more=dict(h["qa_outputs.bias"]))),
        "overlap or leave gaps",
    ),
    "a size that is negative": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.bias"].update(shape=[-2])),
        "describes qa_outputs.bias wrongly",
    ),
    "offsets that run backwards": (
        lambda f: rewrite(f, lambda h: h["qa_outputs.bias"].update(data_offsets=[8, 0])),
        "describes qa_outputs.bias wrongly",
    ),
    "more weights than a computer holds": (
        lambda f: sparse(f, 40 * 10**9),
        "more than Spanlight loads",
    ),
    "whole numbers": (
        lambda f: rewrite(f, lambda h: h[INNER].update(dtype="I32")),
        "in the format I32, as quantised models do",
    ),
    "eight bits": (
        lambda f: weights(f, lambda w: w.update({INNER: w[INNER].astype(np.int8)})),
        "in the format I8, as quantised models do",
    ),
    "float8": (
        lambda f: rewrite(f, lambda h: h[INNER].update(dtype="F8_E4M3", shape=[64, 128])),
        "in the format F8_E4M3, as quantised models do",
    ),
    "a layer turned round": (
        lambda f: rewrite(f, lambda h: h[INNER].update(shape=[32, 64])),
        f"holds in a wrong shape the weights {INNER}: 32 × 64 where its config says 64 × 32",
    ),
    "a layer without its bias": (
        lambda f: weights(f, lambda w: w.pop("bert.encoder.layer.1.attention.self.key.bias")),
        "lacks the weights bert.encoder.layer.1.attention.self.key.bias",
    ),
    "a config that asks for much memory": (
        beyond("intermediate_size", 65_536),
        "64 × 32 where its config says 65536 × 32",
    ),
    "layers that lie": (beyond("num_hidden_layers", 200), "holds 2 layers where its config names 200"),
    "a layer of another name": (
        lambda f: weights(f, lambda w: w.update({INNER.replace("layer.0", "layer.00"): w.pop(INNER).copy()})),
        "holds 3 layers where its config names 2",
    ),
    "a part of elsewhere": (
        lambda f: into_shards(f, {"qa_outputs.bias": "../../elsewhere.safetensors"}),
        "names a file outside the folder",
    ),
    "a part by its whole path": (
        lambda f: into_shards(f, {"qa_outputs.bias": "/etc/passwd"}),
        "names a file outside the folder",
    ),
    "a part of elsewhere on Windows": (
        lambda f: into_shards(f, {"qa_outputs.bias": "..\\other.safetensors"}),
        "names a file outside the folder",
    ),
    "a part that is a pickle": (
        lambda f: (into_shards(f, {"qa_outputs.bias": "pytorch_model.bin"}), pickled(f, "pytorch_model.bin")),
        "names a file outside the folder",
    ),
    "a part that is a number": (lambda f: into_shards(f, {"a": 7}), "names a file outside the folder"),  # type: ignore[dict-item]
    "a part with a NUL": (
        lambda f: into_shards(f, {"a": "a\0.safetensors"}),
        "names a file outside the folder",
    ),
    "parts without number": (
        lambda f: into_shards(f, {f"w{n}": f"part-{n}.safetensors" for n in range(200)}),
        "names 201 parts, which no model needs",
    ),
    "a part that is not there": (
        lambda f: into_shards(f, {"a": "model-00002-of-00002.safetensors"}),
        "lacks its part model-00002-of-00002.safetensors",
    ),
    "a part that is a pipe": (
        lambda f: (into_shards(f, {"a": "b.safetensors"}), pipe(f / "b.safetensors")),
        "lacks its part b.safetensors",
    ),
    "weights in two parts": (twice, "twice"),
    "an index that lies": (
        lambda f: into_shards(f, {"no.such.weight": "model-00001-of-00001.safetensors"}),
        "lacks the weights no.such.weight that its index names",
    ),
    "weights that are a pipe": (instead("model.safetensors", pipe), "has no model.safetensors"),
    "weights that are a folder": (instead("model.safetensors", Path.mkdir), "has no model.safetensors"),
    "weights that are a device": (
        instead("model.safetensors", lambda p: p.symlink_to("/dev/zero")),
        "has no model.safetensors",
    ),
}


def sparse(folder: Path, size: int) -> None:
    """Describe more weights than the file takes on the disk: it is one long hole."""
    path = folder / "model.safetensors"
    write_header(path, {"a": {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}}, b"")
    os.truncate(path, path.stat().st_size + size)


TOKENIZERS: Cases = {
    "a vocabulary beyond the weights": (
        lambda f: tokenizer(f, lambda t: t["model"]["vocab"].update(huge=10**6)),
        "knows 1,000,001 tokens, its weights only",
    ),
    "a vocabulary without end": (
        lambda f: tokenizer(f, lambda t: t["model"]["vocab"].update(huge=10**40)),
        "knows far more tokens",
    ),
    "an id below 0": (
        lambda f: tokenizer(f, lambda t: t["model"]["vocab"].update(low=-1)),
        "malformed vocabulary",
    ),
    "an id that is true": (
        lambda f: tokenizer(f, lambda t: t["model"]["vocab"].update(low=True)),
        "malformed vocabulary",
    ),
    "added tokens that are none": (
        lambda f: tokenizer(f, lambda t: t.update(added_tokens=[7])),
        "malformed vocabulary",
    ),
    "added tokens without number": (
        lambda f: tokenizer(
            f, lambda t: t.update(added_tokens=[{"id": 1, "content": f"t{n}"} for n in range(20_001)])
        ),
        "adds tokens that no model has",
    ),
    "an added token as long as a book": (
        lambda f: tokenizer(f, lambda t: t["added_tokens"][0].update(content="a" * 10**6)),
        "adds tokens that no model has",
    ),
    "an empty added token": (
        lambda f: tokenizer(f, lambda t: t["added_tokens"][0].update(content="")),
        "adds tokens that no model has",
    ),
    "texts without end": (with_normalizer(*[replacing("a", "aa")] * 40), "makes texts longer without end"),
    "steps without end": (with_normalizer(*[{"type": "Lowercase"}] * 200), "takes more steps than any model's"),
    "a pattern as long as a book": (
        with_normalizer(replacing("(a|b)*" * 1000, " ")),
        "has larger settings than any model's",
    ),
    "texts twice as long again and again": (with_normalizer(*[replacing("", "a")] * 40), "makes texts longer"),
    "texts between all letters": (with_normalizer(*[replacing("b*", "a")] * 40), "makes texts longer without end"),
    "bytes as letters as bytes": (with_normalizer(*[{"type": "ByteLevel"}] * 40), "makes texts longer without end"),
    "one letter for eighteen": (
        with_normalizer(*[replacing(" ", "\ufdfa"), {"type": "NFKD"}] * 20), "makes texts longer without end"
    ),
    "a book for a letter": (
        with_normalizer({"type": "Precompiled", "precompiled_charsmap": charsmap(b"a" * 10_000)}),
        "makes texts longer without end",
    ),
    "steps without a name": (
        with_normalizer(*[{"pattern": {"String": "a"}, "content": "aa"}] * 20), "has a step that is not known"
    ),
    "steps in steps": (
        lambda f: tokenizer(f, lambda t: t.update(normalizer=nested(100))), "takes more steps than any model's"
    ),
    "marks before all letters": (
        lambda f: tokenizer(f, lambda t: t.update(pre_tokenizer={"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        ] * 20})),
        "makes texts longer without end",
    ),
    "many tokens around every text": (
        lambda f: tokenizer(f, lambda t: t["post_processor"]["single"].extend(t["post_processor"]["single"][:1] * 99)),
        "makes texts longer without end",
    ),
    "tokens of many ids around every text": (
        lambda f: tokenizer(
            f, lambda t: t["post_processor"]["special_tokens"]["[CLS]"].update(ids=[0] * 99, tokens=["[PAD]"] * 99)
        ),
        "makes texts longer without end",
    ),
    "a template without end": (
        lambda f: tokenizer(
            f, lambda t: t["post_processor"].update(single=t["post_processor"]["single"][:1] * 100_000)
        ),
        "has larger settings than any model's",
    ),
    "texts filled up without end": (
        lambda f: tokenizer(f, lambda t: t.update(padding=PADDING | {"strategy": {"Fixed": 10**12}})),
        "has larger settings than any model's",
    ),
    "a word without end to fill up with": (
        lambda f: tokenizer(f, lambda t: t.update(padding=PADDING | {"pad_token": "a" * 10**6})),
        "has larger settings than any model's",
    ),
    "texts cut nowhere": (
        lambda f: tokenizer(f, lambda t: t.update(truncation=TRUNCATION | {"stride": 10**18})),
        "has larger settings than any model's",
    ),
    "texts cut before their beginning": (
        lambda f: tokenizer(f, lambda t: t.update(truncation=TRUNCATION | {"max_length": -1})),
        "has larger settings than any model's",
    ),
    "a mark as long as a book": (
        lambda f: tokenizer(f, lambda t: t["model"].update(continuing_subword_prefix="#" * 10**6)),
        "cuts words in a way that is not known",
    ),
    "a word as long as a book": (
        lambda f: tokenizer(f, lambda t: t["model"]["vocab"].update({"a" * 10**6: 7})), "has words that no model has"
    ),
    "added tokens that grow": (
        lambda f: (
            with_normalizer(replacing(" ", "a" * 1_000))(f),
            tokenizer(f, lambda t: t.update(
                added_tokens=[t["added_tokens"][0] | {"content": f"{n:0200}"} for n in range(1_000)]
            )),
        ),
        "adds tokens that no model has",
    ),
    "words as long as books": (
        lambda f: tokenizer(f, lambda t: t["model"].update(max_input_chars_per_word=10**12)),
        "cuts words in a way that is not known",
    ),
    "cut at random": (lambda f: tokenizer(f, lambda t: t["model"].update(dropout=0.5)), "cuts words at random"),
    "a kind that is not known": (
        lambda f: tokenizer(f, lambda t: t["model"].update(type="Program")),
        "cuts words in a way that is not known",
    ),
    "a vocabulary twice": (
        lambda f: (f / "tokenizer.json").write_text('{"model": {}, ' + (f / "tokenizer.json").read_text()[1:]),
        "tokenizer.json is not well-formed JSON",
    ),
    "a deep tokenizer": (
        lambda f: (f / "tokenizer.json").write_text('{"a":' * 50_000),
        "tokenizer.json is not well-formed JSON",
    ),
    "an empty tokenizer": (
        lambda f: (f / "tokenizer.json").write_bytes(b""),
        "tokenizer.json is not well-formed JSON",
    ),
    "a tokenizer that is a pipe": (instead("tokenizer.json", pipe), "has no tokenizer.json"),
    "a tokenizer that is a device": (
        instead("tokenizer.json", lambda p: p.symlink_to("/dev/zero")),
        "has no tokenizer.json",
    ),
    "lengths that are no JSON": (
        lambda f: (f / "tokenizer_config.json").write_text("{"),
        "tokenizer_config.json is not well-formed JSON",
    ),
}  # fmt: skip

# What only shows when the model is loaded and run.
RUN: Cases = {
    "a weight that is no number": (
        lambda f: set_to(f, INNER, float("nan")),
        f"The weights {INNER} of reader are not all finite numbers",
    ),
    "a weight that is infinite": (
        lambda f: set_to(f, INNER, float("inf")),
        f"The weights {INNER} of reader are not all finite numbers",
    ),
    "a bias that is minus infinity": (
        lambda f: set_to(f, "qa_outputs.bias", float("-inf")),
        "The weights qa_outputs.bias of reader are not all finite numbers",
    ),
    "weights of which the sum is nothing": (
        lambda f: weights(f, lambda w: w[INNER].__setitem__((0, slice(0, 2)), [np.inf, -np.inf])),
        "are not all finite numbers",
    ),
    "weights so large that scores are none": (
        lambda f: weights(f, lambda w: w["qa_outputs.weight"].fill(3e38)),
        "gives scores that are no finite numbers",
    ),
    "no head": (
        lambda f: weights(f, lambda w: (w.pop("qa_outputs.weight"), w.pop("qa_outputs.bias"))),
        "holds no head that Spanlight can use",
    ),
    "a pattern that cannot be": (with_normalizer(replacing("(((", " ")), "cannot be understood"),
    "a step that is not known": (with_normalizer({"type": "Program"}), "cannot be understood"),
    "a character map that is none": (
        with_normalizer({"type": "Precompiled", "precompiled_charsmap": "AAAAAP////8="}),
        "tokenizer",
    ),
    "special tokens that are not there": (
        lambda f: tokenizer(f, lambda t: t["post_processor"]["special_tokens"].clear()),
        "tokenizer",
    ),
    "a tokenizer of another model": (
        lambda f: tokenizer(f, lambda t: t["post_processor"]["special_tokens"]["[CLS]"].update(ids=[10**6])),
        "does not know",
    ),
    "tokens that stand nowhere": (
        lambda f: tokenizer(f, lambda t: t["post_processor"]["pair"].extend(t["post_processor"]["pair"][:1] * 20)),
        "does not set a question before a text",
    ),
}  # fmt: skip

if sys.platform == "win32":  # no pipes, no such devices, links for administrators only, holes that take room
    ELSEWHERE = ("pipe", "device", "leads round", "somebody", "than a computer holds")
    for cases in (CONFIGS, WEIGHTS, TOKENIZERS):
        for case in [name for name in cases if any(word in name for word in ELSEWHERE)]:
            del cases[case]

READ: Cases = {
    f"{kind}: {name}": case
    for kind, cases in (("config", CONFIGS), ("weights", WEIGHTS), ("tokenizer", TOKENIZERS))
    for name, case in cases.items()
}
ALL: Cases = READ | {f"run: {name}": case for name, case in RUN.items()}


def everything_below(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Kind, size and time of change of all that lies in a folder, links not followed."""
    told = {}
    for path in sorted(folder.rglob("*")):
        stat = path.lstat()
        told[str(path.relative_to(folder))] = (stat.st_mode, stat.st_size, stat.st_mtime_ns)
    return told
