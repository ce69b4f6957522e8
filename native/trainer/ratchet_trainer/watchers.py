"""Ends a run that cannot come to anything, under a name. Judges by reward spread and gradient, not by the loss."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any

from transformers import TrainerCallback

from .events import Events, Stopped
from .rewards import VerdictReward

DEAD_STEPS = 10
MASKED_STEPS = 10
MOST_MASKED_SHARE = 0.10


def finite(value: Any) -> float | None:
    """None for what is missing or not a number."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


class StepReporter(TrainerCallback):
    """One `step` event an optimiser step; raises Stopped for NaN, dead rewards and too many masks."""

    def __init__(self, events: Events, reward: VerdictReward, steps: int) -> None:
        self._events = events
        self._reward = reward
        self._steps = steps
        self._last = time.monotonic()
        self._dead = 0
        self._masked: deque[float] = deque(maxlen=MASKED_STEPS)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        if not logs or "reward" not in logs:
            return
        now, self._last = time.monotonic(), time.monotonic()
        for name in ("loss", "grad_norm", "reward"):
            if name in logs and finite(logs[name]) is None and not self._reward.dropped:
                raise Stopped("nan", f"{name} is not a number at step {state.global_step}")
        self._check_masks()
        self._check_dead(logs)
        self._events.write(
            "step",
            step=state.global_step,
            steps=self._steps,
            reward=finite(logs["reward"]) or 0.0,
            rewardStd=finite(logs.get("reward_std")) or 0.0,
            zeroStdShare=finite(logs.get("frac_reward_zero_std")) or 0.0,
            maskedShare=self._reward.masked_share,
            entropy=finite(logs.get("entropy")),
            loss=finite(logs.get("loss")),
            gradNorm=finite(logs.get("grad_norm")),
            completionTokensMean=finite(logs.get("completions/mean_length")),
            stepTimeMs=(finite(logs.get("step_time")) or now - self._last) * 1000,
        )

    def _check_masks(self) -> None:
        self._masked.append(self._reward.masked_share)
        share = sum(self._masked) / len(self._masked)
        if len(self._masked) == MASKED_STEPS and share > MOST_MASKED_SHARE:
            raise Stopped("masked_share", f"{share:.0%} of the rollouts of {MASKED_STEPS} steps had no measurement")

    def _check_dead(self, logs: dict[str, Any]) -> None:
        alive = (finite(logs.get("reward_std")) or 0.0) > 0 or (finite(logs.get("grad_norm")) or 0.0) > 0
        self._dead = 0 if alive else self._dead + 1
        if self._dead >= DEAD_STEPS:
            raise Stopped("dead_reward", f"no group differed in reward and no gradient for {DEAD_STEPS} steps")
