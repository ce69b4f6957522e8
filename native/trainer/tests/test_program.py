"""The program from outside: its files, lines and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import DEMO_POLICY, MakeJob, metrics
from gym_server import GymServer

HERE = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent / "tiny-policy")])}


def start(job: Path, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, *more.pop("flags", []), "-m", "ratchet_trainer", "--job", str(job)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, env=ENVIRONMENT, **pipes)


def finish(process: subprocess.Popen[str]) -> tuple[int, list[dict[str, Any]], str]:
    assert process.stdout and process.stderr
    # Not communicate(): it would close standard input, which means that the parent is gone.
    lines = process.stdout.read().splitlines()
    return process.wait(60), [json.loads(line) for line in lines], process.stderr.read()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"engine": "other"}, "engine"),
        ({"hyper": {"steps": 0}}, "hyper.steps"),
        ({"base": {"path": "/nowhere", "revision": "r"}}, "config.json"),
        ({"data": {"trainPath": "/nowhere.jsonl", "validationPath": "/nowhere.jsonl"}}, "nowhere.jsonl"),
    ],
)
def test_a_bad_job_is_named_before_torch_is_imported(change: dict[str, Any], words: str, make_job: MakeJob) -> None:
    process = start(make_job(DEMO_POLICY, "http://127.0.0.1:1/gym", **change), flags=["-X", "importtime"])
    code, events, errors = finish(process)
    assert code == 2
    assert [(e["type"], e["kind"], e["fencing"]) for e in events] == [("failed", "bad_job", 7)]
    assert words in events[0]["reason"]
    assert "pydantic" in errors and "torch" not in errors


def test_the_end_of_the_parent_ends_the_trainer(make_job: MakeJob) -> None:
    with GymServer() as gym:
        process = start(make_job(DEMO_POLICY, gym.url, hyper={"steps": 10_000}))
        assert process.stdin and process.stdout
        assert json.loads(process.stdout.readline())["phase"] == "importing"
        process.stdin.close()
        assert process.wait(60) == 3


def test_a_run_writes_its_events_and_an_adapter_that_both_engines_serve_alike(make_job: MakeJob) -> None:
    job = make_job(DEMO_POLICY, (gym := GymServer()).url)
    with gym:
        code, events, errors = finish(start(job))
    assert code == 0, errors
    assert events == metrics(job)
    assert all(e["fencing"] == 7 and e["at"].endswith("Z") for e in events)
    told = [e.get("phase", e["type"]) for e in events]
    training = ["training", "step", "validating", "validation"]
    assert told == ["importing", "loading", *training, *training, "saving", "done"]
    done = events[-1]
    assert done["deltaNorm"] > 0
    folder = Path(done["adapterDir"])
    assert sorted(p.name for p in folder.iterdir()) == ["adapter_config.json", "adapter_model.safetensors", "policy.onnx"]
    assert str(DEMO_POLICY) not in (folder / "adapter_config.json").read_text()
    assert (job.parent / "output" / "checkpoints" / f"step-{done['chosenStep']}" / "adapter_model.safetensors").is_file()

    assert any(session.calls for session in gym.sessions), "the policy called no tool"
    rollouts = 2 * 2 * 4 + 2 * 4
    assert len(gym.sessions) == rollouts
    assert all(session.closed and session.verify_body["verifier"] == "state" for session in gym.sessions)
    assert gym.connections < rollouts, "requests share connections"
    assert_served_alike(folder)


def assert_served_alike(folder: Path) -> None:
    """The graph says what transformers says with the adapter loaded, and is not the base's."""
    import onnx
    import torch
    from onnx import numpy_helper
    from peft import PeftModel
    from tiny_policy.export_onnx import check_agreement
    from transformers import AutoTokenizer, LlamaForCausalLM

    tokenizer = AutoTokenizer.from_pretrained(DEMO_POLICY)
    prompts = [f"<|user|>{text}<|end|><|assistant|>" for text in ("cancel the event with Ina", "add a task for Bob")]
    encoded = tokenizer(prompts, add_special_tokens=False)["input_ids"]
    base = LlamaForCausalLM.from_pretrained(DEMO_POLICY, dtype=torch.float32)
    check_agreement(folder / "policy.onnx", PeftModel.from_pretrained(base, str(folder)), encoded)

    def weights(path: Path) -> bytes:
        wanted = "model.layers.0.mlp.up_proj.weight"
        found = [t for t in onnx.load(path).graph.initializer if t.name == wanted]
        return numpy_helper.to_array(found[0]).tobytes()

    assert weights(folder / "policy.onnx") != weights(DEMO_POLICY / "model.onnx")
