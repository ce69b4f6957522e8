"""Every run that cannot come to anything ends under its name. In this process, so that torch is imported once."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from conftest import MakeJob, metrics
from gym_server import TOKEN, GymServer, masked, scored

from ratchet_trainer.__main__ import load, named_end
from ratchet_trainer.events import Events, Stopped
from ratchet_trainer.gym_client import GymClient


def end_of(job_path: Path) -> Stopped:
    from ratchet_trainer.train import run

    job, train, validation = load(job_path)
    events = Events(job.fencing, job.output_dir / "metrics.jsonl", io.StringIO())
    with pytest.raises((Stopped, Exception)) as caught:
        run(job, train, validation, events)
    return named_end(caught.value)


def test_weights_that_stop_being_numbers_end_as_nan(random_base: Path, make_job: MakeJob) -> None:
    with GymServer() as gym:
        end = end_of(make_job(random_base, gym.url, hyper={"steps": 4, "learningRate": 1e30}))
    assert end.kind == "nan"


def test_a_reward_that_never_differs_ends_as_dead_reward(random_base: Path, make_job: MakeJob) -> None:
    validation = {"everySteps": 50, "temperature": 0.7, "maxTurns": 2}
    hyper = {"steps": 50, "maxCompletionTokens": 8}
    with GymServer(lambda _: scored(0)) as gym:
        job = make_job(random_base, gym.url, hyper=hyper, validation=validation)
        assert end_of(job).kind == "dead_reward"
    assert [e["step"] for e in metrics(job) if e["type"] == "step"] == list(range(1, 11))


def test_an_environment_that_measures_nothing_ends_as_masked_share(random_base: Path, make_job: MakeJob) -> None:
    validation = {"everySteps": 50, "temperature": 0.7, "maxTurns": 2}
    hyper = {"steps": 50, "maxCompletionTokens": 8}
    with GymServer(lambda _: masked()) as gym:
        job = make_job(random_base, gym.url, hyper=hyper, validation=validation)
        assert end_of(job).kind == "masked_share"
    steps = [e for e in metrics(job) if e["type"] == "step"]
    assert len(steps) == 10 and all(e["maskedShare"] == 1 and e["gradNorm"] == 0 for e in steps)


def test_an_environment_that_is_gone_ends_as_unreachable(random_base: Path, make_job: MakeJob) -> None:
    with GymServer() as gym:
        url = gym.url
    assert end_of(make_job(random_base, url)).kind == "environment_unreachable"


def test_an_environment_that_refuses_the_token_ends_as_unreachable() -> None:
    with GymServer() as gym, pytest.raises(Stopped, match="401") as caught:
        GymClient(gym.url, "stale", "state").seed("task-1")
    assert caught.value.kind == "environment_unreachable"


def test_a_busy_environment_is_asked_again() -> None:
    with GymServer() as gym:
        gym.failures = 2
        assert GymClient(gym.url, TOKEN, "state").seed("task-1") == "sid=0"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MemoryError(), "out_of_memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"), "out_of_memory"),
        (ValueError("something else"), "internal"),
    ],
)
def test_other_errors_have_names_too(error: Exception, kind: str) -> None:
    assert named_end(error).kind == kind
