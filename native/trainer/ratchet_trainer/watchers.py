"""Tells of every step, and ends a run that cannot come to anything, under a name."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from transformers import TrainerCallback

from .events import Events, Stopped
from .rewards import VerdictReward

DEAD_STEPS = 10
MASKED_STEPS = 10
MOST_MASKED_SHARE = 0.10


class StepReporter(TrainerCallback):
    """One `step` event an optimiser step; raises Stopped for NaN, dead rewards and too many masks."""

    def __init__(self, events: Events, reward: VerdictReward, steps: int) -> None:
        self._events = events
        self._reward = reward
        self._steps = steps
        self._dead_steps = 0
        self._masked: deque[float] = deque(maxlen=MASKED_STEPS)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        if not logs or "reward" not in logs:
            return
        for name in ("loss", "grad_norm"):
            if name in logs and _finite(logs[name]) is None:
                raise Stopped("nan", f"{name} is not a number at step {state.global_step}")
        self._events.write(
            "step",
            step=state.global_step,
            steps=self._steps,
            # TRL's own mean is no number where the whole step was dropped.
            reward=self._reward.scored_mean,
            rewardStd=_finite(logs.get("reward_std")) or 0.0,
            zeroStdShare=_finite(logs.get("frac_reward_zero_std")) or 0.0,
            maskedShare=self._reward.masked_share,
            entropy=_finite(logs.get("entropy")),
            loss=_finite(logs.get("loss")),
            gradNorm=_finite(logs.get("grad_norm")),
            completionTokensMean=_finite(logs.get("completions/mean_length")),
            stepTimeMs=(_finite(logs.get("step_time")) or 0.0) * 1000,
        )
        self._check_masks()
        self._check_dead(logs)

    def _check_masks(self) -> None:
        self._masked.append(self._reward.masked_share)
        share = sum(self._masked) / len(self._masked)
        if len(self._masked) == MASKED_STEPS and share > MOST_MASKED_SHARE:
            raise Stopped("masked_share", f"{share:.0%} of the rollouts of {MASKED_STEPS} steps had no measurement")

    def _check_dead(self, logs: dict[str, Any]) -> None:
        alive = (_finite(logs.get("reward_std")) or 0.0) > 0 or (_finite(logs.get("grad_norm")) or 0.0) > 0
        self._dead_steps = 0 if alive else self._dead_steps + 1
        if self._dead_steps >= DEAD_STEPS:
            raise Stopped("dead_reward", f"all rollouts earned the same, without a gradient, for {DEAD_STEPS} steps")


def _finite(value: Any) -> float | None:
    """None for what is missing or not a number."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
