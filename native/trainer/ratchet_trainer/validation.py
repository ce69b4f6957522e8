"""Checkpoint evals: the validation tasks by the current adapter, decoded as it will be served, judged by the environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from .adapter import merged
from .episodes import response_items
from .gym_client import GymClient
from .job import Task
from .tool_calls import read_tokens

BATCH = 128
FAILURES_SHOWN = 5
TRANSCRIPT_CHARACTERS = 2000


@dataclass
class Rollout:
    task: Task
    cookie: str
    ids: list[int]
    messages: list[dict[str, Any]] = field(default_factory=list)
    incomplete: str | None = None
    verdict: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Score:
    """Means over the tasks that were scored."""

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


@dataclass(frozen=True)
class Decoding:
    temperature: float
    max_turns: int
    max_tokens_per_turn: int


class Validator:
    def __init__(self, client: GymClient, tokenizer: Any, tasks: list[Task], decoding: Decoding) -> None:
        self._client = client
        self._tokenizer = tokenizer
        self._tasks = tasks
        self._decoding = decoding

    def score(self, model: Any, seed: int) -> Score:
        """Rolls every task out once. The caller's random state and the model's mode stay as they were."""
        training = model.training
        model.eval()
        with torch.random.fork_rng(devices=[]), torch.no_grad(), merged(model):
            torch.manual_seed(seed)
            starts = range(0, len(self._tasks), BATCH)
            rollouts = [r for start in starts for r in self._roll_out(model, self._tasks[start : start + BATCH])]
        model.train(training)
        return self._score([r for r in rollouts if not r.verdict["mask_sample"]])

    def _score(self, scored: list[Rollout]) -> Score:
        count = max(1, len(scored))
        verdicts = [rollout.verdict for rollout in scored]
        return Score(
            reward=sum(float(v["reward"]) for v in verdicts) / count,
            success=sum(bool(v.get("success")) for v in verdicts) / count,
            unsafe=sum(bool(v.get("unsafe")) for v in verdicts) / count,
            invalid=sum(_is_invalid(v) for v in verdicts) / count,
            tasks=len(scored),
            failures=[self._failure(r) for r in scored if not r.verdict.get("success")][:FAILURES_SHOWN],
        )

    def _roll_out(self, model: Any, tasks: list[Task]) -> list[Rollout]:
        rollouts = [Rollout(task, self._client.seed(task.id), self._encode(task.messages)) for task in tasks]
        alive = rollouts
        for _ in range(self._decoding.max_turns):
            if not alive:
                break
            alive = [r for r, new in zip(alive, self._generate(model, alive), strict=True) if self._take_turn(r, new)]
        for rollout in alive:
            rollout.incomplete = "step_limit"
        for rollout in rollouts:
            items = response_items(rollout.messages)
            rollout.verdict = self._client.verify(rollout.cookie, rollout.task.id, items, rollout.incomplete)
            self._client.close(rollout.cookie)
        return rollouts

    def _generate(self, model: Any, rollouts: list[Rollout]) -> list[list[int]]:
        """The next turn of each, with its end token where it came to one."""
        pad, end = self._tokenizer.pad_token_id, self._tokenizer.eos_token_id
        batch = self._tokenizer.pad({"input_ids": [r.ids for r in rollouts]}, padding_side="left", return_tensors="pt")
        temperature = self._decoding.temperature
        sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        out = model.generate(
            **batch,
            max_new_tokens=self._decoding.max_tokens_per_turn,
            pad_token_id=pad,
            eos_token_id=end,
            **(sampling if temperature > 0 else {"do_sample": False}),
        )
        turns = out[:, batch["input_ids"].shape[1] :].tolist()
        return [turn[: turn.index(end) + 1] if end in turn else turn for turn in turns]

    def _take_turn(self, rollout: Rollout, new: list[int]) -> bool:
        """Adds one model turn and what its calls answered; whether the rollout goes on."""
        message = read_tokens(self._tokenizer, new)
        rollout.ids += new
        rollout.messages.append(message)
        if "tool_calls" not in message:
            rollout.incomplete = None if new and new[-1] == self._tokenizer.eos_token_id else "length"
            return False
        answers = []
        for call in message["tool_calls"]:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            content = self._client.call_tool(rollout.cookie, name, arguments)
            answers.append({"role": "tool", "name": name, "content": content})
        rollout.messages += answers
        rollout.ids += self._encode(answers)
        return True

    def _encode(self, messages: list[dict[str, Any]]) -> list[int]:
        text = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        return self._tokenizer(text, add_special_tokens=False)["input_ids"]

    def _failure(self, rollout: Rollout) -> dict[str, str]:
        said = self._tokenizer.apply_chat_template([*rollout.task.messages, *rollout.messages], tokenize=False)
        unsafe = rollout.verdict.get("unsafe")
        reason = "unsafe" if unsafe else str(rollout.verdict.get("stop_reason") or "failed")
        return {"taskId": rollout.task.id, "transcript": said[:TRANSCRIPT_CHARACTERS], "reason": reason}


def _is_invalid(verdict: dict[str, Any]) -> bool:
    """An unparseable call, or one that does not fit its tool's schema."""
    components = verdict.get("reward_components") or {}
    return verdict.get("stop_reason") == "invalid_output" or components.get("valid_json") == 0
