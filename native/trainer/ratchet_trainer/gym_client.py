"""NeMo Gym's protocol over one kept-alive connection. Knows nothing of models, or of what a reward means."""

from __future__ import annotations

import http.client
import json
import socket
import time
from typing import Any
from urllib.parse import quote, urlsplit

from .events import Stopped

ATTEMPTS = 4
FIRST_PAUSE_S = 0.25
TIMEOUT_S = 30
# Servers close a connection that was idle for a while (Node: 5 s); a request sent into one may or may not have run.
MOST_IDLE_S = 2.0


class GymClient:
    """Speaks to one resources server. Raises Stopped("environment_unreachable") when it stays away or refuses."""

    def __init__(self, base_url: str, token: str, verifier: str) -> None:
        parts = urlsplit(base_url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        self._verifier = verifier
        self._connection: http.client.HTTPConnection | None = None
        self._used_at = 0.0

    def seed(self, task_id: str) -> str:
        """Opens an episode and returns its cookie."""
        status, headers, text = self._post("/seed_session", {"task_id": task_id, "verifier": self._verifier}, None)
        _assert_taken("seed_session", status, text)
        return (headers.get("set-cookie") or "").split(";")[0]

    def call_tool(self, cookie: str, name: str, arguments: Any) -> str:
        """The observation. A refusal is told to the policy too: its episode's verdict will be a mask."""
        return self._post(f"/{quote(name, safe='')}", arguments, cookie)[2]

    def verify(self, cookie: str, task_id: str, output: list[dict[str, Any]], incomplete: str | None) -> dict[str, Any]:
        """The verdict on the episode, whose transcript is `output`, Responses items."""
        body = {
            "task_id": task_id,
            "verifier": self._verifier,
            "responses_create_params": {"input": []},
            "response": {
                "output": output,
                "incomplete_details": {"reason": "max_output_tokens"} if incomplete == "length" else None,
            },
            "incomplete": incomplete,
        }
        status, _, text = self._post("/verify", body, cookie)
        _assert_taken("verify", status, text)
        return json.loads(text)

    def close(self, cookie: str) -> None:
        self._post("/close_session", {}, cookie)

    def _post(self, path: str, body: Any, cookie: str | None) -> tuple[int, http.client.HTTPMessage, str]:
        headers = {**self._headers, **({"cookie": cookie} if cookie else {})}
        content = json.dumps(body)
        last = ""
        for attempt in range(ATTEMPTS):
            if attempt > 0:
                time.sleep(FIRST_PAUSE_S * 2 ** (attempt - 1))
            try:
                response = self._send(path, content, headers)
                text = response.read().decode()
                if response.status < 500:
                    return response.status, response.headers, text
                last = f"{path} was answered {response.status}: {text[:200]}"
            except TimeoutError as error:
                # It may have run: asked again, a tool would act twice.
                raise Stopped("environment_unreachable", f"{path} took more than {TIMEOUT_S} s") from error
            except (OSError, http.client.HTTPException) as error:
                last = f"{type(error).__name__}: {error}"
            self._drop()
        raise Stopped("environment_unreachable", f"the environment does not answer, {ATTEMPTS} times tried: {last}")

    def _send(self, path: str, content: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        if time.monotonic() - self._used_at > MOST_IDLE_S:
            self._drop()
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)
            self._connection.connect()
            # Without it every request waits 40 ms for the acknowledgement of the one before.
            self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection.request("POST", self._path + path, content, headers)
        response = self._connection.getresponse()
        self._used_at = time.monotonic()
        return response

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _assert_taken(what: str, status: int, text: str) -> None:
    if status >= 400:
        raise Stopped("environment_unreachable", f"the environment refused {what} ({status}): {text[:300]}")
