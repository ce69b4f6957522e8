"""Checkpoint evals: the validation tasks by the current adapter, decoded as it will be served, judged by the environment."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import torch

from .episodes import response_items
from .gym_client import GymClient
from .job import Task

BATCH = 128
MAX_NEW_TOKENS = 48
FAILURES_SHOWN = 5
OPEN, CLOSE = "<tool_call>", "</tool_call>"


@dataclass
class Rollout:
    task: Task
    cookie: str
    ids: list[int]
    messages: list[dict[str, Any]] = field(default_factory=list)
    incomplete: str | None = "step_limit"
    verdict: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Score:
    reward: float
    success: float
    unsafe: float
    invalid: float
    tasks: int
    failures: list[dict[str, str]]

    @property
    def rank(self) -> float:
        """What the checkpoint is chosen by: the reward, less what a gate would block."""
        return self.reward - self.unsafe - self.invalid


def parse_call(text: str) -> dict[str, Any] | None:
    """The call of one turn as the server's parser reads it; None for text."""
    if not text.startswith(OPEN) or not text.endswith(CLOSE):
        return None
    try:
        call = json.loads(text[len(OPEN) : -len(CLOSE)])
    except ValueError:
        return None
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or not isinstance(call.get("arguments"), dict):
        return None
    return call


class Validator:
    def __init__(self, client: GymClient, tokenizer: Any, tasks: list[Task], temperature: float, max_turns: int) -> None:
        self._client = client
        self._tokenizer = tokenizer
        self._tasks = tasks
        self._temperature = temperature
        self._max_turns = max_turns

    def score(self, model: Any, seed: int) -> Score:
        """Rolls every task out once. The caller's random state stays as it was."""
        training = model.training
        model.eval()
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            rollouts = [r for start in range(0, len(self._tasks), BATCH) for r in self._batch(model, start)]
        model.train(training)
        scored = [rollout for rollout in rollouts if not rollout.verdict["mask_sample"]]
        n = max(1, len(scored))
        share = lambda test: sum(bool(test(r.verdict)) for r in scored) / n  # noqa: E731
        return Score(
            reward=sum(r.verdict["reward"] for r in scored) / n,
            success=share(lambda v: v["success"]),
            unsafe=share(lambda v: v["unsafe"]),
            invalid=share(lambda v: v["stop_reason"] == "invalid_output"),
            tasks=len(scored),
            failures=[self._failure(r) for r in scored if not r.verdict["success"]][:FAILURES_SHOWN],
        )

    def _batch(self, model: Any, start: int) -> list[Rollout]:
        rollouts = []
        for task in self._tasks[start : start + BATCH]:
            prompt = self._tokenizer.apply_chat_template(task.messages, add_generation_prompt=True, tokenize=False)
            ids = self._tokenizer(prompt, add_special_tokens=False)["input_ids"]
            rollouts.append(Rollout(task, self._client.seed(task.id), ids))
        alive = rollouts
        for _ in range(self._max_turns):
            if not alive:
                break
            alive = [r for r, new in zip(alive, self._generate(model, alive), strict=True) if self._turn(r, new)]
        for rollout in rollouts:
            items = response_items(rollout.messages)
            rollout.verdict = self._client.verify(rollout.cookie, rollout.task.id, items, rollout.incomplete)
            self._client.close(rollout.cookie)
        return rollouts

    def _generate(self, model: Any, rollouts: list[Rollout]) -> list[list[int]]:
        width = max(len(r.ids) for r in rollouts)
        pad, eos = self._tokenizer.pad_token_id, self._tokenizer.eos_token_id
        ids = torch.full((len(rollouts), width), pad, dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, rollout in enumerate(rollouts):
            ids[row, width - len(rollout.ids) :] = torch.tensor(rollout.ids)
            mask[row, width - len(rollout.ids) :] = 1
        sampling = {"do_sample": True, "temperature": self._temperature, "top_k": 0, "top_p": 1.0}
        out = model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=MAX_NEW_TOKENS,
            pad_token_id=pad,
            eos_token_id=eos,
            **(sampling if self._temperature > 0 else {"do_sample": False}),
        )
        fresh = out[:, width:].tolist()
        return [row[: row.index(eos) + 1] if eos in row else row for row in fresh]

    def _turn(self, rollout: Rollout, new: list[int]) -> bool:
        """Adds one model turn and, for a call, its observation; whether the rollout goes on."""
        eos = self._tokenizer.eos_token_id
        ended = bool(new) and new[-1] == eos
        text = self._tokenizer.decode(new[:-1] if ended else new, skip_special_tokens=False)
        rollout.ids += new
        call = parse_call(text) if ended else None
        if call is None:
            rollout.messages.append({"role": "assistant", "content": text})
            rollout.incomplete = None if ended else "length"
            return False
        function = {"name": call["name"], "arguments": call["arguments"]}
        rollout.messages.append({"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]})
        observation = self._client.call_tool(rollout.cookie, call["name"], call["arguments"])
        rollout.messages.append({"role": "tool", "content": observation})
        tail = self._tokenizer.apply_chat_template(
            [{"role": "tool", "content": observation}], add_generation_prompt=True, tokenize=False
        )
        rollout.ids += self._tokenizer(tail, add_special_tokens=False)["input_ids"]
        return True

    def _failure(self, rollout: Rollout) -> dict[str, str]:
        said = [*rollout.task.messages, *rollout.messages]
        return {
            "taskId": rollout.task.id,
            "transcript": self._tokenizer.apply_chat_template(said, tokenize=False)[:2000],
            "reason": "unsafe" if rollout.verdict["unsafe"] else str(rollout.verdict["stop_reason"]),
        }
