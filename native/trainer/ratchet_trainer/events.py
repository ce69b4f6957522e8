"""What the trainer tells: one JSON line an event, on standard output and in metrics.jsonl. Source: TrainerEvent contract."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO


class Stopped(BaseException):
    """A named end of the run: nan, dead_reward, environment_unreachable, masked_share, out_of_memory, bad_job, internal.

    Not an Exception: TRL turns an exception inside a tool into an observation, and the run would go on without its
    environment.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class Events:
    """Writes events. Numbers that are not finite never reach a line: JSON has none, and a reader would lose the event."""

    def __init__(self, fencing: int, path: Path | None, stream: TextIO | None = None) -> None:
        self._fencing = fencing
        self._outputs = [stream or sys.stdout]
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._outputs.append(path.open("w", encoding="utf-8"))

    def write(self, type_: str, **fields: Any) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json.dumps({"type": type_, "at": at, "fencing": self._fencing, **fields}, allow_nan=False)
        for output in self._outputs:
            output.write(line + "\n")
            output.flush()
