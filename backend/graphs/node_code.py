"""Reads the code of a graph's nodes: the functions, and what a name in them stands for.

For what can be seen without running anything. What cannot be resolved is `UNKNOWN`, and a value that some
library of LangChain's would return is `RUNNABLE`.
"""

import ast
import builtins
import functools
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

from langchain_core.runnables import Runnable
from langgraph.pregel import Pregel

UNKNOWN: Any = object()
"""A value that the code alone does not tell."""

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
    """A function that a node runs, with its syntax; `owner` is the object of a method."""

    function: Any  # a `FunctionType`, which would be bound as a method
    body: Body
    owner: Any = UNKNOWN
    names: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_async(self) -> bool:
        """Whether it runs on the event loop, as far as itself tells."""
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
        code = self.function.__code__
        cells = dict(zip(code.co_freevars, self.function.__closure__ or (), strict=False))
        if name in cells:
            try:
                return cells[name].cell_contents
            except ValueError:  # the cell is empty still
                return UNKNOWN
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
    """What a class or a function returns that the code calls."""

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
    """Yield the functions that a callable or a runnable consists of, with their syntax."""
    value, owner, given, named = _unwrapped(value)
    if isinstance(value, FunctionType):
        body = _body(value)
        if body is not None:
            parameters = [each.arg for each in (*body.args.posonlyargs, *body.args.args)]
            names = dict(zip(parameters, given, strict=False)) | named
            yield Code(value, body, owner, names)
        return
    parts = [attribute(value, name) for name in _PARTS]
    for part in parts:
        if isinstance(part, list | tuple):
            for each in cast("list[Any]", part):
                yield from codes_in(each)
        elif part is not UNKNOWN and part is not None and part is not value:
            yield from codes_in(part)
    if all(part is UNKNOWN for part in parts) and not isinstance(value, type | Runnable | ModuleType):
        called = attribute(value, "__call__")
        if isinstance(called, MethodType):
            yield from codes_in(called)


def _unwrapped(value: Any) -> tuple[Any, Any, list[Any], dict[str, Any]]:
    """Return a callable without what is wrapped around it, its owner, and the arguments that it has."""
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
    """Tell whether a function is LangChain's or LangGraph's own."""
    return package_of(function).startswith(_LIBRARIES)


def package_of(value: Any) -> str:
    """Return the package of the module that a function or a class is from, "" if that is not known."""
    return str(getattr(value, "__module__", "")).split(".")[0]


def forget() -> None:
    """Let go of the functions that were read."""
    for cached in (_body, _assigned, _local_names):
        cached.cache_clear()


@functools.lru_cache(maxsize=2048)
def _body(function: FunctionType) -> Body | None:
    """Return the syntax of a function, None where its source is not to be had."""
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


def local_function(body: Body, name: str) -> Body | None:
    """Return a function that is defined within another one."""
    for node in ast.walk(body):
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name == name
            and node is not body
        ):
            return node
    return None
