"""A resources server for tests: NeMo Gym's protocol with sessions by cookie, and verdicts that a test chooses."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "test-token"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Does {name}.",
            "parameters": {"type": "object", "properties": {key: {"type": "string"} for key in keys}, "required": keys},
        },
    }
    for name, keys in {"find_event": ["name"], "cancel_event": ["id"], "create_task": ["title", "name"]}.items()
]


@dataclass
class Session:
    task_id: str
    calls: list[tuple[str, Any]] = field(default_factory=list)
    verify_body: dict[str, Any] | None = None
    closed: bool = False


Judge = Callable[[Session], dict[str, Any]]


def scored(reward: float, **more: Any) -> dict[str, Any]:
    base = {"mask_sample": False, "success": reward == 1, "unsafe": False, "stop_reason": "stop", "reward_components": {}}
    return {**base, "reward": reward, **more}


def masked() -> dict[str, Any]:
    return {**scored(0), "mask_sample": True, "failure_kind": "session_lost", "failure_reason": "gone"}


def by_length(session: Session) -> dict[str, Any]:
    """A reward that differs between rollouts: whether the items' text has an even length."""
    return scored(float(len(json.dumps(session.verify_body["response"]["output"])) % 2 == 0))


class GymServer:
    """Use as a context manager. `sessions` holds every episode; `failures` requests are answered 503 first."""

    def __init__(self, judge: Judge = by_length) -> None:
        self.judge = judge
        self.sessions: list[Session] = []
        self.failures = 0
        self.connections = 0
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/environments/e1/gym"

    def __enter__(self) -> GymServer:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, name: str, body: Any, cookie: str | None) -> tuple[int, str | dict[str, Any]]:
        if name == "seed_session":
            self.sessions.append(Session(body["task_id"]))
            return 200, {}
        session = self.sessions[int((cookie or "").removeprefix("sid="))]
        if name == "verify":
            session.verify_body = body
            return 200, self.judge(session)
        if name == "close_session":
            session.closed = True
            return 200, {}
        session.calls.append((name, body))
        return 200, '{"id": "123"}' if name == "find_event" else '{"ok": "yes"}'

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def do_POST(self) -> None:  # noqa: N802 (the name http.server asks for)
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                name = self.path.rsplit("/", 1)[1]
                status, answer = self._answer(name, body)
                content = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                self.send_response(status)
                if name == "seed_session":
                    self.send_header("set-cookie", f"sid={len(server.sessions) - 1}; Path=/environments/e1/gym; HttpOnly")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def _answer(self, name: str, body: Any) -> tuple[int, str | dict[str, Any]]:
                if server.failures > 0:
                    server.failures -= 1
                    return 503, "busy"
                if self.headers["authorization"] != f"Bearer {TOKEN}":
                    return 401, "who are you?"
                return server.answer(name, body, self.headers["cookie"])

            def log_message(self, *_: object) -> None:
                pass

        return Handler
