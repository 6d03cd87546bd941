"""The floor that a server is measured against: create_task(graph.astream) and a WebSocket, no guarantees.

What a competent developer writes in an hour. Nothing is stored, numbered, replayed or bounded; the uvicorn
settings are the same as Detour's. `DETOUR_GRAPH` names the graph, as it does for Detour. With `DETOUR_SAVER`
set the graph has LangGraph's `InMemorySaver`, and each user a thread that goes on from message to message.
"""

import asyncio
import importlib
import os
from collections import defaultdict
from contextlib import aclosing
from typing import Any
from uuid import uuid4

import orjson
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from checks.bench.uvicorn_settings import serve

module, _, attribute = os.environ.get("DETOUR_GRAPH", "checks.bench.graph:quick").partition(":")
graph = getattr(importlib.import_module(module), attribute)()
keeps_threads = bool(os.environ.get("DETOUR_SAVER"))
if keeps_threads:
    graph.checkpointer = InMemorySaver()
app = FastAPI()
sockets: defaultdict[str, set[WebSocket]] = defaultdict(set)
running: dict[str, asyncio.Task[None]] = {}


class Chat(BaseModel):
    user_id: str
    message: str


async def send(user_id: str, frame: dict[str, Any]) -> None:
    text = orjson.dumps(frame).decode()
    for websocket in tuple(sockets[user_id]):
        try:
            await websocket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):
            sockets[user_id].discard(websocket)


async def run(task_id: str, chat: Chat) -> None:
    talks = "messages" in graph.channels
    modes = ["messages"] if talks else ["custom", "updates"]
    given = {"messages": [("user", chat.message)]} if talks else chat.model_dump()
    config = {"configurable": {"thread_id": chat.user_id}} if keeps_threads else None
    async with aclosing(graph.astream(given, config, stream_mode=modes)) as chunks:
        async for mode, data in chunks:
            await send(
                chat.user_id, {"type": mode, "task_id": task_id, "data": data[0].text if talks else data}
            )
    await send(chat.user_id, {"type": "done", "task_id": task_id})


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


@app.post("/chat", status_code=202)
async def post_chat(chat: Chat) -> dict[str, str]:
    task_id = uuid4().hex
    if (old := running.get(chat.user_id)) is not None:
        old.cancel()
    task = running[chat.user_id] = asyncio.create_task(run(task_id, chat))
    task.add_done_callback(lambda ended: running.get(chat.user_id) is ended and running.pop(chat.user_id))
    return {"task_id": task_id, "user_id": chat.user_id, "status": "running"}


@app.websocket("/ws/{user_id}")
async def subscribe(websocket: WebSocket, user_id: str) -> None:
    await websocket.accept()
    sockets[user_id].add(websocket)
    try:
        while True:
            await websocket.receive_text()
    except WebSocketDisconnect:
        sockets[user_id].discard(websocket)


if __name__ == "__main__":
    serve(app)
