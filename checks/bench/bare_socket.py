"""The floor of an idle socket: uvicorn with an ASGI application that accepts a WebSocket and waits."""

from typing import Any

from checks.bench.uvicorn_settings import serve


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        return
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


if __name__ == "__main__":
    serve(app)
