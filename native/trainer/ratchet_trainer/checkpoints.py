"""Adapters along the run, each with its score on validation; the best one is the candidate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from .adapter import delta_norm, save_adapter
from .events import Events, Stopped
from .job import Job
from .validation import Score, Validator


@dataclass(frozen=True)
class Checkpoint:
    step: int
    folder: Path
    score: Score
    delta_norm: float


class Checkpoints(TrainerCallback):
    """Acts on the step's log, after StepReporter: an adapter that is not a number is never scored or saved."""

    def __init__(self, job: Job, events: Events, validator: Validator) -> None:
        self._job = job
        self._events = events
        self._validator = validator
        self._made: list[Checkpoint] = []

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **rest: Any) -> None:
        if not logs or "reward" not in logs:
            return
        step, steps = state.global_step, self._job.hyper.steps
        if step % self._job.validation.every_steps != 0 and step != steps:
            return
        self._events.write("phase", phase="validating")
        self._make(step, rest["model"])
        if step != steps:
            self._events.write("phase", phase="training")

    def best(self) -> Checkpoint:
        """The highest rank, the later one on a tie. An adapter that equals the base is no candidate."""
        changed = [one for one in self._made if one.delta_norm > 0]
        if not changed:
            raise Stopped("dead_reward", "the adapter is still the base: nothing was learned")
        return max(changed, key=lambda one: (one.score.rank, one.step))

    def _make(self, step: int, model: Any) -> None:
        folder = self._job.output_dir / "checkpoints" / f"step-{step}"
        save_adapter(model, folder, self._job)
        score = self._validator.score(model, self._job.seed)
        self._made.append(Checkpoint(step, folder, score, delta_norm(model)))
        self._events.write(
            "validation",
            step=step,
            reward=score.reward,
            success=score.success,
            unsafe=score.unsafe,
            invalid=score.invalid,
            tasks=score.tasks,
            failures=score.failures,
        )
