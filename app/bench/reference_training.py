"""The reference of `bench training`: fine-tuning as transformers' own example run_qa does it, in any interpreter.

Run by its path with one argument, a JSON object: `model`, `examples` (a JSON Lines file), `padding` ("max_length", the
example's default, or "longest" of each batch), `length`, `stride`, `batch`, `dropout`, `learning_rate`, `seed`,
`device` ("auto": the GPU if there is one). With `steps` above 0 the learning rate falls to 0 over that many steps, as
run_qa's does. The first line of output has the packages' versions, and the examples' numbers of `windows` and of real
`tokens`. Each line `N` on standard input takes N steps and answers with a JSON line: `seconds`, `windows`, `tokens`
(real ones), `loss`. The line `save` writes the checkpoint to the folder `output`. An empty line or the end of the input
ends the process. Imports only the standard library, torch and transformers, nothing of Spanlight.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import transformers


def windows(rows: list[dict[str, Any]], tokenizer: Any, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Make the inputs of run_qa's prepare_train_features: overlapping windows, (0, 0) for one without the answer."""
    coded = tokenizer(
        [row["question"].lstrip() for row in rows],
        [row["context"] for row in rows],
        truncation="only_second",
        max_length=plan["length"],
        stride=plan["stride"],
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        padding="max_length" if plan["padding"] == "max_length" else False,
    )
    features = []
    for i, owner in enumerate(coded["overflow_to_sample_mapping"]):
        one = {name: coded[name][i] for name in tokenizer.model_input_names}
        answers, start, end = rows[owner]["answers"], 0, 0
        if answers:
            first, last = answers[0]["answer_start"], answers[0]["answer_start"] + len(answers[0]["text"])
            places, part = coded["offset_mapping"][i], coded.sequence_ids(i)
            context = [k for k, which in enumerate(part) if which == 1]
            if context and places[context[0]][0] <= first and places[context[-1]][1] >= last:
                start = max(k for k in context if places[k][0] <= first)
                end = min(k for k in context if places[k][1] >= last)
        features.append({**one, "start_positions": start, "end_positions": end})
    return features


def batches(features: list[dict[str, Any]], tokenizer: Any, plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield shuffled batches of tensors, epoch after epoch."""
    generator = torch.Generator().manual_seed(plan["seed"])
    while True:
        order = torch.randperm(len(features), generator=generator).tolist()
        for at in range(0, len(order) - plan["batch"] + 1, plan["batch"]):
            rows = [dict(features[i]) for i in order[at : at + plan["batch"]]]
            yield dict(tokenizer.pad(rows, padding="longest", return_tensors="pt"))


def main() -> None:
    """Prepare all windows, then take the requested steps."""
    plan = json.loads(sys.argv[1])
    transformers.logging.set_verbosity_error()
    torch.manual_seed(plan["seed"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(plan["model"])
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(
        plan["model"],
        dtype=torch.float32,
        hidden_dropout_prob=plan["dropout"],
        attention_probs_dropout_prob=plan["dropout"],
    )
    device = torch.device(
        plan["device"] if plan["device"] != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    )
    model.to(device)
    flat = [p for n, p in model.named_parameters() if n.endswith("bias") or "LayerNorm" in n]
    rest = [p for n, p in model.named_parameters() if not (n.endswith("bias") or "LayerNorm" in n)]
    groups = [{"params": rest, "weight_decay": 0.01}, {"params": flat, "weight_decay": 0.0}]
    # The Trainer's optimizer since torch 2.8; before, it was the slower one that is not fused.
    optimizer = torch.optim.AdamW(groups, lr=plan["learning_rate"], fused=True)
    steps = plan.get("steps", 0)
    fall = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: max(0.0, 1 - step / steps) if steps else 1.0
    )
    rows = [json.loads(line) for line in Path(plan["examples"]).read_text("utf-8").splitlines()]
    features = windows(rows, tokenizer, plan)
    feed = batches(features, tokenizer, plan)
    model.train()
    info = {"torch": torch.__version__, "transformers": transformers.__version__, "windows": len(features)}
    print(json.dumps({**info, "tokens": sum(sum(one["attention_mask"]) for one in features)}), flush=True)
    for line in sys.stdin:
        if not line.strip():
            return
        if line.strip() == "save":
            model.save_pretrained(plan["output"])
            tokenizer.save_pretrained(plan["output"])
            print(json.dumps({"saved": plan["output"]}), flush=True)
            continue
        began, count, tokens, loss = time.perf_counter(), 0, 0, torch.zeros(())
        for _ in range(int(line)):
            batch = next(feed)
            loss = model(**{name: tensor.to(device) for name, tensor in batch.items()}).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            fall.step()
            optimizer.zero_grad()
            count += len(batch["input_ids"])
            tokens += int(batch["attention_mask"].sum())
        last = float(loss.detach())  # waits for the GPU to finish
        seconds = time.perf_counter() - began
        print(json.dumps({"seconds": seconds, "windows": count, "tokens": tokens, "loss": last}), flush=True)


if __name__ == "__main__":
    main()
