"""The side of a peer: a process of its own that keeps its model loaded and answers one JSON line per measurement."""

import json
import os
import sys


def serve(engine):
    """Answers the requests on stdin. Whatever the peer's libraries print goes to stderr.

    `engine.measure(prompt_tokens, response_tokens)` returns (prefill, decode) in tokens per second;
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
        prefill, decode = engine.measure(request["prompt"], request["response"])
        answer(prefill=prefill, decode=decode)


def require(module, install):
    """Leaves with a clear message when a peer is not installed."""
    try:
        return __import__(module, fromlist=["*"])
    except ImportError as error:
        sys.exit(f"{module} cannot be imported ({error}); this peer is optional: {install}")
