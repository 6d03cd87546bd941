"""How the floors run uvicorn: as Detour does, so that only the application differs."""

import os
import socket
from typing import Any

import uvicorn

SETTINGS: dict[str, Any] = {
    "loop": "uvloop",
    "http": "httptools",
    "ws": os.environ.get("BENCH_WS", "websockets-sansio"),
    "ws_per_message_deflate": False,
    "access_log": False,
    "log_level": "warning",
    "timeout_graceful_shutdown": 1,
}


def serve(app: Any) -> None:
    """Serve on the port that `DETOUR_PORT` names until SIGTERM, and print where, as Detour does."""
    listener = socket.create_server(("127.0.0.1", int(os.environ["DETOUR_PORT"])))
    print(f"Serving at http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
    uvicorn.Server(uvicorn.Config(app, **SETTINGS)).run(sockets=[listener])
