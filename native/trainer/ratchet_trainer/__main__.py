"""python -m ratchet_trainer --job job.json. Exit codes: 0 done, 1 failed, 2 bad job, 3 parent gone (standard input closed)."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import traceback
from pathlib import Path

from .events import Events, Stopped
from .job import Job, Task, fencing_of, read_job, read_tasks

FAILED, BAD_JOB, ORPHANED = 1, 2, 3
# Nothing is fetched, nothing reported to a library's maker.
# Threads that spin while they wait for each other turn one busy neighbour on the machine into a tenfold slowdown.
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_WAIT_POLICY": "PASSIVE",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True)
    path = parser.parse_args().job
    try:
        job, train_tasks, validation_tasks = load(path)
    except (OSError, ValueError, LookupError, TypeError) as error:
        Events(fencing_of(path), None).write("failed", kind="bad_job", reason=f"{path.name}: {error}"[:2000])
        return BAD_JOB
    end_with_parent()
    # Compiling the libraries anew costs 8 s a start where the environment forbids to keep what was compiled.
    sys.dont_write_bytecode = False
    os.environ.update(ENVIRONMENT, OMP_NUM_THREADS=str(job.threads))
    events = Events(job.fencing, job.output_dir / "metrics.jsonl")
    # Libraries print what they like; standard output is for events alone.
    sys.stdout = sys.stderr
    try:
        from .train import run

        run(job, train_tasks, validation_tasks, events)
        return 0
    except (Stopped, Exception) as error:  # the boundary: every end has a name
        if not isinstance(error, Stopped):
            traceback.print_exc()
        end = named_end(error)
        events.write("failed", kind=end.kind, reason=end.reason)
        return FAILED


def load(path: Path) -> tuple[Job, list[Task], list[Task]]:
    """The job and its tasks, training and validation. Raises what reading or checking them raises."""
    job = read_job(path)
    train_tasks = read_tasks(job.data.train_path, at_least=job.hyper.prompts_per_step)
    return job, train_tasks, read_tasks(job.data.validation_path)


def named_end(error: BaseException) -> Stopped:
    """What ended the run, in the words of the contract."""
    if isinstance(error, Stopped):
        return error
    text = f"{type(error).__name__}: {error}"[:2000]
    if isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text:
        return Stopped("out_of_memory", text)
    # What torch says when a token is drawn by a policy whose weights are no numbers any more.
    if "probability tensor contains either" in text:
        return Stopped("nan", "the policy's token probabilities are not numbers")
    return Stopped("internal", text)


def end_with_parent() -> None:
    """The parent holds our standard input open; its end means that the parent is gone, however it went."""

    def wait() -> None:
        # Not sys.stdin: its lock, held by a thread that waits, is a fatal error when the interpreter ends.
        while os.read(0, 1024):
            pass
        os._exit(ORPHANED)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
