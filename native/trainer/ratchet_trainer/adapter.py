"""The adapter as files: PEFT layout, distance from the base, and the ONNX graph that embedded serving loads."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

from .events import Stopped
from .job import Job


def delta_norm(model: Any) -> float:
    """Frobenius norm of all B·A products; 0 for an adapter that changes nothing."""
    total = 0.0
    for module in model.modules():
        if "default" in getattr(module, "lora_B", {}):
            product = module.lora_B["default"].weight @ module.lora_A["default"].weight
            total += float(product.detach().double().pow(2).sum())
    return math.sqrt(total)


def save_adapter(model: Any, folder: Path, job: Job) -> None:
    """PEFT files, naming the base by its card and not by a path of this machine."""
    model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    config_path = folder / "adapter_config.json"
    config = json.loads(config_path.read_text())
    config["base_model_name_or_path"] = json.loads((job.base.path / "card.json").read_text())["name"]
    config["revision"] = job.base.revision
    config_path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def publish(job: Job, checkpoint: Path, tokenizer: Any, prompts: list[str]) -> Path:
    """The chosen checkpoint as `<output>/adapter` with policy.onnx, whose greedy answers are checked."""
    from tiny_policy.export_onnx import check_agreement, export_adapter

    folder = job.output_dir / "adapter"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(checkpoint, folder)
    graph = folder / "policy.onnx"
    merged = export_adapter(job.base.path, job.base.path / "model.onnx", folder, graph)
    encoded = [tokenizer(prompt, add_special_tokens=False)["input_ids"] for prompt in prompts]
    try:
        check_agreement(graph, merged, encoded)
    except ValueError as error:
        raise Stopped("export_differs", f"the exported graph answers differently: {error}") from error
    return folder
