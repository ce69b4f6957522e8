"""Episodes as TRL's `environment_factory` wants them, and completions as the environment wants them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

from .gym_client import GymClient

PYTHON_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


def episode_factory(client: GymClient, tools_json: str) -> type:
    """A class whose public methods are the environment's tools; one instance is one episode at a time."""

    class Episode:
        def __init__(self) -> None:
            self._cookie = ""
            self._task_id = ""

        def reset(self, **row: Any) -> None:
            self._task_id = row["task_id"]
            self._cookie = client.seed(self._task_id)

        def _verify(self, output: list[dict[str, Any]], incomplete: str | None) -> dict[str, Any]:
            """The verdict; ends the episode."""
            verdict = client.verify(self._cookie, self._task_id, output, incomplete)
            client.close(self._cookie)
            return verdict

    for tool in json.loads(tools_json):
        setattr(Episode, tool["function"]["name"], _tool_method(client, tool["function"]))
    return Episode


def _tool_method(client: GymClient, function: dict[str, Any]) -> Callable[..., str]:
    """A typed, documented method: TRL reads the tool's schema off it. It takes any argument; the environment judges it."""
    name = function["name"]

    def method(self: Any, **arguments: Any) -> str:
        return client.call_tool(self._cookie, name, arguments)

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    types: dict[str, Any] = {"return": str}
    lines = [function.get("description") or name, "", "Args:"]
    for key, schema in function["parameters"].get("properties", {}).items():
        types[key] = PYTHON_TYPES.get(schema.get("type", "string"), str)
        parameters.append(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=types[key]))
        lines.append(f"    {key}: {schema.get('description') or key}")
    method.__name__ = method.__qualname__ = name
    method.__doc__ = "\n".join([*lines, "", "Returns:", "    What the tool answers."])
    method.__annotations__ = types
    method.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    return method


def response_items(completion: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Chat messages of one completion as Responses output items; text that no parser took stays text."""
    items: list[dict[str, Any]] = []
    unanswered: list[str] = []
    for message in completion:
        content = message.get("content")
        if message["role"] == "tool":
            call_id = unanswered.pop(0) if unanswered else f"call_{len(items)}"
            items.append({"type": "function_call_output", "call_id": call_id, "output": str(content)})
            continue
        calls = message.get("tool_calls") or []
        if content or not calls:
            part = {"type": "output_text", "text": content or ""}
            items.append({"type": "message", "role": "assistant", "content": [part]})
        for call in calls:
            call_id = f"call_{len(items)}"
            unanswered.append(call_id)
            name, arguments = call["function"]["name"], json.dumps(call["function"]["arguments"])
            items.append({"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments})
    return items
