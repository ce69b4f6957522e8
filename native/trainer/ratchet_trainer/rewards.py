"""Rewards are the environment's verdicts. A mask is None, never 0: it is no measurement."""

from __future__ import annotations

from typing import Any

from .episodes import response_items

# A group with fewer scored rows, and a step with more masked ones, teaches from noise: it is dropped.
LEAST_SCORED_SHARE_OF_GROUP = 6 / 8
MOST_MASKED_SHARE_OF_STEP = 0.05


class VerdictReward:
    """TRL reward function; remembers what the last step's rollouts were worth, for the step's event."""

    __name__ = "verdict"

    def __init__(self, generations: int, max_completion_tokens: int) -> None:
        self._generations = generations
        self._max_completion_tokens = max_completion_tokens
        self.masked_share = 0.0
        self.scored_mean = 0.0

    def __call__(
        self, completions: list[Any], environments: list[Any], completion_ids: list[list[int]], **_: Any
    ) -> list[float | None]:
        rewards = [self._reward(*row) for row in zip(completions, environments, completion_ids, strict=True)]
        scored = [reward for reward in rewards if reward is not None]
        self.masked_share = 1 - len(scored) / len(rewards)
        self.scored_mean = sum(scored) / len(scored) if scored else 0.0
        if self.masked_share > MOST_MASKED_SHARE_OF_STEP:
            return [None] * len(rewards)
        return without_thin_groups(rewards, self._generations)

    def _reward(self, completion: list[dict[str, Any]], episode: Any, ids: list[int]) -> float | None:
        cut = len(ids) >= self._max_completion_tokens
        verdict = episode._verify(response_items(completion), "length" if cut else None)
        return None if verdict["mask_sample"] else float(verdict["reward"])


def without_thin_groups(rewards: list[float | None], size: int) -> list[float | None]:
    """The rewards, with every group of which too few rows were scored masked whole."""
    kept: list[float | None] = []
    for start in range(0, len(rewards), size):
        group = rewards[start : start + size]
        scored = sum(reward is not None for reward in group)
        kept += group if scored >= LEAST_SCORED_SHARE_OF_GROUP * size else [None] * len(group)
    return kept
