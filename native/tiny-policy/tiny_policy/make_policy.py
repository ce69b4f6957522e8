"""Makes the demo policy from nothing: demonstrations in, weights, tokenizer, ONNX graph and card out.

  node dist/examples/workplace/write-demonstrations.js DATA 102400 1
  python -m tiny_policy.make_policy --data DATA --out policy
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from .card import write_card
from .export_onnx import check_agreement, export_model
from .sft import Example, SftConfig, copied_mask, copy_accuracy, new_model, read_examples, train
from .tokenizer import build_tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder written by write-demonstrations")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=SftConfig.steps)
    parser.add_argument("--seed", type=int, default=SftConfig.seed)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)

    tokenizer = build_tokenizer(json.loads((args.data / "vocabulary.json").read_text()))
    demonstrations = read_examples(args.data / "demonstrations.jsonl", tokenizer)
    probes = read_examples(args.data / "probes.jsonl", tokenizer)
    config = SftConfig(steps=args.steps, seed=args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(args.out)
    model = train(new_model(tokenizer, args.seed), tokenizer, (demonstrations, probes), config, args.out)
    finish(model, args.out, probes, asdict(config))


def finish(model: LlamaForCausalLM, out: Path, probes: list[Example], training: dict[str, Any]) -> None:
    """Weights, graph (checked against transformers) and card, which says how many probes were copied right."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(out)
    model.save_pretrained(out)
    (out / "generation_config.json").unlink(missing_ok=True)  # decoding is the card's
    export_model(model, out / "model.onnx")
    check_agreement(out / "model.onnx", model, [ids[: len(ids) // 2] for ids, _ in probes[:20]])
    copied = copy_accuracy(model, probes, copied_mask(tokenizer))
    write_card(out, {**training, "copiedRight": {"rate": round(copied, 4), "runs": len(probes)}})


if __name__ == "__main__":
    main()
