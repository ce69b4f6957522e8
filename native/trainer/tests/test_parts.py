"""Turns, transcripts, rewards and the choice of the checkpoint."""

from __future__ import annotations

import inspect
import io
import json
from typing import Any

import pytest
from conftest import DEMO_POLICY, MakeJob
from gym_server import TOOLS, masked, scored

from ratchet_trainer.checkpoints import Checkpoint, Checkpoints
from ratchet_trainer.episodes import episode_factory, response_items
from ratchet_trainer.events import Events, Stopped
from ratchet_trainer.job import read_job
from ratchet_trainer.rewards import VerdictReward, without_thin_groups
from ratchet_trainer.tool_calls import parse_turn
from ratchet_trainer.validation import Score
from ratchet_trainer.watchers import StepReporter

CALL = '<tool_call>{"name": "find_event", "arguments": {"name": "Bob"}}</tool_call>'


def test_calls_and_nothing_else_are_calls() -> None:
    for text in (CALL, f" {CALL}\n", CALL + CALL):
        message = parse_turn(text, ended=True)
        assert [c["function"] for c in message["tool_calls"]][0] == {"name": "find_event", "arguments": {"name": "Bob"}}


@pytest.mark.parametrize(
    "text",
    [
        "done",
        "",
        CALL + " and more",
        "first " + CALL,
        CALL.removesuffix("</tool_call>"),
        CALL.replace('"}}', '"}'),
        CALL + "<tool_call>{</tool_call>",
        '<tool_call>{"name": "find_event", "arguments": ["Bob"]}</tool_call>',
        '<tool_call>{"arguments": {}}</tool_call>',
        '<tool_call>{"name": "a", "arguments": {"x": NaN}}</tool_call>',
    ],
)
def test_any_other_text_is_content_as_it_stands(text: str) -> None:
    assert parse_turn(text, ended=True) == {"role": "assistant", "content": text}


def test_a_turn_that_was_cut_off_is_no_call() -> None:
    assert "tool_calls" not in parse_turn(CALL, ended=False)


def test_what_could_not_be_read_reaches_the_verifier_as_a_message() -> None:
    broken = '<tool_call>{"name": "create_task"'
    call = {"type": "function", "function": {"name": "find_event", "arguments": {"name": "Bob"}}}
    items = response_items(
        [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "name": "find_event", "content": "seen"},
            {"role": "assistant", "content": broken},
        ]
    )
    assert items == [
        {"type": "function_call", "call_id": "call_0", "name": "find_event", "arguments": '{"name": "Bob"}'},
        {"type": "function_call_output", "call_id": "call_0", "output": "seen"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": broken}]},
    ]


def test_an_empty_last_turn_is_still_a_turn() -> None:
    assert [item["type"] for item in response_items([{"role": "assistant", "content": ""}])] == ["message"]


def test_tools_become_typed_documented_methods_that_pass_on_what_they_are_given() -> None:
    class Client:
        def call_tool(self, cookie: str, name: str, arguments: Any) -> str:
            return json.dumps([cookie, name, arguments])

    from transformers.utils import get_json_schema

    episode = episode_factory(Client(), json.dumps(TOOLS))()  # type: ignore[arg-type]
    public = [n for n, _ in inspect.getmembers(type(episode), inspect.isfunction) if not n.startswith("_")]
    assert public == ["cancel_event", "create_task", "find_event", "reset"]
    schema = get_json_schema(episode.create_task)["function"]
    assert schema["description"] == "Does create_task." and schema["parameters"]["required"] == ["title", "name"]
    assert json.loads(episode.find_event(nonsense="x")) == ["", "find_event", {"nonsense": "x"}]


class FakeEpisode:
    def __init__(self, verdict: dict[str, Any]) -> None:
        self.verdict = verdict
        self.incomplete: str | None = None

    def _verify(self, output: list[Any], incomplete: str | None) -> dict[str, Any]:
        self.incomplete = incomplete
        return self.verdict


def rewards_of(verdicts: list[dict[str, Any]], generations: int = 8) -> tuple[list[float | None], VerdictReward]:
    reward = VerdictReward(generations, 4)
    episodes = [FakeEpisode(v) for v in verdicts]
    said = [{"role": "assistant", "content": "x"}]
    return reward([said] * len(verdicts), episodes, [[1, 2]] * len(verdicts)), reward


def test_a_mask_is_no_reward_and_no_zero() -> None:
    rewards, reward = rewards_of([masked(), *[scored(1)] * 15, *[scored(0)] * 16])
    assert rewards[0] is None and rewards[1] == 1 and rewards[-1] == 0
    assert reward.masked_share == 1 / 32 and reward.scored_mean == 15 / 31


def test_a_step_with_many_masks_is_dropped_whole() -> None:
    rewards, reward = rewards_of([*[masked()] * 2, *[scored(1)] * 30])
    assert rewards == [None] * 32
    assert reward.scored_mean == 1


def test_a_group_with_too_few_scored_rows_is_dropped() -> None:
    five, six = [1.0] * 5 + [None] * 3, [1.0] * 6 + [None] * 2
    assert without_thin_groups([*five, *six], 8) == [None] * 8 + six


def test_a_run_that_was_cut_off_is_flagged() -> None:
    reward, episode = VerdictReward(1, 2), FakeEpisode(scored(0))
    reward([[{"role": "assistant", "content": "x"}]], [episode], [[5, 6]])
    assert episode.incomplete == "length"


class State:
    global_step = 4


@pytest.mark.parametrize("name", ["loss", "grad_norm"])
def test_a_loss_or_gradient_that_is_not_a_number_ends_the_run(name: str) -> None:
    _, reward = rewards_of([scored(1)] * 8)
    stream = io.StringIO()
    reporter = StepReporter(Events(1, None, stream), reward, 10)
    with pytest.raises(Stopped) as caught:
        reporter.on_log(None, State, None, {"reward": 1.0, "loss": 0.1, "grad_norm": 0.1, name: float("nan")})
    assert caught.value.kind == "nan" and stream.getvalue() == ""


def test_the_best_checkpoint_pays_for_unsafe_and_invalid_runs_and_the_later_one_wins_a_tie(tmp_path: Any) -> None:
    def checkpoint(step: int, reward: float, unsafe: float, delta: float = 1.0) -> Checkpoint:
        return Checkpoint(step, tmp_path, Score(reward, reward, unsafe, 0.0, 10, []), delta)

    checkpoints = Checkpoints.__new__(Checkpoints)
    checkpoints._made = [checkpoint(10, 0.9, 0.2), checkpoint(20, 0.8, 0.0), checkpoint(30, 0.8, 0.0)]
    assert checkpoints.best().step == 30
    checkpoints._made = [checkpoint(10, 0.9, 0.0, delta=0.0)]
    with pytest.raises(Stopped, match="still the base"):
        checkpoints.best()


def test_trains_in_whole_floats_on_a_cpu_and_cuts_turns_where_serving_does(make_job: MakeJob) -> None:
    """Not every CPU has instructions for bfloat16: where it lacks them a step takes ten times as long."""
    from ratchet_trainer.train import _arguments

    arguments = _arguments(read_job(make_job(DEMO_POLICY, "http://127.0.0.1:1")), turn_tokens=7)
    assert not arguments.bf16
    assert not arguments.fp16
    assert arguments.generation_kwargs == {"max_new_tokens": 7}
