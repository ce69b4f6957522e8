"""The adapter as files: PEFT layout, distance from the base, and the ONNX graph that embedded serving loads."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .events import Stopped
from .job import Job


def card_of(base: Path) -> dict[str, Any]:
    """card.json beside the weights; empty where a base has none."""
    path = base / "card.json"
    return json.loads(path.read_bytes()) if path.is_file() else {}


def delta_norm(model: Any) -> float:
    """Frobenius norm of all B·A products; 0 for an adapter that changes nothing."""
    total = 0.0
    for module in model.modules():
        if "default" in getattr(module, "lora_B", {}):
            product = module.lora_B["default"].weight @ module.lora_A["default"].weight
            total += float(product.detach().double().pow(2).sum())
    return math.sqrt(total)


@contextmanager
def merged(model: Any) -> Iterator[None]:
    """Inside, the adapter is part of the base's weights: a third of the operations for each token that is decoded.

    Afterwards the base is what it was to the bit; subtracting what was added would leave rounding behind at every step.
    """
    weights = [m.get_base_layer().weight for m in model.modules() if "default" in getattr(m, "lora_B", {})]
    kept = [weight.detach().clone() for weight in weights]
    model.merge_adapter()
    try:
        yield
    finally:
        model.unmerge_adapter()
        for weight, before in zip(weights, kept, strict=True):
            weight.data.copy_(before)


def save_adapter(model: Any, folder: Path, job: Job) -> None:
    """PEFT files that name the base by its card and revision, not by a path of this machine."""
    model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    path = folder / "adapter_config.json"
    config = json.loads(path.read_bytes())
    config["base_model_name_or_path"] = card_of(job.base.path).get("name", job.base.path.name)
    config["revision"] = job.base.revision
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def publish(job: Job, checkpoint: Path, prompts: list[list[int]]) -> Path:
    """The chosen checkpoint as `<output>/adapter`; with policy.onnx, checked on the prompts, if the base has a graph."""
    folder = job.output_dir / "adapter"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(checkpoint, folder)
    base_graph = job.base.path / "model.onnx"
    if base_graph.is_file():
        _export(job.base.path, base_graph, folder, prompts)
    return folder.resolve()


def _export(base: Path, base_graph: Path, folder: Path, prompts: list[list[int]]) -> None:
    from tiny_policy.export_onnx import check_agreement, export_adapter

    graph = folder / "policy.onnx"
    merged = export_adapter(base, base_graph, folder, graph)
    try:
        check_agreement(graph, merged, prompts)
    except ValueError as error:
        raise Stopped("internal", f"the exported graph answers differently: {error}") from error
