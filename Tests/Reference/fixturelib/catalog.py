"""What a fixture is, and the list of all of them."""
from dataclasses import dataclass, field

WRAPPERS = {
    "gemma3": ("gemma3", "Gemma3ForConditionalGeneration", "Gemma3ForCausalLM"),
    "gemma3n": ("gemma3n", "Gemma3nForConditionalGeneration", "Gemma3nForCausalLM"),
    "gemma4": ("gemma4", "Gemma4ForConditionalGeneration", "Gemma4ForCausalLM"),
}


@dataclass
class Affine:
    """How the matrices are quantised. Overrides name modules without prefix: (bits, group) or False for "keep"."""
    bits: int
    group: int
    overrides: dict = field(default_factory=dict)
    parameter_type: str = "bf16"     # type of scales and biases


@dataclass
class Fixture:
    name: str
    covers: str                      # one line for the table in the README and for expected.json
    family: str                      # gemma3, gemma3n, gemma4
    text: dict                       # the text part of config.json, spelled as published files spell it
    prefix: str = "model."
    wrapped: bool = False            # config.json has a text_config
    plain_type: str = "bf16"         # type of everything that is not quantised
    affine: Affine | None = None
    shards: int = 1
    store_shared_keys: bool = False  # write the k/v tensors that sharing layers never use
    duplicate_head: bool = False     # write lm_head.weight as a copy of the embedding
    window: int = 8
    seed: int = 20260701

    def config(self):
        """The content of config.json."""
        model_type, wrapper_class, text_class = WRAPPERS[self.family]
        if not self.wrapped:
            top = dict(architectures=[text_class], **self.text)
        else:
            top = dict(architectures=[wrapper_class], model_type=model_type, text_config=dict(self.text),
                       tie_word_embeddings=True, eos_token_id=[1, 106], pad_token_id=0, bos_token_id=2)
        top["torch_dtype"] = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}[self.plain_type]
        if self.affine:
            settings = dict(group_size=self.affine.group, bits=self.affine.bits, mode="affine")
            for module, override in self.affine.overrides.items():
                settings[self.prefix + module] = (
                    override if override is False else dict(bits=override[0], group_size=override[1]))
            top["quantization"] = settings
            top["quantization_config"] = settings
        return top


def all_fixtures():
    from . import catalog_gemma3, catalog_gemma3n, catalog_gemma4
    return catalog_gemma3.fixtures() + catalog_gemma3n.fixtures() + catalog_gemma4.fixtures()


S, F = "sliding_attention", "full_attention"

SHARED_KEYS = dict(
    rms_norm_eps=1e-6, hidden_activation="gelu_pytorch_tanh", attention_bias=False, attention_dropout=0.0,
    bos_token_id=2, eos_token_id=1, pad_token_id=0, tie_word_embeddings=True, initializer_range=0.02, use_cache=True,
    max_position_embeddings=2048)
