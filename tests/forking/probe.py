"""Prints what a program finds when it starts, as JSON; then waits, or ends in the way of `DETOUR_PROBE`."""

import json
import os
import random
import resource
import signal
import sys
import threading


def open_files() -> list[str]:
    """Return what is open, by path or kind; the folder of this list was open only while it was read."""
    links = [f"/proc/self/fd/{each}" for each in os.listdir("/proc/self/fd")]
    return sorted(os.readlink(link).partition(":[")[0] for link in links if os.path.lexists(link))


print(
    json.dumps(
        {
            "name": __name__,
            "is main": sys.modules["__main__"].__dict__ is globals(),
            "arguments": sys.argv,
            "path": sys.path,
            "folder": os.getcwd(),
            "variables": dict(os.environ),
            "main was imported": "backend.main" in sys.modules,
            "handlers": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
            "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
            "threads": [each.name for each in threading.enumerate()],
            "limits": [resource.getrlimit(each) for each in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)],
            "group": os.getpgid(0),
            "session": os.getsid(0),
            "files": open_files(),
            "buffers lines": [sys.stdout.line_buffering, sys.stderr.line_buffering],
        }
    )
)
print(random.getrandbits(64), flush=True)
way = os.environ["DETOUR_PROBE"]
if way == "wait":
    while True:  # `signal.pause` would wait for ever if an interrupt came just before it
        signal.sigtimedwait([], 0.1)
elif way == "refuse":
    raise SystemExit("It cannot start.")
elif way == "fail":
    raise RuntimeError("a fault")
