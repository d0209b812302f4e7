"""The side of a peer: a process of its own that keeps its model loaded and answers one JSON line per measurement."""

import json
import os
import sys

# Enough to touch the weights and to start the threads.
WARM_UP_TOKENS = 64


def serve(engine):
    """Answers the requests on stdin. Whatever the peer's libraries print goes to stderr.

    `engine.measure(prompt_tokens, response_tokens)` returns the seconds of prefill and of all tokens after the first;
    `engine.prepare`, with the same arguments, comes once before the measurements of a length;
    `engine.about` says what is measured.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    answer(about=engine.about)
    for line in sys.stdin:
        request = json.loads(line)
        prompt, response = request["prompt"], request["response"]
        if request["prepare"]:
            engine.prepare(prompt, response)
            answer(ready=True)
        else:
            prefill, decode = engine.measure(prompt, response)
            answer(prefill=prompt / prefill, decode=(response - 1) / decode)


def require(module, install):
    """Leaves with a clear message when a peer is not installed."""
    try:
        return __import__(module, fromlist=["*"])
    except ImportError as error:
        sys.exit(f"{module} cannot be imported ({error}); this peer is optional: {install}")
