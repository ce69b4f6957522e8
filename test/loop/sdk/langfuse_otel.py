"""A program that traces with `langfuse` 3 or newer (PyPI) over OpenTelemetry. Host and keys come from the environment."""

import json

from langfuse import get_client, propagate_attributes

langfuse = get_client()
assert langfuse.auth_check()
question = {"role": "user", "content": "Where is order 7?"}
call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"order": 7}'}}
found = {"state": "sent"}
asked = {"role": "assistant", "content": None, "tool_calls": [call]}
answer = {"role": "tool", "tool_call_id": "c1", "content": json.dumps(found)}
observe = langfuse.start_as_current_observation
with propagate_attributes(session_id="pypi-langfuse-otel"):
    with observe(name="support", as_type="agent", input="Where is order 7?") as agent:
        with observe(name="llm", as_type="generation", model="tiny", input=[question]) as first:
            first.update(output=asked, usage_details={"input": 12, "output": 3})
        with observe(name="find", as_type="tool", input={"order": 7}) as tool:
            tool.update(output=found)
        with observe(name="llm", as_type="generation", model="tiny", input=[question, asked, answer]) as second:
            second.update(output="It was sent.", usage_details={"input": 20, "output": 5})
        agent.update(output="It was sent.")
        trace_id = langfuse.get_current_trace_id()
langfuse.create_score(trace_id=trace_id, name="outcome", value=1, comment="right")
langfuse.flush()
