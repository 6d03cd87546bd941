"""The graph in Chainlit: one thread a session, its state in a checkpointer, its text streamed to the page."""

import chainlit as cl
from graph import builder, note
from langgraph.checkpoint.memory import InMemorySaver

graph = builder.compile(checkpointer=InMemorySaver())


@cl.on_message
async def on_message(message: cl.Message) -> None:
    note("chat", "chat", message.content, context=cl.chat_context.to_openai())
    config = {"configurable": {"thread_id": cl.context.session.id}}
    reply = cl.Message(content="")
    async for piece in graph.astream({"message": message.content}, config, stream_mode="custom"):
        await reply.stream_token(piece.get("text") or piece["found"])
    await reply.send()
