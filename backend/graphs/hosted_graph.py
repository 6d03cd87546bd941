"""Serves any compiled LangGraph graph as a workflow, unchanged; the graph need not know Detour.

`graph_input` makes its input. Writes of its nodes with `get_stream_writer()` become partial results, starts
and ends of nodes agent updates; `graph_output` finds the reply in its final state.

A run is one `ainvoke`, so cancelling it is cancelling one coroutine. Plain functions that never wait take its
stream (`langgraph_internals.followed`). A run of `quick` in `checks/bench/graph.py` takes 0.78 ms of CPU; the
thread id adds 0.04, and following it 0.03.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
from langchain_core.messages import BaseMessage
from langgraph.errors import GraphRecursionError
from langgraph.store.base import BaseStore

from ..domain.encoding import encode
from ..domain.errors import BadInput, Conflict, GraphFailedError
from ..domain.questions import BARE_FIELD, InputRequest, PageResult, page_results
from ..domain.task import Message, Policy, TakenIn, Task
from ..domain.tool_call import ToolCall
from ..store.base import StateStore
from ..store.persons import is_of_person
from ..store.records import USER_STORE
from ..store.threads import unknown_step
from ..tasks.contained import contained
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext
from ..tasks.task_owner import TaskOwner
from ..tasks.user_threads import THREADS_OF
from ..tasks.workflow import Reading, Situation, StateWrite, WrittenState
from .followed_models import HOOKS, PREPARING, FollowedModels, ReplyingNodes
from .followed_tools import FollowedTools, MarkedNodes
from .graph_options import Graph, GraphOptions
from .graph_output import GraphStream, LoopCalls
from .history_repair import (
    AnsweredCalls,
    complete_conversation,
    find_unheard,
    ids_of,
    open_calls,
    turns_of_unknown,
)
from .hosted_calls import NODE_CONTEXT, WRITES, NodeContext, Toolbox, WritingTool
from .langgraph_internals import (
    SAVED,
    adds_to,
    called_between_steps,
    delta_channels,
    followed,
    stores_deltas,
)
from .page_tools import PAGE, PageTools, calls_since_the_user, hand_on_calls, serve_page
from .pausing import PausableRun, breakpoints_in, typed_answer
from .run_callbacks import handlers_of
from .state.client_writes import ClientWrites, command_of
from .state.state_fit import StateFit
from .state.store_operations import Operation, carried_out
from .state.thread import Beginning, StoredThreads, Thread, beginning_of, cut_off_calls, is_attempt_at
from .state.user_stores import KeptStore, StoreOfUser, StoreUse, UserStores
from .state.writer import ThreadWriter
from .steering import ModelNodes, TakingIn, Unanswered
from .support import GraphInterface
from .told_messages import ToldMessages

_STOPPED = (
    "The graph asked, or stopped at a breakpoint, but is compiled without a checkpointer: it cannot resume."
)
_DECLINED = "I stopped there, as you did not allow it. Not done: {}."
HISTORY = 50
"""Messages of the conversation that are read for a graph with `messages` in its state."""


class GraphWorkflow:
    """The parts of a `Workflow` that are the graph's own to decide, when it runs."""

    def result_sorter(self, found_for: Mapping[str, Any] | None, request: Mapping[str, Any] | None) -> None:
        """Return None: the graph decides which earlier findings it uses, those of other graphs too."""

    def result_filter(self, request: Mapping[str, Any] | None) -> None:
        """Return None: all that the graph finds is shown."""

    def read_keys(self, request: Mapping[str, Any] | None) -> None:
        """Do nothing: which tools a graph uses is not known before it runs."""


class HostedGraph(GraphWorkflow):
    """A workflow that runs one graph for every message: `graph`, or the one that `serve` is given later.

    `name` is the graph's among several of a server, "" if it is the only one. `continues` are the names of
    graphs whose thread it takes over from users who have none with it. `stores` are those of all graphs.
    """

    def __init__(
        self,
        graph: Graph | None = None,
        *,
        ledger: Ledger,
        owner: TaskOwner,
        options: GraphOptions | None = None,
        name: str = "",
        continues: Sequence[str] = (),
        stores: UserStores | None = None,
    ) -> None:
        self._ledger = ledger
        self._toolbox = Toolbox(owner)
        self._name = name
        self.threads: Sequence[str] = (name, *continues)
        self._stores = stores or UserStores()
        if graph is not None:
            self.serve(GraphInterface(graph, options or GraphOptions()))

    def serve(self, interface: GraphInterface) -> None:
        """Take the graph, before the first run and before calls that a lost process left are asked about."""
        self._interface = interface
        self.graph = graph = interface.graph
        for declared in WRITES.values():
            self._ledger.register(WritingTool(declared))
        self._keep_history = stores_deltas(graph)
        self._deltas = delta_channels(graph)
        self._fit = StateFit(graph)
        self._replying = ReplyingNodes(graph)
        self._shares_store = interface.options.shares_store
        self._unfollowed = frozenset(each.node for each in interface.reach if each.unfollowed)
        self._blocks_loop = any(each.blocking for each in interface.reach)
        self.takes, self.contexts, self._reply = interface.takes, interface.context, interface.reply
        self._adds_messages = adds_to(graph, self.takes.conversation_field)
        self._asking = ModelNodes()
        self._steers = not interface.not_steered
        self._own_tools = hand_on_calls(graph)

    def steer_policy(self, request: Mapping[str, Any] | None) -> Policy:
        """Return `steer` if the graph can take messages in, else `enqueue`."""
        return "steer" if self._steers else "enqueue"

    def read(self, message: str, situation: Situation) -> Reading:
        """Read the message as the answer to the first open question that its text answers, or as a new one.

        Raises `BadInput` for a new one without the context that the graph requires of each.
        """
        answers = typed_answer(message, situation.asked)
        if not answers:
            if self.contexts.asked_of_messages and not situation.answers_alone:
                self.contexts.check({})
            return Reading()
        return Reading(relation="answer", manner="answer", answers=answers, request=situation.previous)

    def read_with_values(self, message: str, given: Mapping[str, Any], situation: Situation) -> Reading:
        """Read a message that brings something for its run, or has it begin elsewhere; it answers nothing.

        What a page sends with each message keeps none from answering. Raises `BadInput` that names the value
        which the graph does not take.
        """
        if [*given] == [PAGE]:
            reading = self.read(message, situation)
            if reading.manner == "answer":
                return reading
        self.takes.check(given.get("input", {}))
        self.contexts.check(given.get("context", {}))
        if "content" in given and not self.takes.wants("messages"):
            raise BadInput("content: the graph takes text alone.")
        for name in given.get("configurable", {}):
            if name in ("user_id", "thread_id") or name.startswith(("__", "checkpoint")):
                raise BadInput(f"configurable.{name}: the server sets it.")
        if "checkpoint_id" in given and self.graph.checkpointer is False:
            raise BadInput("checkpoint_id: the graph has no thread, being compiled with checkpointer=False.")
        try:
            return Reading(request=orjson.loads(encode(given)))
        except TypeError as error:
            raise BadInput(f"{min(given)}: it has no JSON form: {error}.") from error

    async def check_stored(self, store: StateStore, user_id: str, request: Mapping[str, Any] | None) -> None:
        """Raise `NotFound` if a message names a step that its thread does not have, or has no more."""
        step_id = (request or {}).get("checkpoint_id")
        if step_id and await StoredThreads.of(self.threads, store, user_id).step(step_id) is None:
            raise unknown_step(step_id, field_name="checkpoint_id")

    async def write_state(self, write: StateWrite) -> WrittenState:
        """Make the steps of what a client writes to the user's thread; raises as `ClientWrites.written`."""
        writes = ClientWrites(
            self.graph,
            threads=self.threads,
            field=self.takes.conversation_field,
            fit=self._fit,
            deltas=self._deltas,
        )
        return await writes.written(write, self._ledger.calls_of)

    def read_answer(
        self,
        answer: Mapping[str, Any],
        question: InputRequest,
        previous: Mapping[str, Any] | None,
        *,
        asked: Sequence[InputRequest],
    ) -> Reading:
        """Return the answer unchanged, for the graph; one with results of several page calls answers all."""
        answers = {question.request_id: answer}
        told = answer.get(BARE_FIELD) if question.question.page_call is not None else None
        for each in asked:
            call = each.question.page_call
            if call is not None and page_results(told, call.call_id) is not None:
                answers[each.request_id] = answer
        return Reading(answers=answers, request=previous)

    async def forget(self, user_id: str, *, aged: bool = False) -> None:
        """Store nothing of a user any more; all of it is in the state store."""
        self._stores.forget(user_id)
        self._fit.forget(user_id)

    async def use_items(self, use: StoreUse, turn: int, operations: Sequence[Operation]) -> list[Any]:
        """Carry out a client's operations on a user's items of a turn, as the graph sees them.

        Raises `BadInput`, and `Conflict` if the graph brings a store that all users share.
        """
        own = self.graph.store
        if turn != USER_STORE or own is None:
            return await self._stores.use(use, turn, operations)
        if self._shares_store:
            raise Conflict("The graph shares its store among all users: no client reaches it.")
        if is_of_person(use.user_id):
            raise BadInput(
                "namespace: the graph brings its own store: name the thread whose items are meant."
            )
        return await carried_out(StoreOfUser(own, use.user_id).abatch, operations, is_small=False)

    async def run(self, context: TaskContext) -> str | None:
        """Run the graph and return the reply in its final state; None if it has asked its user.

        Raises `GraphFailedError`, and whatever a node raises. Cancelling this cancels async nodes and waits
        for them; a plain one runs on in its thread, and its later writes are dropped.
        """
        graph, given = self.graph, context.task.request or {}
        on_loop = LoopCalls()
        tools = FollowedTools(context, self._ledger.observed, on_loop)
        # A graph that is compiled with `checkpointer=False` begins anew with each message.
        keeps_thread = graph.checkpointer is not False
        beginning = (
            await beginning_of(context, self.threads, given.get("checkpoint_id"))
            if keeps_thread
            else Beginning()
        )
        thread = beginning.thread
        page = PageTools(given.get(PAGE), but=self._own_tools)
        told = ToldMessages(
            context,
            self.takes.conversation_field,
            lambda: self._messages_of(beginning.thread),
            adds=self._adds_messages,
            of_page=page.names,
        )
        stream = GraphStream(context, graph.nodes.keys(), on_loop, told.added)
        models = FollowedModels(context, self._replying, told, self._asking)
        writer = self._writer(context, beginning) if keeps_thread else None
        taking_in = self._taking_in(context, beginning, writer, stream)
        run = PausableRun(
            context,
            agent_of=stream.agent_of,
            tools=tools,
            keep_history=self._keep_history,
            thread=writer,
            told_by_page=lambda answers: self._input_of(
                context, page.results(self._messages_of(thread), answers), page
            ),
        )
        run.breakpoints = breakpoints_in(given)
        store = self._store_of(context)
        # Its async methods load it when they are first used; plain ones cannot wait for a blocked event loop.
        if (keeps_thread or self._blocks_loop) and isinstance(store, KeptStore):
            await store.load()
        configuration: Any = {
            "run_name": "task",
            "callbacks": [*handlers_of(models, tools, on_loop), *self._marks(tools)],
            "configurable": {
                **self.contexts.configurable(context.user_id, given.get("context", {})),
                **given.get("configurable", {}),
                # Apart from the user's threads with other graphs, for whatever a node keeps by it.
                "thread_id": f"{context.user_id}:{self._name}" if self._name else context.user_id,
                **followed(streamed=stream.streamed, written=stream.written, store=store),
                **({} if taking_in is None else called_between_steps(taking_in.at)),
            },
        }
        if "recursion_limit" in given:  # else the graph's own counts, or LangGraph's
            configuration["recursion_limit"] = given["recursion_limit"]
        # Both hold for the asyncio task of this run, and for all that it starts.
        NODE_CONTEXT.set(
            NodeContext(context, self._ledger, self._toolbox, models, on_loop, self._name, taking_in)
        )
        serve_page(page)
        THREADS_OF.set(context.user_id)
        graph_input = None
        made = await run.calls_since_the_pause() if run.is_resumed else []
        cut_off = made if run.is_resumed else cut_off_calls(context, thread)
        # A resumed run has the state of its own checkpoint: it is checked with the next message.
        # A run that failed has left its steps: it is taken up where it stopped, if its user asks for that.
        # So is a state that a client wrote: there the message is none of the user's.
        is_written = "unsaid" in given and "command" not in given
        is_taken_up = thread is not None and (is_written or thread.asked_in in given.get("goes_on_from", ()))
        if not run.is_resumed and writer is not None:
            self._set_aside(context, beginning, goes_on=is_taken_up)
            writer.shape = self._fit.shape
        goes_on = run.is_resumed or is_attempt_at(context, thread) or is_taken_up
        answered = await self._answered(context, thread if goes_on else None, cut_off)
        answered.check(graph)
        if not goes_on:
            graph_input = await self._input(context, thread, given, page)
        run_context = self.contexts.of(context.user_id, given.get("context", {}))
        is_whole = False
        tools.begin_run()
        # A resumed run does not stream again what its steps before the question have written.
        wrote = None if graph_input is None else stream.wrote.keys()
        unanswered = Unanswered(self._reply, self.takes, context, wrote=wrote)
        try:
            own: Any = []  # the modes of `ainvoke`'s own stream: none, the state comes through `streamed`
            whole = answered.stand_in(graph) if answered else graph
            with self._explaining(context.user_id, stream):
                await contained(run.invoke(whole, graph_input, configuration, run_context, stream_mode=own))
                await self._go_on(unanswered, run, stream, (whole, configuration, run_context))
            # A node may swallow its cancellation: its run ends by itself then, cut off from its threads.
            is_whole = not context.closed
        finally:
            tools.end_run(is_whole=is_whole)
            if taking_in is not None:
                taking_in.end()
        if run.declined is not None:
            return _DECLINED.format(run.declined.agent)
        if run.paused or await self._waits(context, run, stream, page, configuration):
            return None
        # It may end where its tools were cut off, and answer nothing.
        if cut_off and self._reply.found(stream.state, context.task.message, wrote=wrote) in answered.told:
            raise answered.failure()
        return unanswered.reply(stream.state)

    async def _waits(
        self,
        context: TaskContext,
        run: PausableRun,
        stream: GraphStream,
        page: PageTools,
        configuration: Any,
    ) -> bool:
        """Ask what a graph that has not asked by itself waits for; return whether it waits for anything.

        Raises `GraphFailedError` if it could not be resumed.
        """
        graph = self.graph
        if stream.paused:
            if graph.checkpointer is False:
                raise GraphFailedError(_STOPPED)
            return await run.ask_to_go_on(graph, configuration, stream.state)
        asked = page.left_open(self._said_in(stream.state))
        if not asked or graph.checkpointer is False or not self._adds_messages:
            return False
        agent = next(reversed([*context.agents]), "graph")
        await run.ask_page(graph, configuration, asked, agent)
        return True

    async def _go_on(
        self, unanswered: Unanswered, run: PausableRun, stream: GraphStream, runs: tuple[Any, Any, Any]
    ) -> None:
        """Run a graph that has ended until it has answered what it took in; `runs` are its arguments."""
        own: Any = []
        graph, configuration, context = runs
        if graph.checkpointer is False:
            return  # nothing that it has taken in is kept
        while not (run.is_at_rest or stream.paused) and (again := unanswered.again(stream.state)) is not None:
            await contained(run.go_on(graph, again, configuration, context, stream_mode=own))

    @contextmanager
    def _explaining(self, user_id: str, stream: GraphStream) -> Generator[None]:
        """Raise `GraphFailedError` in place of an error that no node raised and no user understands."""
        try:
            yield
        except GraphRecursionError as error:
            raise GraphFailedError("The graph went on for more steps than it is allowed.") from error
        except Exception as error:
            self._fit.doubt(user_id)
            why = None if stream.has_failed else self._fit.refusal(error, stream.state, stream.wrote)
            if why is None:
                raise
            raise GraphFailedError(why) from error

    def _marks(self, tools: FollowedTools) -> list[MarkedNodes]:
        return [MarkedNodes(self._unfollowed, tools)] if self._unfollowed else []

    def _store_of(self, context: TaskContext) -> BaseStore:
        own = self.graph.store
        if own is None:
            return self._stores.of(context)
        return own if self._shares_store else StoreOfUser(own, context.user_id)

    def _taking_in(
        self, context: TaskContext, beginning: Beginning, writer: ThreadWriter | None, stream: GraphStream
    ) -> TakingIn | None:
        if not self._steers or context.inbox is None:
            return None

        channel = self.takes.conversation_field

        def asks_model(path: tuple[str, ...], runs: Any, is_answered: bool) -> bool:
            # The model of an agent comes behind the hooks before it; behind those after it perhaps nothing.
            node = path[-1]
            if node.endswith(HOOKS) or (len(path) > 1 and not self._replying.include(path)):
                return False
            if node == PREPARING:
                return True
            if is_answered and not self._asking.may_answer(path, runs, channel):
                return False
            # By its code until the node has run; from then on by whether it has asked one.
            return path in self._asking or (self._asking.may(path, runs) and not stream.has_run(path))

        taking_in = TakingIn(
            context,
            context.inbox,
            channel="" if self._interface.reads_pending else channel,
            asks_model=asks_model,
            known=lambda: ids_of(self._messages_of(beginning.thread)),
            is_stored=writer is not None,
        )
        if writer is not None:
            writer.taking_in = taking_in
        return taking_in

    def _writer(self, context: TaskContext, beginning: Beginning) -> ThreadWriter:
        return ThreadWriter(context, beginning, deltas=self._deltas, graph=self.threads[0])

    def _set_aside(self, context: TaskContext, beginning: Beginning, *, goes_on: bool) -> None:
        """Set aside the parts of the state that do not fit the graph, and record them with the task."""
        set_aside = self._fit.set_aside(beginning, context.user_id, goes_on=goes_on)
        if set_aside:
            context.revise(set_aside=set_aside)
            context.save()

    async def _answered(
        self, context: TaskContext, thread: Thread | None, cut_off: Sequence[ToolCall]
    ) -> AnsweredCalls:
        """Return the tool calls begun by the step from which a run goes on; `thread` is at that step."""
        said = self._messages_of(thread)
        made: list[ToolCall] = []
        step = thread.loaded[""].metadata["step"] + 1 if thread is not None else 0
        if thread is not None and open_calls(said):
            # Calls that a shutdown has cancelled are entries of the attempt that was shut down.
            before = await self._ledger.calls_of(context.user_id, thread.turn)
            calls = [*before, *context.tool_calls.values()]
            made = [each for each in calls if each.observed and each.call_id not in thread.calls]
        unanswered = frozenset(each.request_id for each in context.inputs.open)
        told = [each.question.page_call for each in context.inputs.all if not each.open]
        return AnsweredCalls(
            self.takes.conversation_field,
            said,
            step,
            made=made,
            cut_off=cut_off,
            unanswered=unanswered,
            told_by_page={each.call_id for each in told if each is not None},
        )

    def _input_of(self, context: TaskContext, told: Sequence[Any], page: PageTools) -> Any:
        """Return the input with which a graph goes on that has ended with calls for the page."""
        values: dict[str, Any] = {
            "message": context.task.message,
            "messages": told,
            "user_id": context.user_id,
            "previous_context": None,
            "partial_results": {},
        }
        return self.takes.of(values, {}, page)

    async def _input(
        self, context: TaskContext, thread: Thread | None, given: Mapping[str, Any], page: PageTools
    ) -> Any:
        if "command" in given:  # of a client, which has the graph go on elsewhere
            return command_of(given["command"])
        takes = self.takes
        merged = [each for each in context.task.took_in if each.before]
        wants_it = takes.wants("previous_context") or takes.wants("partial_results")
        left = context.previous.to_state() if context.previous and wants_it else None
        values: dict[str, Any] = {
            "message": "\n\n".join([*(each.text for each in merged), context.task.message]),
            "user_id": context.user_id,
            "previous_context": left,
            "partial_results": left["partial_results"] if left else {},
        }
        if takes.wants("messages"):
            said: Sequence[Any] = ()
            unheard: Sequence[TakenIn] = ()
            contents = {context.task.message_id: (context.task.request or {}).get("content")}
            if thread is None or not self._adds_messages:
                said = await self._said_before(context, thread)
            else:
                unheard, more_contents = await self._unheard(context, thread)
                contents |= more_contents
            task = context.task
            own = TakenIn(message_id=task.message_id, text=task.message)
            new = [
                self._as_said(contents.get(each.message_id) or each.text, each.message_id)
                for each in (*unheard, *merged, own)
            ]
            values["messages"] = [*said, *_earlier_of(task), *new]
        if thread is not None and self._messages_of(thread):
            # Half an answer is left out if no message of the user follows it: many models refuse to continue
            # one.
            half = await self._shown(context, thread) if takes.wants("messages") else ""
            await self._complete(context, thread, half)
        return takes.of(values, given.get("input", {}), page)

    async def _complete(self, context: TaskContext, thread: Thread, half_an_answer: str) -> None:
        """Complete the conversation that a run begins with, in place.

        A reducer such as `operator.add` could not replace messages by their ids.
        """
        calls = await self._calls_before(context, thread)
        left = [each for each in calls if each.turn == thread.turn and each.call_id not in thread.calls]
        said = self._messages_of(thread)
        had_page = context.previous is not None and PAGE in (context.previous.request or {})
        page = await self._told_by_page(context, thread) if had_page and calls_since_the_user(said) else None
        whole = complete_conversation(said, left, half_an_answer, earlier=calls, page=page or {})
        if whole is not None:
            thread.replace(self.takes.conversation_field, whole)
        # A graph within that is compiled with `checkpointer=True` keeps a conversation of its own.
        for graph, state in thread.loaded.items():
            for channel, said in [*state.values.items()] if graph else ():
                whole = complete_conversation(said, left, "", earlier=calls) if _are_messages(said) else None
                if whole is not None:
                    thread.replace(channel, whole, graph=graph)

    async def _told_by_page(self, context: TaskContext, thread: Thread) -> Mapping[str, PageResult | None]:
        """Return the calls that the thread's last run has left to the page, and what it has told of each."""
        told: dict[str, PageResult | None] = {}
        for each in await context.stored.inputs(thread.turn):
            call = each.question.page_call
            told |= {} if call is None else {call.call_id: None}
            told |= each.told_by_page
        return told

    async def _calls_before(self, context: TaskContext, thread: Thread) -> Sequence[ToolCall]:
        """Return the tool calls of the thread's last run with their outcomes by now.

        With those of earlier runs whose outcome the model knows as "not known".
        """
        await self._ledger.observed.wait_for_earlier_tasks(context)
        turns = {thread.turn, *turns_of_unknown(self._messages_of(thread))}
        calls = [await self._ledger.calls_of(context.user_id, turn) for turn in sorted(turns)]
        return [call for each in calls for call in each]

    async def _shown(self, context: TaskContext, thread: Thread) -> str:
        """Return the half answer that the last run of the thread was interrupted in, "" if there is none."""
        before = context.previous
        # A return to an earlier step takes back all that came after it, half an answer too.
        if not thread.is_newest:
            return ""
        if before is not None and before.turn == thread.turn:
            return before.text
        if not self._name:
            return ""
        # Tasks of other graphs came in between, and what that run left has been handed to the first of them.
        said = await context.stored.history(HISTORY)
        return next((each.text for each in said if each.turn == thread.turn and each.interrupted), "")

    def _said_in(self, state: Any) -> Sequence[Any]:
        said: Any = state.get(self.takes.conversation_field) if isinstance(state, Mapping) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return said if isinstance(said, list) else ()  # pyright: ignore[reportUnknownVariableType]

    def _messages_of(self, thread: Thread | None) -> Sequence[Any]:
        said: Any = thread.value(self.takes.conversation_field) if thread is not None else None
        return said if isinstance(said, list) else ()  # pyright: ignore[reportUnknownVariableType]

    async def _said_before(self, context: TaskContext, thread: Thread | None) -> list[dict[str, Any]]:
        """Return the conversation, or nothing to a function that has saved it itself and gets it back."""
        if self.takes.gets_previous and thread is not None and thread.value(SAVED) is not None:
            return []
        if (context.task.request or {}).get("checkpoint_id") == "":
            return []  # it begins before all that was said
        said = await _said_before(context)
        asked = await context.stored.recent_tasks(HISTORY) if said else ()
        contents = _contents_of(asked)
        earlier = [message for task in reversed(asked) for message in _earlier_of(task)]
        return earlier + [
            self._as_said(contents.get(each.message_id) or each.text, each.message_id)
            if each.role == "user"
            else {"role": each.role, "content": each.text}
            for each in said
        ]

    async def _unheard(
        self, context: TaskContext, thread: Thread
    ) -> tuple[Sequence[TakenIn], Mapping[str, Any]]:
        """Return the messages of interrupted runs that are not in the thread, and the blocks of each."""
        # Most runs before have stored their input; and some users go on from a step of their choice.
        has_input = thread.loaded[""].metadata.get("source") != "input"
        is_chosen = not thread.is_newest or "checkpoint_id" in (context.task.request or {})
        # A queued one may have run, and left nothing, behind the one that has stored the last step.
        is_last = context.previous is None or context.previous.turn == thread.turn
        if is_chosen or (has_input and is_last and thread.turn == context.task.turn - 1):
            return (), {}
        queued = context.inbox.queued if context.inbox is not None else ()
        tasks = await context.stored.recent_tasks(HISTORY)
        said = ids_of(self._messages_of(thread))
        found = find_unheard(context.task, tasks, said, turn=thread.turn, has_input=has_input)
        waiting = {task.message_id for task in queued}
        return [each for each in found if each.message_id not in waiting], _contents_of(tasks)

    def _as_said(self, content: Any, message_id: str) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "user", "content": content}
        # With an id of its own: it replaces the message that a lost attempt has added already.
        return message | {"id": message_id} if self._adds_messages else message


def _are_messages(value: Any) -> bool:
    said: list[Any] = value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]
    return bool(said) and isinstance(said[-1], BaseMessage)


def _earlier_of(task: Task) -> list[dict[str, Any]]:
    """Return what was said before a conversation began here, as the message has brought it.

    With ids, by which messages that a lost attempt has added already are replaced.
    """
    said: Sequence[Mapping[str, Any]] = (task.request or {}).get("earlier", ())
    return [{**each, "id": f"{task.message_id}-before-{number}"} for number, each in enumerate(said)]


def _contents_of(tasks: Iterable[Task]) -> dict[str, Any]:
    """Return the blocks of the messages that asked for tasks, by the ids of the messages; None for text."""
    return {each.message_id: (each.request or {}).get("content") for each in tasks}


async def _said_before(context: TaskContext) -> list[Message]:
    """Return the messages of user and assistant before this task.

    Leaves out queued messages and withdrawn ones, markers of interruptions, which no model expects between
    messages, those that the task has merged, and the copy of this message from a task that was lost with its
    process.
    """
    task = context.task
    taken = {each.message_id for each in task.took_in}
    # By its turn, a message that was queued may come before one that has interrupted the task in its way. So
    # may that of a lost task, whose retry is queued.
    waiting = context.inbox.queued if context.inbox is not None else ()
    queued = {name for each in waiting for name in (each.task_id, each.asked_in)}
    return [
        message
        for message in await context.stored.history(HISTORY)
        if message.turn < task.turn
        and message.role != "system"
        and message.steer != "withdrawn"
        and message.task_id not in queued
        and message.message_id not in taken
        and not _is_asked_again(message, task)
    ]


def _is_asked_again(message: Message, task: Task) -> bool:
    return message.role == "user" and message.task_id == task.asked_in
