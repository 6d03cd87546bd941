"""Prints what a program finds when it starts, as JSON; then waits, or ends in the way it is told to."""

import json
import os
import random
import resource
import signal
import sys
import threading

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
            # One more is that of the folder itself, while it is listed.
            "files": sorted(
                os.path.realpath(f"/proc/self/fd/{each}")[:9] for each in os.listdir("/proc/self/fd")
            ),
            "buffers lines": [sys.stdout.line_buffering, sys.stderr.line_buffering],
        }
    )
)
print(random.getrandbits(64), flush=True)
way = os.environ["DETOUR_PROBE"]
if way == "wait":
    signal.pause()
elif way == "refuse":
    raise SystemExit("It cannot start.")
elif way == "fail":
    raise RuntimeError("a fault")
