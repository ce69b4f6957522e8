"""Measures a policy on tasks of the demo environment: success, unsafe acts, invalid output, each with its sample size.

Decodes in batches from the ONNX graph; tools and verifiers run in a Node child (examples/workplace/serve-stdio).

  python -m tiny_policy.measure --model policy --split heldout --count 360 --seed 7
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from transformers import PreTrainedTokenizerFast

from .tokenizer import CALL_OPEN, END

ROOT = Path(__file__).resolve().parents[3]
SERVER = ROOT / "dist" / "examples" / "workplace" / "serve-stdio.js"
CALL = re.compile(re.escape(CALL_OPEN) + r'(\{"name": "(\w+)", "arguments": (.*)\})</tool_call>\s*', re.S)
MAX_TURNS = 5
MAX_TOKENS_A_TURN = 48


class Environment:
    """The Node child; answers come in the order of the requests."""

    def __init__(self) -> None:
        self.child = subprocess.Popen(
            ["node", str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )

    def ask(self, request: dict[str, Any]) -> Any:
        assert self.child.stdin and self.child.stdout
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def close(self) -> None:
        assert self.child.stdin
        self.child.stdin.close()
        self.child.wait(timeout=10)


class Sampler:
    """Batched sampling with a growing past; a row that has ended is carried along and ignored."""

    def __init__(self, model: Path, temperature: float, seed: int, graph: Path | None = None) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        self.session = onnxruntime.InferenceSession(str(graph or model / "model.onnx"), options)
        self.tokenizer = PreTrainedTokenizerFast.from_pretrained(model)
        self.temperature = temperature
        self.rng = np.random.default_rng(seed)
        self.tokens = 0

    def complete(self, contexts: list[str], batch: int = 128) -> list[str]:
        """The next assistant turn of each context, up to and with the end token where it came."""
        order = sorted(range(len(contexts)), key=lambda i: len(contexts[i]))
        out = [""] * len(contexts)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            for row, text in zip(rows, self._batch([contexts[i] for i in rows]), strict=True):
                out[row] = text
        return out

    def _batch(self, contexts: list[str]) -> list[str]:
        encoded = [self.tokenizer(text, add_special_tokens=False)["input_ids"] for text in contexts]
        rows, width = len(encoded), max(map(len, encoded))
        stop = self.tokenizer.eos_token_id
        ids = np.zeros((rows, width), np.int64)
        mask = np.zeros((rows, width), np.int64)
        for row, tokens in enumerate(encoded):
            ids[row, width - len(tokens) :] = tokens
            mask[row, width - len(tokens) :] = 1
        pos = np.maximum(np.cumsum(mask, 1) - 1, 0)
        shape = self.session.get_inputs()[3].shape
        past = np.zeros((shape[0], rows, shape[2], 0, shape[4]), np.float32)
        out: list[list[int]] = [[] for _ in range(rows)]
        for _ in range(MAX_TOKENS_A_TURN):
            logits, past = self.session.run(None, {"ids": ids, "pos": pos, "mask": mask, "past": past})
            drawn = self._draw(logits)
            for row, token in enumerate(drawn):
                if not out[row] or out[row][-1] != stop:
                    out[row].append(int(token))
                    self.tokens += 1
            if all(tokens[-1] == stop for tokens in out):
                break
            ids, pos = drawn[:, None], pos[:, -1:] + 1
            mask = np.concatenate([mask, np.ones((rows, 1), np.int64)], 1)
        return [self.tokenizer.decode(tokens) for tokens in out]

    def _draw(self, logits: np.ndarray) -> np.ndarray:
        if self.temperature <= 0:
            return logits.argmax(-1)
        gumbel = self.rng.gumbel(size=logits.shape)
        return (logits / self.temperature + gumbel).argmax(-1)


def roll_out(sampler: Sampler, environment: Environment, query: dict[str, Any]) -> list[dict[str, Any]]:
    """One run a task; each comes back as {task, transcript}."""
    tasks = environment.ask({"op": "tasks", "query": query})
    runs = [{"task": task, "messages": list(task["messages"]), "stopReason": "step_limit"} for task in tasks]
    contexts = [f"<|user|>{task['messages'][0]['content']}{END}<|assistant|>" for task in tasks]
    alive = list(range(len(tasks)))
    for _ in range(MAX_TURNS):
        calls, texts = [], sampler.complete([contexts[i] for i in alive]) if alive else []
        for i, text in zip(alive, texts, strict=True):
            call = take_turn(runs[i], text)
            if call is not None:
                calls.append({"task": i, **call})
                contexts[i] += text
        observations = environment.ask({"op": "tool", "calls": calls})
        for call, observation in zip(calls, observations, strict=True):
            i = call["task"]
            tool_call = runs[i]["messages"][-1]["tool_calls"][0]
            runs[i]["messages"].append({"role": "tool", "content": observation, "tool_call_id": tool_call["id"]})
            contexts[i] += f"<|tool|>{observation}{END}<|assistant|>"
        alive = [call["task"] for call in calls]
    return runs


def take_turn(run: dict[str, Any], text: str) -> dict[str, Any] | None:
    """Appends the assistant message; returns the call to run, or None where the run has ended."""
    ended = text.endswith(END)
    body = text.removesuffix(END)
    match = CALL.fullmatch(body)
    arguments = _json_object(match.group(3)) if match else None
    if match and arguments is not None and ended:
        identity = f"call_{len(run['messages'])}"
        function = {"name": match.group(2), "arguments": match.group(3)}
        call = {"id": identity, "type": "function", "function": function}
        run["messages"].append({"role": "assistant", "content": None, "tool_calls": [call]})
        return {"name": match.group(2), "arguments": arguments}
    run["messages"].append({"role": "assistant", "content": body})
    run["stopReason"] = "length" if not ended else "invalid_output" if body.startswith(CALL_OPEN) else "stop"
    return None


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def verify(environment: Environment, runs: list[dict[str, Any]], verifiers: list[str]) -> list[dict[str, Any]]:
    body = [
        {"task": i, "transcript": {"messages": run["messages"], "stopReason": run["stopReason"]}}
        for i, run in enumerate(runs)
    ]
    return environment.ask({"op": "verify", "runs": body, "verifiers": verifiers})


def clustered(values: list[float], clusters: list[str]) -> dict[str, float]:
    """Mean and a 95 % interval from the sums of clusters."""
    mean = sum(values) / len(values)
    sums: dict[str, float] = defaultdict(float)
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] += value - mean
    count = len(sums)
    error = math.sqrt(count / max(1, count - 1) * sum(s * s for s in sums.values())) / len(values)
    return {"rate": round(mean, 4), "low": round(mean - 1.98 * error, 4), "high": round(mean + 1.98 * error, 4)}


def summarize(runs: list[dict[str, Any]], results: list[dict[str, Any]]) -> dict[str, Any]:
    """Rates by the paid and the independent verifier, by slice, and the means that size a gate."""
    state = [r["state"] for r in results]
    frames = [run["task"]["lineageKey"] for run in runs]
    risky = [i for i, run in enumerate(runs) if run["task"]["risky"]]
    slices: dict[str, list[int]] = defaultdict(list)
    for run, result in zip(runs, state, strict=True):
        slices[run["task"]["slice"]].append(int(result["success"]))
    calls = [sum("tool_calls" in m for m in run["messages"]) for run in runs]
    summary: dict[str, Any] = {
        "tasks": len(runs),
        "frames": len(set(frames)),
        "success": clustered([float(r["success"]) for r in state], frames),
        "independent_success": clustered([float(r["calls"]["success"]) for r in results], frames),
        "hackable_reward": round(sum(r["hackable"]["reward"] for r in results) / len(results), 4),
        "invalid_output": clustered([1.0 - r["components"]["valid_json"] for r in state], frames),
        "execution_error": round(sum(r["components"]["execution"] == 0 for r in state) / len(state), 4),
        "critical": sum(r["critical"] for r in state),
        "calls_a_run": round(sum(calls) / len(calls), 3),
        "slices": {name: round(sum(v) / len(v), 3) for name, v in sorted(slices.items())},
    }
    if risky:
        summary["risky_tasks"] = len(risky)
        summary["unsafe_of_risky"] = clustered([float(state[i]["unsafe"]) for i in risky], [frames[i] for i in risky])
    return summary


def measure(model: Path, query: dict[str, Any], temperature: float, graph: Path | None = None) -> dict[str, Any]:
    sampler = Sampler(model, temperature, int(query["seed"]), graph)
    environment = Environment()
    try:
        runs = roll_out(sampler, environment, query)
        results = verify(environment, runs, ["state", "calls", "state-without-safety", "hackable"])
    finally:
        environment.close()
    return {**summarize(runs, results), "tokens_a_run": round(sampler.tokens / len(runs), 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--graph", type=Path, help="another graph than MODEL/model.onnx, such as a merged adapter")
    parser.add_argument("--split", default="heldout", choices=["train", "validation", "heldout"])
    parser.add_argument("--suite", default="traffic", choices=["traffic", "risky"])
    parser.add_argument("--count", type=int, default=360)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--temperature", type=float, default=0.7)
    args = parser.parse_args()
    query = {"split": args.split, "suite": args.suite, "count": args.count, "seed": args.seed}
    print(json.dumps(measure(args.model, query, args.temperature, args.graph), indent=1))


if __name__ == "__main__":
    main()
