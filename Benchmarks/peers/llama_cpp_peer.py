"""llama.cpp through the low-level functions of llama-cpp-python: llama_cpp_peer.py FILE.gguf THREADS LONGEST FLASH"""

import ctypes
import os
import sys
import time

from prompts import tokens
from worker import WARM_UP_TOKENS, require, serve

require("numpy", "pip install numpy")
llama = require("llama_cpp.llama_cpp", "pip install llama-cpp-python (it is built from source)")
import numpy  # noqa: E402  (after the check)

BATCH = 512


class Engine:
    """Prefill in batches of 512 with logits for the last token only; decode by single tokens, fed back greedily.

    Only llama_decode and the hand-over of the logits are timed, not the choice of the token. Weights are repacked for
    this processor, as llama.cpp does by itself; the cache of the sliding layers has its small form.
    """

    def __init__(self, path, threads, longest, flash):
        self.silence = llama.llama_log_callback(lambda level, text, data: None)  # must outlive every call
        llama.llama_log_set(self.silence, ctypes.c_void_p(0))
        llama.llama_backend_init()
        self.model = llama.llama_model_load_from_file(path.encode(), llama.llama_model_default_params())
        if not self.model:
            sys.exit(f"llama.cpp cannot load {path}")
        self.vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(self.model))
        self.contexts = {
            name: self.context(threads, longest, kind)
            for name, kind in (("on", 1), ("off", 0))
            if flash in (name, "best")
        }
        self.chosen = None
        self.batch = llama.llama_batch_init(BATCH, 0, 1)
        system = llama.llama_print_system_info().decode()
        self.about = {"engine": "llama.cpp", "bytes": os.path.getsize(path), "threads": threads, "system": system}

    def context(self, threads, longest, flash):
        options = llama.llama_context_default_params()
        options.n_ctx = -(-longest // 256) * 256
        options.n_batch = options.n_ubatch = BATCH
        options.n_threads = options.n_threads_batch = threads
        options.flash_attn_type = flash
        options.swa_full = False
        options.no_perf = True
        context = llama.llama_init_from_model(self.model, options)
        if not context:
            sys.exit("llama.cpp cannot make a context")
        return context

    def decode(self, context, ids, position, wants_logits):
        batch = self.batch
        batch.n_tokens = len(ids)
        for index, token in enumerate(ids):
            batch.token[index] = token
            batch.pos[index] = position + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = wants_logits and index == len(ids) - 1
        start = time.perf_counter()
        status = llama.llama_decode(context, batch)
        if status != 0:
            sys.exit(f"llama_decode failed with status {status} at position {position}")
        row = llama.llama_get_logits_ith(context, -1) if wants_logits else None
        llama.llama_synchronize(context)
        return time.perf_counter() - start, row

    def run(self, context, prompt, response):
        llama.llama_memory_clear(llama.llama_get_memory(context), True)
        ids = tokens(prompt, self.vocabulary)
        prefill, row = 0.0, None
        for begin in range(0, prompt, BATCH):
            end = min(begin + BATCH, prompt)
            seconds, row = self.decode(context, ids[begin:end], begin, end == prompt)
            prefill += seconds
        decode = 0.0
        for position in range(prompt, prompt + response - 1):
            token = int(numpy.argmax(numpy.ctypeslib.as_array(row, (self.vocabulary,))))
            seconds, row = self.decode(context, [token], position, True)
            decode += seconds
        return prefill, decode

    def prepare(self, prompt, response):
        """Warms up; where both kinds of attention are allowed, runs each and keeps the faster for this length."""
        if len(self.contexts) == 1:
            (self.chosen,) = self.contexts
            self.run(self.contexts[self.chosen], min(prompt, WARM_UP_TOKENS), 2)
        else:
            totals = {name: sum(self.run(context, prompt, response)) for name, context in self.contexts.items()}
            self.chosen = min(totals, key=totals.get)
            print(f"llama.cpp, {prompt} tokens: flash attention {self.chosen}", file=sys.stderr)

    def measure(self, prompt, response):
        return self.run(self.contexts[self.chosen], prompt, response)


if __name__ == "__main__":
    serve(Engine(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
