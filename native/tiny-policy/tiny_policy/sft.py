"""Supervised training of the demo policy on demonstrations, from random weights.

Knows nothing of tools or families: it sees segments of text, some of which count in the loss. Copied characters (names
and ids) count three times as much, since what the demonstrations get wrong is noise that no weight can fit, while copying
is what a small model learns last.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from .tokenizer import MAX_CONTEXT, copied_token_ids

IGNORED = -100
Example = tuple[list[int], list[int]]


@dataclass
class SftConfig:
    steps: int = 1600
    batch: int = 64
    lr: float = 3e-3
    copied_weight: float = 3.0
    ema: float = 0.99
    seed: int = 1
    bf16: bool = False
    report_every: int = 50


def new_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=336,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=MAX_CONTEXT,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        tie_word_embeddings=True,
    )
    return LlamaForCausalLM(config)


def read_examples(path: Path, tokenizer: PreTrainedTokenizerFast, limit: int | None = None) -> list[Example]:
    """Token ids and labels of each line; segments meet at special tokens, so they encode apart as they do together."""
    backend = tokenizer.backend_tokenizer
    examples: list[Example] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            ids: list[int] = []
            labels: list[int] = []
            for segment in json.loads(line):
                piece = backend.encode(segment["text"], add_special_tokens=False).ids
                ids += piece
                labels += piece if segment["learn"] else [IGNORED] * len(piece)
            examples.append((ids, labels))
            if limit is not None and len(examples) >= limit:
                break
    return examples


def collate(examples: list[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    width = max(len(ids) for ids, _ in examples)
    ids = torch.zeros(len(examples), width, dtype=torch.long)
    labels = torch.full((len(examples), width), IGNORED)
    mask = torch.zeros(len(examples), width, dtype=torch.long)
    for row, (tokens, wanted) in enumerate(examples):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        labels[row, : len(wanted)] = torch.tensor(wanted)
        mask[row, : len(tokens)] = 1
    return ids, labels, mask


def batches(examples: list[Example], size: int, rng: random.Random) -> Iterator[list[Example]]:
    """Endless; eight batches at a time are sorted by length, which saves padding."""
    while True:
        order = rng.sample(range(len(examples)), len(examples))
        for start in range(0, len(order) - 8 * size + 1, 8 * size):
            chunk = sorted((examples[i] for i in order[start : start + 8 * size]), key=lambda e: len(e[0]))
            yield from rng.sample([chunk[i : i + size] for i in range(0, len(chunk), size)], 8)


def copied_mask(tokenizer: PreTrainedTokenizerFast) -> torch.Tensor:
    """True at the ids of single letters and digits."""
    mask = torch.zeros(len(tokenizer), dtype=torch.bool)
    mask[copied_token_ids(tokenizer)] = True
    return mask


@torch.no_grad()
def copy_accuracy(model: LlamaForCausalLM, probes: list[Example], copied: torch.Tensor) -> float:
    """Share of right runs in which every copied character has the highest score (teacher forced)."""
    model.eval()
    right = 0
    for start in range(0, len(probes), 50):
        ids, labels, mask = collate(probes[start : start + 50])
        best = model(input_ids=ids, attention_mask=mask).logits[:, :-1].argmax(-1)
        wanted = labels[:, 1:]
        judged = (wanted != IGNORED) & copied[wanted.clamp(min=0)]
        right += int(((best == wanted) | ~judged).all(-1).sum())
    model.train()
    return right / len(probes)


def train(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    data: tuple[list[Example], list[Example]],
    config: SftConfig,
    out: Path,
) -> LlamaForCausalLM:
    """Returns the running mean of the weights; saves it to `out` along the way."""
    examples, probes = data
    copied = copied_mask(tokenizer)
    mean = deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, betas=(0.9, 0.95), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: learning_rate(step, config.steps))
    stream = batches(examples, config.batch, random.Random(config.seed))
    started = time.monotonic()
    model.train()
    for step in range(1, config.steps + 1):
        ids, labels, mask = collate(next(stream))
        with torch.autocast("cpu", torch.bfloat16, enabled=config.bf16):
            logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1]
        wanted = labels[:, 1:].flatten()
        judged = wanted != IGNORED
        logits, wanted = logits.flatten(0, 1)[judged].float(), wanted[judged]
        weight = 1 + (config.copied_weight - 1) * copied[wanted].float()
        losses = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
        loss = (losses * weight).sum() / weight.sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        # A short mean early on, a longer one later: a snapshot is usable long before the schedule ends.
        keep = min(config.ema, step / (step + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(mean.parameters()), list(model.parameters()), 1 - keep)
        if step % config.report_every == 0 or step == config.steps:
            mean.save_pretrained(out)
            seconds = round(time.monotonic() - started)
            accuracy = copy_accuracy(mean, probes, copied)
            print(json.dumps({"step": step, "s": seconds, "loss": round(loss.item(), 4), "copy": accuracy}), flush=True)
    return mean


def learning_rate(step: int, steps: int) -> float:
    """Share of the peak rate: a short rise, then a cosine down to 3 %."""
    return min(1.0, (step + 1) / 30) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * step / steps)))
