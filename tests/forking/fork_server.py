"""A process that has imported the backend, and forks a server for each request: a start without its imports.

The imports are most of what a start costs: 1.5 of 1.9 s of CPU, and of a travel server 2.4 of 2.8 s.
`forked.py` starts this file as a program, one for each process of the tests, and sends it requests. It needs
file descriptors of processes, which Linux has; elsewhere the tests start each server anew.

A forked server must be like a new one, or a test would not show what users get:

- This process has one thread and no event loop, and no open file but the sockets that a child closes.
- A child returns from all functions of this file but `main`, so the interpreter ends as it always does: the
  exit code, the message of a SystemExit and the handlers of `atexit` are those of `python -m`.
- A child has the folder, variables, arguments, files, limits and signal handlers of a new process.
- `random` seeds itself anew in a child. Only the seed of hashes is the same in all children.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import runpy
import selectors
import signal
import socket
import sys
from typing import Any

LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)
"""The limits that tests change in their own process, for a server to inherit."""
LONGEST = 2**17
"""Bytes of a request, which has all variables of the child."""
FILES = 3
"""What a request brings: the child's standard output and error, and the socket to answer on."""


def main() -> None:
    """Import the modules that the command line names, then take requests on the socket that it names."""
    # An interrupt from the terminal goes to all processes; the one of the tests ends this one.
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)
    del sys.path[0]  # the folder of this file
    requests = socket.socket(fileno=int(sys.argv[1]))
    import_all(sys.argv[2:])
    tell(requests, os.getpid())
    request = fork_for_each(requests)
    if request is not None:
        signal.signal(signal.SIGINT, interrupted)
        become(request)


def import_all(modules: list[str]) -> None:
    """Import these modules. The first is the program: a child has yet to run it, so it must not know it.

    "module:function" calls the function, too, whose result its module keeps.
    """
    for module, _, function in (each.partition(":") for each in modules):
        imported = importlib.import_module(module)
        if function:
            getattr(imported, function)()
    package, _, program = modules[0].rpartition(".")
    del sys.modules[modules[0]]
    delattr(sys.modules[package], program)
    # The collector of a child leaves alone what is here now, or it would copy every page that it looks at.
    gc.collect()
    gc.freeze()


def fork_for_each(requests: socket.socket) -> dict[str, Any] | None:
    """Fork for each request, and report its end. Returns the request in a child, None at the end.

    The answer to a request is the child's id on a line and, once it has ended, its exit code on another.
    """
    answers: dict[int, tuple[int, socket.socket]] = {}
    waiting = selectors.PollSelector()  # opens no file, unlike `epoll`
    waiting.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is not requests:
                waiting.unregister(key.fd)
                child, answer = answers.pop(key.fd)
                os.close(key.fd)
                _, status = os.waitpid(child, 0)
                with answer:
                    tell(answer, os.waitstatus_to_exitcode(status))
                continue
            text, files, _, _ = socket.recv_fds(requests, LONGEST, FILES)
            if not text:
                return None  # the process of the tests has ended
            if len(os.listdir("/proc/self/task")) != 1:
                raise RuntimeError("an import has started a thread: a lock of its could never be released")
            child = os.fork()
            *standard, answering = files
            if child == 0:
                os.close(answering)
                requests.close()
                for other, (_, answer) in answers.items():
                    os.close(other)
                    answer.close()
                return {**json.loads(text), "files": standard}
            for each in standard:
                os.close(each)
            answer = socket.socket(fileno=answering)
            tell(answer, child)
            ending = os.pidfd_open(child)
            answers[ending] = (child, answer)
            waiting.register(ending, selectors.EVENT_READ)


def tell(answer: socket.socket, number: int) -> None:
    """Send a number, unless the asking process has ended."""
    with contextlib.suppress(OSError):
        answer.sendall(b"%d\n" % number)


def become(request: dict[str, Any]) -> None:
    """Make this process what a new one would be, and run the program."""
    # Its standard input is that of the fork server, which is empty.
    for standard, given in enumerate(request["files"], start=1):
        os.dup2(given, standard)
        os.close(given)
    for limit, value in zip(LIMITS, request["limits"], strict=True):
        resource.setrlimit(limit, tuple(value))
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.path.insert(0, os.getcwd())  # as `-m` does
    del sys.argv[1:]
    runpy.run_module(request["program"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
