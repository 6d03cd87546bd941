"""The part of the graph that is an ordinary agent: a model that asks for tools that nobody declared.

A script names what the agent does, and of which kind its tools are: "async: book" or "plain: book". The model
refuses a conversation as every provider does, if a tool call in it has no result. So a server that leaves one
behind fails the next message.
"""

# LangGraph fills in the keys of a state that are given, which no type says.
# pyright: reportTypedDictNotRequiredAccess=false

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import END
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode

from checks.conformance.gates import pass_by, pass_by_in_thread, wait_at, wait_in_thread_at, wait_stubbornly

STEPS: dict[str, tuple[tuple[str, ...], ...]] = {
    "book": (("book",),),
    "hold and book": (("book",),),
    "look": (("look",),),
    "look and book": (("look",), ("book",)),
    "book and pay": (("book", "pay"),),
    "insist": (("insist",),),
}
"""By script, the tools that the model asks for in each of its turns."""


class State(TypedDict, total=False):
    """What a run knows; `messages` lives on from run to run."""

    message: str
    user_id: str
    answer: str
    messages: Annotated[list[AnyMessage], add_messages]


@tool("look_async")
async def look(user: str) -> str:
    """Look something up, at once."""
    await pass_by(user, "look")
    return "seen"


@tool("book_async")
async def book(user: str) -> str:
    """Book, past a gate."""
    await wait_at(user, "book")
    return "booked"


@tool("pay_async")
async def pay(user: str) -> str:
    """Pay, past another one."""
    await wait_at(user, "pay")
    return "paid"


@tool("insist_async")
async def insist(user: str) -> str:
    """Catch the first cancellation, and go on."""
    await wait_stubbornly(user, "insist")
    return "insisted"


@tool("look_plain")
def look_in_thread(user: str) -> str:
    """Look something up in a thread."""
    pass_by_in_thread(user, "look")
    return "seen"


@tool("book_plain")
def book_in_thread(user: str) -> str:
    """Book in a thread."""
    wait_in_thread_at(user, "book")
    return "booked"


@tool("pay_plain")
def pay_in_thread(user: str) -> str:
    """Pay in a thread."""
    wait_in_thread_at(user, "pay")
    return "paid"


class Scripted(BaseChatModel):
    """Asks for the tools of the last message's script, turn by turn, then says that it is done."""

    user: str

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        check(messages)
        begin = max(at for at, each in enumerate(messages) if isinstance(each, HumanMessage))
        kind, _colon, script = messages[begin].text.partition(": ")
        turns = STEPS.get(script, ())
        asked = [each for each in messages[begin:] if isinstance(each, AIMessage) and each.tool_calls]
        said = AIMessage("Done.")
        if len(asked) < len(turns):
            calls = [
                # Told apart from those of an earlier message by the place of the message.
                {"name": f"{name}_{kind}", "args": {"user": self.user}, "id": f"{begin}.{len(asked)}.{name}"}
                for name in turns[len(asked)]
            ]
            said = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


def check(messages: Sequence[BaseMessage]) -> None:
    """Raise ValueError for a conversation in which a tool call has no result, or a result no call."""
    owed: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage) and message.tool_call_id in owed:
            owed.remove(message.tool_call_id)
        elif isinstance(message, ToolMessage) or owed:
            raise ValueError(f"a call and its result do not go together: {message}")
        elif isinstance(message, AIMessage):
            owed = {str(call["id"]) for call in message.tool_calls}
    if owed:
        raise ValueError(f"calls without a result: {owed}")


async def model(state: State) -> State:
    """Have the model say what comes next."""
    said = await Scripted(user=state["user_id"]).ainvoke(state["messages"])
    return {"messages": [said], "answer": said.text}


async def ready(state: State) -> State:
    """Stand between the model that has asked for a tool and the tool."""
    if "hold" in state["message"]:
        await wait_at(state["user_id"], "ready")
    return {}


tools_of_graph = ToolNode([look, book, pay, insist, look_in_thread, book_in_thread, pay_in_thread])


async def tools(state: State) -> Any:
    """Run the tools; a script that only looks waits once they have ended, before its step is committed."""
    results = await tools_of_graph.ainvoke(state)
    if state["message"].endswith(": look"):
        await wait_at(state["user_id"], "committing")
    return results


async def after_the_model(state: State) -> str:
    """Run the tools that the model has asked for, or end."""
    last = state["messages"][-1]
    return "ready" if isinstance(last, AIMessage) and last.tool_calls else END
