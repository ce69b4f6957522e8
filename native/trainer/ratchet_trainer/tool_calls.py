"""Reads a policy's turn the way serving does, so that training pays for what production would do.

A turn that is `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, once or more and nothing else, is calls; any other
text is content, also text that only resembles a call (Source: vLLM's hermes parser, with its tolerance of a tail taken away).
"""

from __future__ import annotations

import json
import re
from typing import Any

_CALL = r"<tool_call>((?:(?!</?tool_call>).)*)</tool_call>"
_ONLY_CALLS = re.compile(rf"\s*(?:{_CALL}\s*)+", re.S)
_EACH_CALL = re.compile(_CALL, re.S)


def parse_turn(text: str, ended: bool) -> dict[str, Any]:
    """The assistant message of a turn. One that was cut off (`ended` false) is no call, even if it reads like one."""
    calls = _calls(text) if ended else None
    if calls is None:
        return {"role": "assistant", "content": text}
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": c} for c in calls]}


def read_tokens(tokenizer: Any, ids: list[int]) -> dict[str, Any]:
    """parse_turn of tokens."""
    ended = bool(ids) and ids[-1] == tokenizer.eos_token_id
    return parse_turn(tokenizer.decode(ids, skip_special_tokens=True), ended)


def serve_like(tokenizer: Any) -> None:
    """Puts this reading in place of the tokenizer's own, which TRL asks."""
    tokenizer.parse_response = lambda ids, **_: read_tokens(tokenizer, ids)


def _calls(text: str) -> list[dict[str, Any]] | None:
    if _ONLY_CALLS.fullmatch(text) is None:
        return None
    calls = [_call(body) for body in _EACH_CALL.findall(text)]
    return None if None in calls else calls


def _call(body: str) -> dict[str, Any] | None:
    try:
        call = json.loads(body, parse_constant=_refuse)
    except ValueError:
        return None
    if not isinstance(call, dict) or not isinstance(call.get("arguments"), dict):
        return None
    name = call.get("name")
    return {"name": name, "arguments": call["arguments"]} if isinstance(name, str) and name else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
