"""The job file, checked before anything heavy is imported. Mirrors libs/contracts/training-job.ts; knows no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt
from pydantic.alias_generators import to_camel


def _is_tool_list(text: str) -> str:
    tools = json.loads(text)
    for tool in tools:
        if not isinstance(tool["function"]["name"], str) or not isinstance(tool["function"]["parameters"], dict):
            raise ValueError("a tool needs a name and parameters")
    return text


class _Model(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", frozen=True)


class Base(_Model):
    path: Path
    revision: str


class Lora(_Model):
    rank: PositiveInt
    alpha: PositiveFloat
    dropout: float = Field(ge=0, lt=1)
    target_modules: Literal["all-linear"]


class Environment(_Model):
    base_url: str = Field(pattern=r"^http://[^/]+")
    token: str
    verifier: str
    tools_json: Annotated[str, AfterValidator(_is_tool_list)]


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
    seed: int = Field(ge=0, lt=2**32)
    threads: PositiveInt
    output_dir: Path


class Task(BaseModel):
    """A task as the trainer may see it: the prompt, never the state or the expected calls."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str
    messages: list[dict[str, Any]] = Field(min_length=1)


def read_job(path: Path) -> Job:
    """Raises OSError or ValueError (pydantic's too), whose texts say what is wrong."""
    job = Job.model_validate_json(path.read_bytes())
    if not (job.base.path / "config.json").is_file():
        raise ValueError(f"base.path {job.base.path} holds no model (config.json is missing)")
    return job


def read_tasks(path: Path, at_least: int = 1) -> list[Task]:
    """Raises OSError, or ValueError naming the line that is not a task or the number that is too small."""
    tasks = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            tasks.append(Task.model_validate_json(line))
        except ValueError as error:
            raise ValueError(f"{path.name} line {number} is not a task: {error}") from error
    if len(tasks) < at_least:
        raise ValueError(f"{path.name} holds {len(tasks)} tasks, and at least {at_least} are needed")
    return tasks


def fencing_of(path: Path) -> int:
    """The fencing number of a job that is otherwise unusable, so that its end is still told under it; 0 if unknown."""
    try:
        fencing = json.loads(path.read_bytes())["fencing"]
    except (OSError, ValueError, TypeError, KeyError):
        return 0
    return fencing if isinstance(fencing, int) else 0
