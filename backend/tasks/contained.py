"""Makes the asyncio tasks that start within a run: they belong to its scope, and cannot end the process.

asyncio hands `SystemExit` and `KeyboardInterrupt` of any asyncio task on to the runner of the event loop. A
node or tool may raise them: `sys.exit()` in a script that became a tool, a library that gives up. So in the
asyncio tasks of a run they become an error. A real Ctrl-C raises nothing: the server handles its signal.
"""

import asyncio
from collections.abc import Coroutine
from contextvars import copy_context
from functools import partial
from traceback import clear_frames
from types import TracebackType
from typing import Any, TypeVar

from .cancel_scope import SCOPE, RunTask
from .programs import own_programs
from .user_threads import THREADS_OF, CodeExitedError

T = TypeVar("T")


async def contained(coroutine: Coroutine[Any, Any, T], *, owns_programs: bool = True) -> T:
    """Await a coroutine of a graph, a run or that of a node or tool, to which belong the programs it starts.

    Raises `CodeExitedError` for `SystemExit` and `KeyboardInterrupt`, and for its own `GeneratorExit`, of
    which LangGraph reports nothing.
    """
    if owns_programs:
        own_programs()
    try:
        with _FramesCleared():
            return await coroutine
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        at = error.__traceback__
        if isinstance(error, GeneratorExit) and at is not None and at.tb_next is None:
            raise  # raised here and not in the coroutine: Python closes this one
        raise CodeExitedError(f"{type(error).__name__} was raised") from error


class _FramesCleared:
    """Clears the frames of a cancelled asyncio task.

    Its traceback keeps them until the garbage collector runs, and in them the half-read stream of a model
    whose client has no coroutines: a generator that LangChain reads in threads, and whose connection closes
    once it is freed. Until then the model writes on.
    """

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, asyncio.CancelledError):
            clear_frames(trace)


def contain_exits(loop: asyncio.AbstractEventLoop) -> None:
    """Have a loop make the asyncio tasks of runs so; 2 us each. Others are left alone."""
    loop.set_task_factory(_new_task)


def _new_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> "asyncio.Task[Any]":
    context = options.get("context")
    user_id = THREADS_OF.get() if context is None else context.get(THREADS_OF, "")
    scope = SCOPE.get() if context is None else context.get(SCOPE)
    if scope is None and not user_id:
        return asyncio.Task(coroutine, loop=loop, **options)
    # LangGraph and LangChain give the task of each node and tool a context. A task that such code starts (by
    # `gather`, or by `wait_for` before Python 3.12) gets none: its programs are those of the node or tool.
    work = contained(coroutine, owns_programs=context is not None)
    options["context"] = copy_context() if context is None else context
    task = RunTask[Any](work, scope=scope, loop=loop, **options)
    # A task that is cancelled before its first step never awaits it, and Python would warn of that.
    task.add_done_callback(partial(_close, coroutine))
    return task


def _close(coroutine: Any, _: object) -> None:
    coroutine.close()
