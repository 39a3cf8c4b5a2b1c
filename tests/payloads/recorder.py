"""A server on this machine that keeps the body of each request, which is what would have been sent, and refuses it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, cast
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Callable

_SURROUNDINGS: Final = {
    # A proxy that the machine has would be asked for an address that only this machine knows.
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    # A developer's own traces would be sent elsewhere.
    "LANGSMITH_TRACING": "false",
}

_REFUSAL: Final = b'{"error": {"code": 400, "message": "recorded", "status": "INVALID_ARGUMENT", "type": "recorded"}}'
"""No client tries again after a 400."""

_MODEL: Final = b'{"name": "models/recorded", "inputTokenLimit": 1000000, "outputTokenLimit": 8192}'
"""What LlamaIndex' Gemini asks for when it is made."""


class Recorder(ThreadingHTTPServer):
    """Keeps what is posted to any path."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a port that is free."""
        super().__init__(("127.0.0.1", 0), _Refuser)
        self.bodies: list[bytes] = []
        """What was posted, in order."""

    @property
    def url(self) -> str:
        """Where clients are pointed to."""
        return f"http://127.0.0.1:{self.server_port}"


class _Refuser(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Keep the body, and refuse it."""
        cast("Recorder", self.server).bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(400, _REFUSAL)

    def do_GET(self) -> None:
        """Tell of a model."""
        self._answer(200, _MODEL)

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class gives it
        """Print nothing."""


@functools.cache
def recorder() -> Recorder:
    """Give the one of this process, which starts with the first request."""
    server = Recorder()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    atexit.register(server.server_close)
    return server


def recorded(send: Callable[[str], object]) -> dict[str, Any]:
    """Give the body of the one request that is sent to the URL.

    Raises:
        Exception: What the client raised, if it sent nothing.
    """
    server = recorder()
    server.bodies.clear()
    with patch.dict(os.environ, _SURROUNDINGS):
        try:
            send(server.url)
        except Exception:
            if not server.bodies:
                raise
    (body,) = server.bodies
    payload: dict[str, Any] = json.loads(body)
    return payload
