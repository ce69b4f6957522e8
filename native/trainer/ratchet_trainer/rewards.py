"""Rewards are the environment's verdicts. A mask is None, never 0: it is no measurement."""

from __future__ import annotations

from typing import Any

from .episodes import response_items

# A group with fewer scored rows, and a step with more masked ones, teaches from noise: it is dropped.
LEAST_SCORED_SHARE_OF_GROUP = 6 / 8
MOST_MASKED_SHARE_OF_STEP = 0.05


class VerdictReward:
    """TRL reward function; remembers the masked share of the last step for the watchers."""

    def __init__(self, generations: int, max_completion_tokens: int) -> None:
        self._generations = generations
        self._max_tokens = max_completion_tokens
        self.masked_share = 0.0
        self.dropped = False
        self.__name__ = "verdict"

    def __call__(
        self, completions: list[Any], environments: list[Any], completion_ids: list[list[int]], **_: Any
    ) -> list[float | None]:
        rewards: list[float | None] = []
        for completion, episode, ids in zip(completions, environments, completion_ids, strict=True):
            incomplete = "length" if len(ids) >= self._max_tokens else None
            verdict = episode._verify(response_items(completion), incomplete)
            rewards.append(None if verdict["mask_sample"] else float(verdict["reward"]))
        self.masked_share = sum(reward is None for reward in rewards) / len(rewards)
        self.dropped = self.masked_share > MOST_MASKED_SHARE_OF_STEP
        return [None] * len(rewards) if self.dropped else self._without_thin_groups(rewards)

    def _without_thin_groups(self, rewards: list[float | None]) -> list[float | None]:
        size = self._generations
        kept: list[float | None] = []
        for start in range(0, len(rewards), size):
            group = rewards[start : start + size]
            scored = sum(reward is not None for reward in group)
            kept += group if scored >= LEAST_SCORED_SHARE_OF_GROUP * len(group) else [None] * len(group)
        return kept
