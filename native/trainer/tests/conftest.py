"""Jobs on a tiny random model, and the demo's own policy where a test needs one that calls tools."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from gym_server import TOKEN, TOOLS  # noqa: E402

from ratchet_trainer.__main__ import ENVIRONMENT  # noqa: E402

# Before torch is imported by the tests that run the trainer in this process.
os.environ.update(ENVIRONMENT, OMP_NUM_THREADS="1")

DEMO_POLICY = Path(__file__).resolve().parents[2] / "tiny-policy" / "policy"
SENTENCES = ["cancel the event with Bob", "please cancel the event of Ina", "cancel Otto 's event", "drop the event with Zoe"]
MakeJob = Callable[..., Path]


def task_lines(count: int) -> str:
    rows = [
        {"id": f"task-{i}", "messages": [{"role": "user", "content": SENTENCES[i % 4]}], "lineageKey": f"f{i % 4}"}
        for i in range(count)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="session")
def random_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of 2 layers with random weights, its tokenizer and its graph."""
    import torch
    from tiny_policy.export_onnx import export_model
    from tiny_policy.tokenizer import build_tokenizer
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp("base")
    words = sorted({word for sentence in SENTENCES for word in sentence.split()} | {"done"})
    names = [tool["function"]["name"] for tool in TOOLS]
    tokenizer = build_tokenizer({"words": words, "keys": ["name", "id", "arguments"], "tools": names})
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=256,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        tie_word_embeddings=True,
        initializer_range=0.2,
    )
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    export_model(model, folder / "model.onnx")
    return folder


@pytest.fixture
def make_job(tmp_path: Path) -> MakeJob:
    """Writes job.json with its task files; `hyper` and any top-level field can be changed."""

    def make(base: Path, url: str, /, hyper: dict[str, Any] | None = None, **changes: Any) -> Path:
        train, validation = tmp_path / "train.jsonl", tmp_path / "validation.jsonl"
        train.write_text(task_lines(8))
        validation.write_text(task_lines(4))
        small = {"steps": 2, "promptsPerStep": 2, "generations": 4, "learningRate": 1e-3, "warmupSteps": 0, "beta": 0}
        clip = {"epsilonLow": 0.2, "epsilonHigh": 0.28, "lossType": "dapo", "temperature": 1, "maxGradNorm": 1}
        limits = {"maxCompletionTokens": 48, "maxToolIterations": 2}
        job = {
            "schemaVersion": 1,
            "runId": "run-1",
            "attempt": 1,
            "fencing": 7,
            "engine": "trl",
            "algorithm": "grpo",
            "base": {"path": str(base), "revision": "r1"},
            "lora": {"rank": 4, "alpha": 8, "dropout": 0, "targetModules": "all-linear"},
            "environment": {"baseUrl": url, "token": TOKEN, "verifier": "state", "toolsJson": json.dumps(TOOLS)},
            "data": {"trainPath": str(train), "validationPath": str(validation)},
            "validation": {"everySteps": 1, "temperature": 0.7, "maxTurns": 3},
            "hyper": {**small, **clip, **limits, **(hyper or {})},
            "seed": 3,
            "threads": 1,
            "outputDir": str(tmp_path / "output"),
            **changes,
        }
        path = tmp_path / "job.json"
        path.write_text(json.dumps(job))
        return path

    return make


def metrics(job_path: Path) -> list[dict[str, Any]]:
    lines = (job_path.parent / "output" / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
