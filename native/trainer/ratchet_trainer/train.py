"""One GRPO run, read downward. Differs from TRL's script in this: rewards are an environment's verdicts over HTTP, and the
checkpoint is chosen on validation. Knows nothing of gates."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from .events import Events, Stopped
from .gym_client import GymClient
from .job import Job, Task, read_tasks

EXPORT_PROMPTS = 6


def run(job: Job, events: Events) -> None:
    """Trains and writes `<output>/adapter`. Raises Stopped for every named end."""
    events.write("phase", phase="importing")
    import torch
    from peft import LoraConfig
    from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
    from trl import GRPOTrainer

    from .adapter import delta_norm, publish
    from .checkpoints import Checkpoints
    from .episodes import episode_factory
    from .rewards import VerdictReward
    from .validation import Validator
    from .watchers import StepReporter

    torch.set_num_threads(job.threads)
    set_seed(job.seed)

    events.write("phase", phase="loading")
    train_tasks, validation_tasks = read_tasks(job.data.train_path), read_tasks(job.data.validation_path)
    tokenizer = AutoTokenizer.from_pretrained(job.base.path, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(job.base.path, dtype=torch.float32)
    client = GymClient(job.environment.base_url, job.environment.token, job.environment.verifier)
    hyper = job.hyper
    reward = VerdictReward(hyper.generations, hyper.max_completion_tokens)
    validator = Validator(client, tokenizer, validation_tasks, job.validation.temperature, job.validation.max_turns)
    checkpoints = Checkpoints(job, events, validator)
    lora = LoraConfig(
        r=job.lora.rank,
        lora_alpha=job.lora.alpha,
        lora_dropout=job.lora.dropout,
        target_modules=job.lora.target_modules,
        task_type="CAUSAL_LM",
    )
    trainer = GRPOTrainer(
        model=model,
        args=_arguments(job),
        train_dataset=_dataset(train_tasks),
        processing_class=tokenizer,
        environment_factory=episode_factory(client, job.environment.tools_json),
        reward_funcs=reward,
        peft_config=lora,
        callbacks=[StepReporter(events, reward, hyper.steps), checkpoints],
    )
    checkpoints.model = trainer.model

    events.write("phase", phase="training")
    started = time.monotonic()
    trainer.train()
    train_seconds = time.monotonic() - started

    events.write("phase", phase="saving")
    if delta_norm(trainer.model) == 0:
        raise Stopped("no_change", "the adapter is the base itself after training")
    chosen = checkpoints.best()
    prompts = [
        tokenizer.apply_chat_template(task.messages, add_generation_prompt=True, tokenize=False)
        for task in validation_tasks[:EXPORT_PROMPTS]
    ]
    folder = publish(job, chosen.folder, tokenizer, prompts)
    events.write(
        "done",
        adapterDir=str(Path(folder).resolve()),
        chosenStep=chosen.step,
        deltaNorm=chosen.delta_norm,
        trainSeconds=train_seconds,
    )


def _arguments(job: Job) -> Any:
    from trl import GRPOConfig

    hyper = job.hyper
    return GRPOConfig(
        output_dir=str(job.output_dir / "trainer"),
        per_device_train_batch_size=hyper.prompts_per_step * hyper.generations,
        num_generations=hyper.generations,
        max_completion_length=hyper.max_completion_tokens,
        max_tool_calling_iterations=hyper.max_tool_iterations,
        learning_rate=hyper.learning_rate,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=hyper.warmup_steps,
        max_steps=hyper.steps,
        max_grad_norm=hyper.max_grad_norm,
        beta=hyper.beta,
        epsilon=hyper.epsilon_low,
        epsilon_high=hyper.epsilon_high,
        loss_type=hyper.loss_type,
        temperature=hyper.temperature,
        top_k=0,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        gradient_checkpointing=False,
        disable_tqdm=True,
        seed=job.seed,
    )


def _dataset(tasks: list[Task]) -> Any:
    from datasets import Dataset

    return Dataset.from_list([{"prompt": task.messages, "task_id": task.id} for task in tasks])
