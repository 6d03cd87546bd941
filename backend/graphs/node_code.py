"""Reads the code of a graph's nodes without running it: their functions, and the values of names in them.

A name that cannot be resolved is `UNKNOWN`; a value that a library of LangChain's would return is `RUNNABLE`.
"""

import ast
import builtins
import functools
import inspect
import textwrap
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from multiprocessing.pool import Pool
from multiprocessing.process import BaseProcess
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

import structlog
from langchain_core.runnables import Runnable
from langchain_core.runnables.config import ContextThreadPoolExecutor
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel

from .graph_options import Graph

UNKNOWN: Any = object()
"""A value that is not known from the code alone."""

RUNNABLE: Any = object()
"""Some runnable, made while the code runs."""

_LIBRARIES = ("langchain", "langgraph", "deepagents")
_WITHOUT_RUNNABLES = (
    *("langgraph.types", "langgraph.config", "langgraph.runtime", "langgraph.graph.message"),
    *("langchain_core.messages", "langchain_core.callbacks"),
)
"""Their modules whose functions return something else: an answer, a writer, messages."""

_PARTS = ("func", "afunc", "steps", "first", "middle", "last", "bound")
_DEPTH = 8
"""Steps from a name to its value: assigned from another, an attribute of it, an item of it."""

Body = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A function that a node runs; `owner` is the object of a method, `names` are its bound arguments."""

    function: Any  # a `FunctionType`, which would be bound as a method
    owner: Any
    names: Mapping[str, Any]

    @property
    def body(self) -> Body:
        """Its syntax, if it is readable."""
        return cast("Body", _body(self.function))

    @property
    def is_readable(self) -> bool:
        """Whether its source is available."""
        return _body(self.function) is not None

    @property
    def enclosed(self) -> Mapping[str, Any]:
        """The names that it closes over with their values, `UNKNOWN` of those not assigned yet."""
        found: dict[str, Any] = {}
        cells = self.function.__closure__ or ()
        for name, cell in zip(self.function.__code__.co_freevars, cells, strict=False):
            try:
                found[name] = cell.cell_contents
            except ValueError:
                found[name] = UNKNOWN
        return found

    @property
    def is_async(self) -> bool:
        """Whether it is declared to run on the event loop."""
        return isinstance(self.body, ast.AsyncFunctionDef)

    def place(self, node: ast.AST) -> str:
        """Return the file and line of a part of it."""
        line = self.function.__code__.co_firstlineno + getattr(node, "lineno", 1) - 1
        return f"{self.function.__code__.co_filename.rsplit('/', 1)[-1]}:{line}"

    def value(self, of: ast.AST, depth: int = 0) -> Any:
        """Return what an expression stands for, `UNKNOWN` if that is not known."""
        if depth > _DEPTH:
            return UNKNOWN
        match of:
            case ast.Constant():
                return of.value
            case ast.Name():
                return self._named(of.id, depth)
            case ast.Attribute():
                return attribute(self.value(of.value, depth + 1), of.attr)
            case ast.Await():
                return self.value(of.value, depth + 1)
            case ast.Subscript():
                return _item(self.value(of.value, depth + 1), self.value(of.slice, depth + 1))
            case ast.BinOp(op=ast.BitOr()):
                sides = (self.value(of.left, depth + 1), self.value(of.right, depth + 1))
                return RUNNABLE if any(map(is_runnable, sides)) else UNKNOWN
            case ast.Call():
                return self._returned(of, depth)
            case _:
                return UNKNOWN

    def _named(self, name: str, depth: int) -> Any:
        if name in self.names:
            return self.names[name]
        assigned = _assigned(self.body).get(name)
        if assigned is not None:
            return self.value(assigned, depth + 1)
        if name in _local_names(self.body):
            return UNKNOWN
        enclosed = self.enclosed
        if name in enclosed:
            return enclosed[name]
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        return getattr(builtins, name, UNKNOWN)

    def _returned(self, call: ast.Call, depth: int) -> Any:
        called = self.value(call.func, depth + 1)
        if isinstance(call.func, ast.Attribute):
            made_of = self.value(call.func.value, depth + 1)
            if is_runnable(made_of):
                return UNKNOWN if call.func.attr in ("invoke", "ainvoke", "batch", "abatch") else RUNNABLE
            # `multiprocessing.get_context().Pool()`
            if isinstance(made_of, Made) and package_of(made_of.by) == "multiprocessing":
                return made_of
        if isinstance(called, type):
            return Made(cast("type[Any]", called))
        if package_of(called).startswith(_LIBRARIES):
            module = str(getattr(called, "__module__", ""))
            return UNKNOWN if module.startswith(_WITHOUT_RUNNABLES) else RUNNABLE
        if callable(called) and called is not UNKNOWN:
            return Made(called)
        return UNKNOWN


@dataclass(frozen=True, slots=True)
class Made:
    """The result of a class or a function that the code calls."""

    by: Any


def is_runnable(value: Any) -> bool:
    """Tell whether a value is a runnable of LangChain's, as models, chains, agents and tools are."""
    if isinstance(value, Made):
        return isinstance(value.by, type) and issubclass(value.by, Runnable)
    return value is RUNNABLE or isinstance(value, Runnable | Pregel)


def attribute(of: Any, name: str) -> Any:
    """Return an attribute of a value without running code of it, `UNKNOWN` if there is none to be seen."""
    if of is UNKNOWN or of is RUNNABLE or isinstance(of, Made):
        return UNKNOWN
    if isinstance(of, ModuleType):
        return vars(of).get(name, UNKNOWN)
    try:
        found: Any = inspect.getattr_static(of, name)
    except AttributeError:
        return UNKNOWN
    # A function that the object itself has, as a runnable has its node's, is no method of it.
    kind = cast("type[Any]", type(of))
    if isinstance(found, FunctionType) and inspect.getattr_static(kind, name, None) is found:
        return MethodType(found, of)
    if isinstance(found, staticmethod | classmethod):
        return cast("Any", found).__func__
    return UNKNOWN if inspect.isdatadescriptor(found) else found


def _item(of: Any, key: Any) -> Any:
    if isinstance(of, Mapping):
        items: Mapping[Any, Any] = of  # pyright: ignore[reportUnknownVariableType]
        return items[key] if isinstance(key, str) and key in items else next(iter(items.values()), UNKNOWN)
    if isinstance(of, list | tuple) and of:
        return cast("Any", of)[0]
    return UNKNOWN


def codes_in(value: Any) -> Iterator[Code]:
    """Yield the readable functions that a callable or a runnable consists of."""
    return (code for code in functions_in(value) if code.is_readable)


def functions_in(value: Any) -> Iterator[Code]:
    """Yield the functions that a callable or a runnable consists of; none is read yet."""
    value, owner, given, named = _unwrapped(value)
    if isinstance(value, FunctionType):
        parameters = value.__code__.co_varnames[: value.__code__.co_argcount]
        yield Code(value, owner, dict(zip(parameters, given, strict=False)) | named)
        return
    parts = [attribute(value, name) for name in _PARTS]
    for part in parts:
        if isinstance(part, list | tuple):
            for each in cast("list[Any]", part):
                yield from functions_in(each)
        elif part is not UNKNOWN and part is not None and part is not value:
            yield from functions_in(part)
    if all(part is UNKNOWN for part in parts) and not isinstance(value, type | Runnable | ModuleType):
        called = attribute(value, "__call__")
        if isinstance(called, MethodType):
            yield from functions_in(called)


def _unwrapped(value: Any) -> tuple[Any, Any, list[Any], dict[str, Any]]:
    """Return a callable without its wrappers, its owner, and the arguments bound to it."""
    owner: Any = UNKNOWN
    given, named = list[Any](), dict[str, Any]()
    for _ in range(_DEPTH):
        if isinstance(value, functools.partial):
            partial = cast("functools.partial[Any]", value)
            given, named, value = [*partial.args, *given], {**partial.keywords, **named}, partial.func
        elif isinstance(value, MethodType):
            owner, value = value.__self__, value.__func__
            given = [owner, *given]
        elif isinstance(value, FunctionType) and hasattr(value, "__wrapped__"):
            value = cast("Any", value).__wrapped__
        else:
            break
    return value, owner, given, named


def is_of_library(function: Any) -> bool:
    """Tell whether a function is LangChain's or LangGraph's own; a project may be called `langgraph_trip`."""
    return package_of(function) in (*_LIBRARIES, "langchain_core")


def package_of(value: Any) -> str:
    """Return the package of the module that a function or a class is from, "" if that is not known."""
    return str(getattr(value, "__module__", "")).split(".")[0]


def forget() -> None:
    """Empty the caches of functions."""
    for cached in (_body, _assigned, _local_names, local_functions):
        cached.cache_clear()


@functools.lru_cache(maxsize=2048)
def _body(function: FunctionType) -> Body | None:
    """Return the syntax of a function, None where its source is not available."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function.__name__:
            return node
        if isinstance(node, ast.Lambda) and function.__name__ == "<lambda>":
            return node
    return None


@functools.lru_cache(maxsize=2048)
def _assigned(body: Body) -> Mapping[str, ast.AST]:
    """Return what local names are assigned, of each the first: those of functions within as well."""
    found: dict[str, ast.AST] = {}
    for node in ast.walk(body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.AST() as value):
                found.setdefault(name, value)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                found.setdefault(name, value)
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
                found.setdefault(name, value)
            case (
                ast.For(target=ast.Name(id=name), iter=value)
                | ast.comprehension(target=ast.Name(id=name), iter=value)
            ):
                found.setdefault(name, ast.Subscript(value, ast.Constant(0), ast.Load()))
            case _:
                pass
    return found


@functools.lru_cache(maxsize=2048)
def _local_names(body: Body) -> frozenset[str]:
    """Return the names that a function, or one within it, takes or binds."""
    found: set[str] = set()
    for node in ast.walk(body):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return frozenset(found)


@functools.lru_cache(maxsize=2048)
def local_functions(body: Body) -> Mapping[str, Body]:
    """Return the functions that are defined within another one, of each name the first."""
    found: dict[str, Body] = {}
    for node in ast.walk(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node is not body:
            found.setdefault(node.name, node)
    return found


# --- reach ---------------------------------------------------------------------------------------------
# The calls in a graph's nodes that no callback follows, and those that block the event loop.
#
# LangChain hands its callbacks on by context. A thread that a node starts by itself has an empty one, so a
# tool that runs there is not seen; nor is one whose function is called without the tool around it. Such a
# node is reported when the graph is loaded, and marked while it runs (`followed_tools`). It is found by the
# names in its function and in the functions of its project that it calls or hands over.

_BLOCKING = ("invoke", "batch", "stream", "batch_as_completed")
_INNER = ("func", "coroutine", "_run", "_arun")
"""The function of a tool, which runs without the tool around it."""
_HANDING_OVER = frozenset(
    {"submit", "map", "apply", "apply_async", "map_async", "starmap", "starmap_async", "imap",
     "imap_unordered"}
)  # fmt: skip
_MOST_CODES = 500
"""Functions of one node that are looked at."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class NodeReach:
    """The tools of a node that callbacks do not follow, and its blocking calls, each with its place."""

    node: str
    unfollowed: dict[str, str] = field(default_factory=dict[str, str])
    blocking: dict[str, str] = field(default_factory=dict[str, str])


def reach_of(graph: Graph) -> Sequence[NodeReach]:
    """Return the nodes of a graph with something to report; a graph within belongs to its node."""
    found: list[NodeReach] = []
    for name, node in graph.nodes.items():
        reach = NodeReach(name)
        try:
            for each in _parts_of(name, node, graph):
                _Reading(reach).read_all(each)
        except Exception:  # noqa: BLE001 - whatever foreign code holds: the graph is served all the same
            _log.debug("the code of a node cannot be read", node=name, exc_info=True)
        if reach.unfollowed or reach.blocking:
            found.append(reach)
    forget()
    return found


def _parts_of(name: str, node: Any, graph: Graph) -> Iterator[Any]:
    yield node.bound
    branches: Mapping[str, Any] = getattr(getattr(graph, "builder", None), "branches", {})
    for branch in branches.get(name, {}).values():
        yield branch.path


class _Reading:
    """Goes through all code that a part of a node may run."""

    def __init__(self, reach: NodeReach, graphs: set[Graph] | None = None) -> None:
        self._reach = reach
        self._graphs = set[Graph]() if graphs is None else graphs
        self._seen: set[tuple[Any, bool]] = set()
        self._codes: list[Code] = []
        self._suspects: list[tuple[Code, ast.AST, str]] = []

    def read_all(self, part: Any) -> None:
        if isinstance(part, Pregel):
            self._read_graph(cast("Graph", part))
            return
        # The calls of a `ToolNode` are entered as tools.
        if isinstance(part, ToolNode | BaseTool):
            return
        for code in functions_in(part):
            if not is_of_library(code.function) and code.is_readable:
                self._read(code, on_loop=code.is_async)
        tools = sorted({name for code in self._codes for name in self._tools_in(code, code.body, set())})
        for code, at, how in self._suspects:
            if tools:
                self._reach.unfollowed.setdefault(f"{' or '.join(tools)} {how}", code.place(at))

    def _read_graph(self, graph: Graph) -> None:
        if graph in self._graphs:
            return
        self._graphs.add(graph)
        for name, node in graph.nodes.items():
            for each in _parts_of(name, node, graph):
                _Reading(self._reach, self._graphs).read_all(each)

    def _read(self, code: Code, *, on_loop: bool) -> None:
        key = (code.function, on_loop)
        if key in self._seen or len(self._seen) > _MOST_CODES:
            return
        self._seen.add(key)
        self._codes.append(code)
        for node in ast.walk(code.body):
            if isinstance(node, ast.Call):
                self._look_at_call(code, node)
            elif isinstance(node, ast.Attribute) and node.attr in _INNER:
                self._look_at_inner(code, node)
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                value = code.value(node)
                if isinstance(value, Pregel):
                    self._read_graph(cast("Graph", value))
                for each in self._own_codes(code, value):
                    self._read(each, on_loop=each.is_async)
        if on_loop:
            self._look_for_blocking(code, code.body)

    def _own_codes(self, code: Code, value: Any) -> Iterator[Code]:
        """Yield the functions of the node's own project that a value consists of."""
        if value is UNKNOWN or value is RUNNABLE or value is code.owner or not callable(value):
            return
        if isinstance(value, BaseTool | ToolNode | Pregel | ModuleType | type):
            return
        for each in functions_in(value):
            if package_of(each.function) == package_of(code.function) and each.is_readable:
                yield each

    # --- what blocks the loop -------------------------------------------------------------------------

    def _look_for_blocking(self, code: Code, body: Body) -> None:
        for node, is_awaited in _run_by(body):
            if is_awaited:
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr in _BLOCKING:
                of = code.value(node.func.value)
                is_known = is_runnable(of)
                if is_known or (of is UNKNOWN and node.func.attr in ("invoke", "batch")):
                    called = f"{ast.unparse(node.func)}()"
                    self._reach.blocking.setdefault(called, code.place(node))
            if isinstance(node.func, ast.Name):
                within = local_functions(code.body).get(node.func.id)
                if isinstance(within, ast.FunctionDef):
                    if within is not body:
                        self._look_for_blocking(code, within)
                    continue
            for each in self._own_codes(code, code.value(node.func)):
                if not each.is_async:
                    self._read(each, on_loop=True)

    # --- what no callback follows ---------------------------------------------------------------------

    def _look_at_inner(self, code: Code, node: ast.Attribute) -> None:
        of = code.value(node.value)
        if isinstance(of, BaseTool):
            self._reach.unfollowed.setdefault(f"{of.name} by its .{node.attr}", code.place(node))
        elif of is UNKNOWN and node.attr in ("_run", "_arun", "coroutine", "func"):
            self._suspects.append((code, node, f"by its .{node.attr}"))

    def _look_at_call(self, code: Code, call: ast.Call) -> None:
        how, handed = _handed_over(code, call)
        if not how or any(_carries_context(code, each) for each in handed):
            return
        tools = sorted({name for each in handed for name in self._tools_in(code, each, set())})
        if tools:
            self._reach.unfollowed.setdefault(f"{', '.join(tools)} {how}", code.place(call))
        elif any(not _is_plain(code, each) for each in handed[:1]):
            self._suspects.append((code, call, how))

    def _tools_in(self, code: Code, part: ast.AST, seen: set[Any]) -> set[str]:
        """Return the tools, and the agents with tools, that an expression or a function may run."""
        found: set[str] = set()
        for node in ast.walk(part):
            if not isinstance(node, ast.Name | ast.Attribute):
                continue
            if isinstance(node, ast.Name):
                within = local_functions(code.body).get(node.id)
                if within is not None and within not in seen:
                    seen.add(within)
                    found |= self._tools_in(code, within, seen)
            value = code.value(node)
            found |= _tools_of(value)
            if value is RUNNABLE and isinstance(node, ast.Name):
                found |= self._made_from(code, node.id, seen)
            for each in self._own_codes(code, value):
                if each.function not in seen:
                    seen.add(each.function)
                    found |= self._tools_in(each, each.body, seen)
        return found

    def _made_from(self, code: Code, name: str, seen: set[Any]) -> set[str]:
        """Return the tools of a runnable that the code makes: those that it is made from."""
        if (code.function, name) in seen:
            return set()
        seen.add((code.function, name))
        made = [
            each.value
            for each in ast.walk(code.body)
            if isinstance(each, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
        ]
        return {tool for each in made for tool in self._tools_in(code, each, seen)}


def _run_by(body: Body) -> Iterator[tuple[ast.Call, bool]]:
    """Yield the calls that a function makes by itself, and whether each is awaited."""
    waiting: list[tuple[ast.AST, bool]] = [(each, False) for each in ast.iter_child_nodes(body)]
    while waiting:
        node, is_awaited = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Call):
            yield node, is_awaited
        waiting += [(each, isinstance(node, ast.Await)) for each in ast.iter_child_nodes(node)]


def _handed_over(code: Code, call: ast.Call) -> tuple[str, list[ast.expr]]:
    """Return where a call has something run, "" if it does not; and what, the function first."""
    called = code.value(call.func)
    arguments = [*call.args, *(each.value for each in call.keywords)]
    if _is_kind(called, threading.Thread, BaseProcess):
        kind = "in a thread of its own" if _is_kind(called, threading.Thread) else "in a process of its own"
        target = [each.value for each in call.keywords if each.arg in ("target", "function")]
        return kind, [*target, *call.args[1:], *(each for each in arguments if each not in target)]
    if not isinstance(call.func, ast.Attribute):
        return "", []
    if call.func.attr == "run_in_executor" and len(arguments) > 1:
        executor = code.value(arguments[0])
        if executor is None or _keeps_context(executor):
            return "", []
        return "in an executor of its own", arguments[1:]
    if call.func.attr in _HANDING_OVER and (where := _pool(code.value(call.func.value))):
        return where, arguments
    return "", []


def _pool(value: Any) -> str:
    """Return which pool a value is, "" if it is none, or one that hands on the context."""
    if _keeps_context(value):
        return ""
    if isinstance(value, Executor):
        return f"in a {type(value).__name__}"
    if isinstance(value, Pool):
        return "in a pool of multiprocessing"
    if not isinstance(value, Made):
        return ""
    if _is_kind(value.by, Executor, Pool):
        return f"in a {value.by.__name__}"
    return "in a pool of multiprocessing" if package_of(value.by) == "multiprocessing" else ""


def _keeps_context(value: Any) -> bool:
    return _is_kind(value.by if isinstance(value, Made) else type(value), ContextThreadPoolExecutor)


def _is_kind(value: Any, *kinds: type[Any]) -> bool:
    return isinstance(value, type) and issubclass(value, kinds)


def _carries_context(code: Code, handed: ast.expr) -> bool:
    """Tell whether what is handed over is the `run` of a copied context."""
    if not (isinstance(handed, ast.Attribute) and handed.attr == "run"):
        return False
    of = code.value(handed.value)
    return isinstance(of, Context) or (isinstance(of, Made) and of.by is copy_context)


def _is_plain(code: Code, handed: ast.expr) -> bool:
    """Tell whether what is handed over is known: then its tools, if any, have been found."""
    if isinstance(handed, ast.Lambda):
        return True
    if isinstance(handed, ast.Name) and local_functions(code.body).get(handed.id) is not None:
        return True
    return code.value(handed) is not UNKNOWN


def _tools_of(value: Any, depth: int = 0) -> set[str]:
    """Return the names of the tools that a value is or holds."""
    if isinstance(value, BaseTool):
        return {value.name}
    if isinstance(value, ToolNode):
        return {*value.tools_by_name}
    if isinstance(value, Pregel):
        return {name for node in value.nodes.values() for name in _tools_of(node.bound, depth + 1)}
    if depth > 2:
        return set()
    if isinstance(value, Mapping):
        held: Any = cast("Mapping[Any, Any]", value).values()
    elif isinstance(value, list | tuple | set | frozenset):
        held = cast("Any", value)
    else:
        of = attribute(value, "bound")
        return _tools_of(of, depth + 1) if isinstance(of, BaseTool | Pregel) else set()
    return {name for each in [*held][:_MOST_CODES] for name in _tools_of(each, depth + 1)}
