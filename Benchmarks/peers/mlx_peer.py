"""mlx-lm: mlx_peer.py FOLDER. MLX chooses its own threads."""

import os
import sys
import time

from prompts import tokens
from worker import WARM_UP_TOKENS, require, serve

mx = require("mlx.core", 'pip install "mlx[cpu]" mlx-lm')
utils = require("mlx_lm.utils", 'pip install "mlx[cpu]" mlx-lm')
caches = require("mlx_lm.models.cache", 'pip install "mlx[cpu]" mlx-lm')
from pathlib import Path  # noqa: E402

CHUNK = 512


class Engine:
    """Prefill in chunks of 512, of which only the caches are evaluated, then the last token with its logits."""

    def __init__(self, folder):
        self.model, config = utils.load_model(Path(folder))
        self.vocabulary = config.get("vocab_size") or config["text_config"]["vocab_size"]
        size = sum(file.stat().st_size for file in Path(folder).glob("*.safetensors"))
        self.about = {"engine": "mlx-lm", "bytes": size, "threads": os.cpu_count(), "system": str(mx.default_device())}

    def step(self, ids, cache):
        """The greedy choice after `ids`."""
        return int(mx.argmax(self.model(mx.array([ids]), cache=cache)[0, -1]).item())

    def measure(self, prompt, response):
        ids, cache = tokens(prompt, self.vocabulary), caches.make_prompt_cache(self.model)
        start = time.perf_counter()
        for begin in range(0, prompt - 1, CHUNK):
            self.model(mx.array([ids[begin : min(begin + CHUNK, prompt - 1)]]), cache=cache)
            mx.eval([layer.state for layer in cache])
        token = self.step(ids[-1:], cache)
        middle = time.perf_counter()
        for _ in range(response - 1):
            token = self.step([token], cache)
        return middle - start, time.perf_counter() - middle

    def prepare(self, prompt, response):
        self.measure(min(prompt, WARM_UP_TOKENS), 2)


if __name__ == "__main__":
    serve(Engine(sys.argv[1]))
