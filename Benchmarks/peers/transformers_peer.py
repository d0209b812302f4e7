"""transformers on torch: transformers_peer.py FOLDER THREADS. Weights in the type they are stored in."""

import sys
import time
from pathlib import Path

from prompts import tokens
from worker import WARM_UP_TOKENS, require, serve

torch = require("torch", "pip install torch transformers")
transformers = require("transformers", "pip install torch transformers")


class Engine:
    """Prefill in one call with logits for the last token; decode with the cache it returned."""

    def __init__(self, folder, threads):
        torch.set_num_threads(threads)
        transformers.utils.logging.set_verbosity_error()
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype="auto").eval()
        self.vocabulary = self.model.config.get_text_config().vocab_size
        size = sum(file.stat().st_size for file in Path(folder).glob("*.safetensors"))
        self.about = {
            "engine": "transformers", "bytes": size, "threads": threads, "system": f"torch {torch.__version__}, "
            f"{self.model.dtype}",
        }

    @torch.inference_mode()
    def measure(self, prompt, response):
        ids = torch.tensor([tokens(prompt, self.vocabulary)])
        start = time.perf_counter()
        out = self.model(ids, use_cache=True, logits_to_keep=1)
        token = out.logits[:, -1:].argmax(-1)
        middle = time.perf_counter()
        for _ in range(response - 1):
            out = self.model(token, use_cache=True, past_key_values=out.past_key_values)
            token = out.logits[:, -1:].argmax(-1)
        token.item()
        return middle - start, time.perf_counter() - middle

    def prepare(self, prompt, response):
        self.measure(min(prompt, WARM_UP_TOKENS), 2)


if __name__ == "__main__":
    serve(Engine(sys.argv[1], int(sys.argv[2])))
