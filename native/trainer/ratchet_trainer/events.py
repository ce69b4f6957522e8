"""What the trainer tells: one JSON line an event, on standard output and in metrics.jsonl. Source: TrainerEvent contract."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO


class Stopped(Exception):
    """A named end of the run: nan, dead_reward, environment_unreachable, masked_share, out_of_memory, bad_job, internal."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class Events:
    """Writes events. Numbers that are not finite never reach a line: JSON has none, and a reader would lose the event."""

    def __init__(self, fencing: int, path: Path | None, stream: TextIO = sys.stdout) -> None:
        self._fencing = fencing
        self._stream = stream
        self._file = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w")

    def write(self, type_: str, **fields: Any) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json.dumps({"type": type_, "at": at, "fencing": self._fencing, **fields}, allow_nan=False)
        for out in (self._stream, self._file):
            if out is not None:
                out.write(line + "\n")
                out.flush()
