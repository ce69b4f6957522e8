"""The policy's card: what a server, a gate and a person need to know besides the weights."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from .measure import MAX_TOKENS_A_TURN, measure
from .tokenizer import MAX_CONTEXT

NAME = "tiny-workplace"
FILES = ["model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"]
# What a hosted model of a few billion parameters cost a token in 2026; a made-up price for a made-up policy, so that cost
# per successful task has a unit.
USD_PER_TOKEN = {"input": 5e-8, "output": 2e-7}
TEMPERATURE = 0.7


def file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def revision(folder: Path) -> str:
    """Hash over the files that decide what the policy says."""
    digest = hashlib.sha256("".join(f"{name}:{file_hash(folder / name)}\n" for name in FILES).encode())
    return digest.hexdigest()[:32]


def write_card(folder: Path, training: dict[str, Any]) -> dict[str, Any]:
    """Measures the policy on validation tasks (held-out ones stay unread) and writes card.json."""
    query = {"split": "validation", "suite": "traffic", "count": 360, "seed": 11}
    config = json.loads((folder / "config.json").read_text())
    card = {
        "name": NAME,
        "revision": revision(folder),
        "license": "Apache-2.0",
        "architecture": "llama",
        "layers": config["num_hidden_layers"],
        "heads": config["num_attention_heads"],
        "headSize": config["hidden_size"] // config["num_attention_heads"],
        "vocabularySize": config["vocab_size"],
        "maxContextTokens": MAX_CONTEXT,
        "decoding": {"temperature": TEMPERATURE, "topP": 1, "maxTokensPerTurn": MAX_TOKENS_A_TURN},
        "priceUsdPerToken": USD_PER_TOKEN,
        "files": {name: file_hash(folder / name) for name in [*FILES, "model.onnx"]},
        "training": training,
        "measured": {"on": query, **measure(folder, query, TEMPERATURE)},
    }
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    return card
