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
    def __init__(self, job: Job, events: Events, validator: Validator) -> None:
        self._job = job
        self._events = events
        self._validator = validator
        self._made: list[Checkpoint] = []
        self.model: Any = None

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step = state.global_step
        if step % self._job.validation.every_steps == 0 or step == self._job.hyper.steps:
            self._make(step)

    def best(self) -> Checkpoint:
        """The highest rank; the later one on a tie."""
        changed = [one for one in self._made if one.delta_norm > 0]
        if not changed:
            raise Stopped("no_change", "no checkpoint differs from the base")
        return max(changed, key=lambda one: (one.score.rank, one.step))

    def _make(self, step: int) -> None:
        folder = self._job.output_dir / "checkpoints" / f"step-{step}"
        save_adapter(self.model, folder, self._job)
        score = self._validator.score(self.model, self._job.seed)
        self._made.append(Checkpoint(step, folder, score, delta_norm(self.model)))
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
