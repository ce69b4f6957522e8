"""The job file, checked before anything heavy is imported. Mirrors libs/contracts/training-job.ts; knows no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


class _Model(BaseModel):
    model_config = ConfigDict(alias_generator=_camel, extra="forbid", frozen=True)


class Base(_Model):
    path: Path
    revision: str


class Lora(_Model):
    rank: PositiveInt
    alpha: PositiveFloat
    dropout: float = Field(ge=0, lt=1)
    target_modules: Literal["all-linear"]


class Environment(_Model):
    base_url: str
    token: str
    verifier: str
    tools_json: str


class Data(_Model):
    train_path: Path
    validation_path: Path


class Validation(_Model):
    every_steps: PositiveInt
    temperature: float = Field(ge=0)
    max_turns: PositiveInt


class Hyper(_Model):
    steps: PositiveInt
    prompts_per_step: PositiveInt
    generations: int = Field(ge=2)
    learning_rate: PositiveFloat
    warmup_steps: int = Field(ge=0)
    beta: float = Field(ge=0)
    epsilon_low: PositiveFloat
    epsilon_high: PositiveFloat
    loss_type: Literal["grpo", "dapo", "dr_grpo", "bnpo"]
    temperature: PositiveFloat
    max_completion_tokens: PositiveInt
    max_tool_iterations: PositiveInt
    max_grad_norm: PositiveFloat


class Job(_Model):
    schema_version: Literal[1]
    run_id: str
    attempt: PositiveInt
    fencing: int
    engine: Literal["trl"]
    algorithm: Literal["grpo"]
    base: Base
    lora: Lora
    environment: Environment
    data: Data
    validation: Validation
    hyper: Hyper
    seed: int
    threads: PositiveInt
    output_dir: Path


class Task(BaseModel):
    """A task as the trainer may see it: the prompt and its lineage, never the state or the expected calls."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str
    messages: list[dict[str, object]]
    lineageKey: str


def read_job(path: Path) -> Job:
    """Raises OSError or pydantic's ValidationError, whose texts say what is wrong."""
    return Job.model_validate_json(path.read_bytes())


def read_tasks(path: Path) -> list[Task]:
    """Raises ValueError naming the line that is not a task, or when there is none."""
    tasks = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            tasks.append(Task.model_validate(json.loads(line)))
        except ValueError as error:
            raise ValueError(f"{path.name} line {number} is not a task: {error}") from error
    if not tasks:
        raise ValueError(f"{path.name} holds no task")
    return tasks
