"""A program that traces with `langfuse` 2 (PyPI), as its documentation shows. Host and keys come from the environment."""

import json

from langfuse import Langfuse

langfuse = Langfuse()
assert langfuse.auth_check()
trace = langfuse.trace(name="support", session_id="pypi-langfuse-2", input="Where is order 7?")
question = {"role": "user", "content": "Where is order 7?"}
call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"order": 7}'}}
found = {"state": "sent"}
asked = {"role": "assistant", "content": None, "tool_calls": [call]}
first = trace.generation(name="llm", model="tiny", input=[question])
first.end(output=asked, usage={"input": 12, "output": 3, "total": 15})
tool = trace.span(name="find", input={"order": 7})
tool.end(output=found)
answer = {"role": "tool", "tool_call_id": "c1", "content": json.dumps(found)}
second = trace.generation(name="llm", model="tiny", input=[question, asked, answer])
second.end(output="It was sent.", usage_details={"input": 20, "output": 5})
trace.update(output="It was sent.")
trace.score(name="outcome", value=1, comment="right")
langfuse.flush()
