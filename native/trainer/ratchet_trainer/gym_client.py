"""NeMo Gym's protocol over one kept-alive connection. Knows nothing of models or rewards' meaning."""

from __future__ import annotations

import http.client
import json
import socket
import time
from typing import Any
from urllib.parse import urlsplit

from .events import Stopped

RETRIES = 4
TIMEOUT_S = 30


class GymClient:
    """Speaks to one resources server. Raises Stopped("environment_unreachable") when it stays away."""

    def __init__(self, base_url: str, token: str, verifier: str) -> None:
        parts = urlsplit(base_url)
        if parts.scheme != "http" or parts.hostname is None:
            raise Stopped("bad_job", f"the environment's address {base_url} is not an http URL")
        self._host, self._port, self._path = parts.hostname, parts.port or 80, parts.path.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        self._verifier = verifier
        self._connection: http.client.HTTPConnection | None = None

    def seed(self, task_id: str) -> str:
        """Opens an episode and returns its cookie."""
        status, headers, body = self._post("/seed_session", {"task_id": task_id, "verifier": self._verifier}, None)
        if status >= 400:
            raise Stopped("environment_refused", f"seed_session answered {status}: {body[:300]}")
        return (headers.get("set-cookie") or "").split(";")[0]

    def call_tool(self, cookie: str, name: str, arguments: dict[str, Any]) -> str:
        """The observation. A lost session is told to the policy too; its verdict will be a mask."""
        return self._post(f"/{name}", arguments, cookie)[2]

    def verify(self, cookie: str, task_id: str, output: list[dict[str, Any]], incomplete: str | None) -> dict[str, Any]:
        """The verdict; closes nothing, may be asked again."""
        body = {"task_id": task_id, "verifier": self._verifier, "response": {"output": output}, "incomplete": incomplete}
        status, _, text = self._post("/verify", body, cookie)
        if status >= 400:
            raise Stopped("environment_refused", f"verify answered {status}: {text[:300]}")
        return json.loads(text)

    def close(self, cookie: str) -> None:
        self._post("/close_session", {}, cookie)

    def _post(self, path: str, body: Any, cookie: str | None) -> tuple[int, http.client.HTTPMessage, str]:
        headers = {**self._headers, **({"cookie": cookie} if cookie else {})}
        last: Exception | None = None
        for attempt in range(RETRIES):
            try:
                connection = self._open()
                connection.request("POST", self._path + path, json.dumps(body), headers)
                response = connection.getresponse()
                text = response.read().decode()
                if response.status < 500:
                    return response.status, response.headers, text
                last = RuntimeError(f"{path} answered {response.status}")
            except (OSError, http.client.HTTPException) as error:
                last = error
            self._connection = None
            time.sleep(0.2 * 2**attempt)
        raise Stopped("environment_unreachable", f"the environment does not answer: {last}")

    def _open(self) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)
            self._connection.connect()
            self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._connection
