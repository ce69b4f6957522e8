"""One GRPO run, read downward. Differs from TRL's own script in this: rewards are an environment's verdicts over HTTP, a turn
is read as serving reads it, and the adapter is the checkpoint that does best on validation. Knows nothing of gates."""

from __future__ import annotations

import time
from typing import Any

from .events import Events
from .gym_client import GymClient
from .job import Job, Task

EXPORT_PROMPTS = 6


def run(job: Job, train_tasks: list[Task], validation_tasks: list[Task], events: Events) -> None:
    """Trains and writes `<output>/adapter`. Raises Stopped for every named end."""
    events.write("phase", phase="importing")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
    from trl import GRPOTrainer

    from .adapter import card_of, merged, publish
    from .checkpoints import Checkpoints
    from .episodes import episode_factory
    from .rewards import VerdictReward
    from .tool_calls import serve_like
    from .validation import Decoding, Validator
    from .watchers import StepReporter

    class Trainer(GRPOTrainer):
        def _generate(self, prompts: list[Any]) -> Any:
            with merged(self.model):
                return super()._generate(prompts)

    torch.set_num_threads(job.threads)
    set_seed(job.seed)

    events.write("phase", phase="loading")
    hyper = job.hyper
    tokenizer = AutoTokenizer.from_pretrained(job.base.path, padding_side="left")
    serve_like(tokenizer)
    model = AutoModelForCausalLM.from_pretrained(job.base.path, dtype=torch.float32)
    client = GymClient(job.environment.base_url, job.environment.token, job.environment.verifier)
    reward = VerdictReward(hyper.generations, hyper.max_completion_tokens)
    turn_tokens = card_of(job.base.path).get("decoding", {}).get("maxTokensPerTurn", hyper.max_completion_tokens)
    decoding = Decoding(job.validation.temperature, job.validation.max_turns, turn_tokens)
    checkpoints = Checkpoints(job, events, Validator(client, tokenizer, validation_tasks, decoding))
    trainer = Trainer(
        model=model,
        args=_arguments(job, turn_tokens),
        train_dataset=_dataset(train_tasks),
        processing_class=tokenizer,
        environment_factory=episode_factory(client, job.environment.tools_json),
        reward_funcs=reward,
        peft_config=_lora(job),
        callbacks=[StepReporter(events, reward, hyper.steps), checkpoints],
    )

    events.write("phase", phase="training")
    started = time.monotonic()
    trainer.train()
    train_seconds = time.monotonic() - started

    events.write("phase", phase="saving")
    chosen = checkpoints.best()
    prompts = [
        tokenizer.apply_chat_template(task.messages, add_generation_prompt=True, tokenize=False)
        for task in validation_tasks[:EXPORT_PROMPTS]
    ]
    folder = publish(job, chosen.folder, tokenizer(prompts, add_special_tokens=False)["input_ids"])
    events.write(
        "done",
        adapterDir=str(folder),
        chosenStep=chosen.step,
        deltaNorm=chosen.delta_norm,
        trainSeconds=train_seconds,
    )


def _arguments(job: Job, turn_tokens: int) -> Any:
    from trl import GRPOConfig

    hyper = job.hyper
    return GRPOConfig(
        output_dir=str(job.output_dir / "trainer"),
        per_device_train_batch_size=hyper.prompts_per_step * hyper.generations,
        num_generations=hyper.generations,
        max_completion_length=hyper.max_completion_tokens,
        # A turn is cut where serving would cut it; one run-away turn would keep its whole batch waiting besides.
        generation_kwargs={"max_new_tokens": min(turn_tokens, hyper.max_completion_tokens)},
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
        # The filter shows the last good loss in place of a NaN.
        logging_nan_inf_filter=False,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        # TRL's default is mixed bfloat16, which a CPU without instructions for it works out ten times slower.
        bf16=False,
        activation_checkpointing=False,
        disable_tqdm=True,
        seed=job.seed,
    )


def _lora(job: Job) -> Any:
    from peft import LoraConfig

    return LoraConfig(
        r=job.lora.rank,
        lora_alpha=job.lora.alpha,
        lora_dropout=job.lora.dropout,
        target_modules=job.lora.target_modules,
        task_type="CAUSAL_LM",
    )


def _dataset(tasks: list[Task]) -> Any:
    from datasets import Dataset

    return Dataset.from_list([{"prompt": task.messages, "task_id": task.id} for task in tasks])
