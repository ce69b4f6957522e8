"""python -m ratchet_trainer --job job.json. Exit codes: 0 done, 1 failed, 2 bad job. Ends when standard input closes."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path

from .events import Events, Stopped
from .job import Job, read_job

ORPHANED = 3


def end_with_parent() -> None:
    """The parent holds our standard input open; its end means that the parent is gone, however it went."""

    def wait() -> None:
        while sys.stdin.buffer.read(1024):
            pass
        os._exit(ORPHANED)

    threading.Thread(target=wait, daemon=True).start()


def load(path: Path) -> Job:
    try:
        return read_job(path)
    except (OSError, ValueError) as error:
        Events(0, None).write("failed", kind="bad_job", reason=f"{path.name} is not a job: {error}"[:2000])
        sys.exit(2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True)
    job = load(parser.parse_args().job)
    end_with_parent()
    os.environ.update(TRL_EXPERIMENTAL_SILENCE="1", TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")
    events = Events(job.fencing, job.output_dir / "metrics.jsonl")
    # Libraries print what they like; standard output is for events alone.
    sys.stdout = sys.stderr
    from .train import run

    try:
        run(job, events)
        return 0
    except Stopped as stopped:
        events.write("failed", kind=stopped.kind, reason=stopped.reason)
    except MemoryError as error:
        events.write("failed", kind="out_of_memory", reason=f"memory ran out: {error}")
    except Exception as error:  # the boundary: any other end becomes a named one
        import traceback

        traceback.print_exc()
        events.write("failed", kind="internal", reason=f"{type(error).__name__}: {error}"[:2000])
    return 1


if __name__ == "__main__":
    sys.exit(main())
