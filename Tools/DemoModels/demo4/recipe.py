"""The demo model of the Gemma 4 kind: what is trained, how it is stored, and its configuration files."""
import functools

import torch

from demo import tokenizer
from demo.quantise import Storage
from demo.recipe import EVERY_ROW, Recipe

from . import acceptance, drafter, forward, network, stories
from .ordering import balanced_clusters

GENERATION = {"bos_token_id": 2, "pad_token_id": 0, "eos_token_id": [1, 106, 50], "do_sample": True,
              "temperature": 0.7, "top_k": 40, "top_p": 0.95}
TEXT_KEYS = """vocab_size vocab_size_per_layer_input hidden_size hidden_size_per_layer_input intermediate_size
num_hidden_layers num_attention_heads num_key_value_heads num_kv_shared_layers layer_types sliding_window
rope_parameters hidden_activation use_double_wide_mlp attention_k_eq_v final_logit_softcapping max_position_embeddings
rms_norm_eps attention_bias attention_dropout initializer_range pad_token_id bos_token_id eos_token_id
use_bidirectional_attention enable_moe_block num_experts top_k_experts moe_intermediate_size""".split()


def text_config(config):
    """The text part of config.json in the published style, with global_head_dim for the full layers."""
    text, sizes = {k: getattr(config, k) for k in TEXT_KEYS}, forward.head_sizes(config)
    return text | {"model_type": "gemma4_text", "tie_word_embeddings": True, "num_global_key_value_heads": None,
                   "head_dim": sizes["sliding_attention"], "global_head_dim": sizes["full_attention"]}


def file_config(model, quantization, vocabulary):
    """config.json in the style of the published checkpoints: the text model inside a multimodal wrapper."""
    media = {"boi_token_id": "<|image>", "eoi_token_id": "<image|>", "image_token_id": "<|image|>",
             "boa_token_id": "<|audio>", "eoa_token_id": "<audio|>", "audio_token_id": "<|audio|>",
             "video_token_id": "<|video|>"}
    return {"architectures": ["Gemma4ForConditionalGeneration"], "model_type": "gemma4",
            "text_config": text_config(model.config), "eos_token_id": [1, 106], "tie_word_embeddings": True,
            "dtype": "bfloat16", **{key: vocabulary[piece] for key, piece in media.items()},
            "quantization": quantization, "quantization_config": quantization}


def drafter_config(model, quantization, vocabulary):
    """config.json of the drafter in the published style."""
    own = {k: getattr(model.config, k) for k in ("backbone_hidden_size", "use_ordered_embeddings", "num_centroids",
                                                 "centroid_intermediate_top_k", "tie_word_embeddings")}
    return {"architectures": ["Gemma4AssistantForCausalLM"], "model_type": "gemma4_assistant",
            "text_config": text_config(model.config.text_config), **own, "dtype": "bfloat16",
            "quantization": quantization, "quantization_config": quantization}


def dropout(epochs):
    """Nothing is left out while the text is new; the more often it was read, the more."""
    return torch.tensor(0.1 * min(1.0, epochs / 3))


RECIPE = Recipe(
    layout=tokenizer.GEMMA4, fresh=network.fresh, forward=forward.Pass, agrees=forward.agrees,
    parts={"full": 3}, rows=3, peak=0.6, tests={kind: (kind, {"full": EVERY_ROW}) for kind in ("books", "chat")},
    file_config=file_config, generation=GENERATION, dropout=dropout,
    storage=Storage(64, ("embed_tokens.weight", "per_layer_model_projection"), ("norm",)))


def drafter_weights(model):
    return dict(model.named_parameters())


def drafter_buffers(model):
    return {"masked_embedding.token_ordering": model.masked_embedding.token_ordering}


def drafter_recipe(target, made, held):
    """target: transformers model with the weights that are stored. made, held: its answers, see telling.tell."""
    weights = {n: p.detach().clone() for n, p in target.model.named_parameters()}
    order = balanced_clusters(weights["embed_tokens.weight"], drafter.shape(target.config).num_centroids)
    forward = functools.partial(drafter.Unrolled, target_config=target.config, target_weights=weights, order=order)
    parts = dict.fromkeys([f"step {k + 1}" for k in range(drafter.STEPS)] + ["clusters"], 0)
    return Recipe(
        layout=tokenizer.GEMMA4, fresh=functools.partial(drafter.fresh, target.config, weights, order), forward=forward,
        agrees=functools.partial(drafter.agrees_with, forward), parts=parts, length=256, rows=6, prefix="",
        tests={kind: (kind, {}) for kind in ("own", "books")}, weights=drafter_weights, buffers=drafter_buffers,
        data=functools.partial(stories.Stories, made=made, held=held), compiled=drafter.compiled, has_tokenizer=False,
        show=functools.partial(acceptance.show, forward, held), file_config=drafter_config,
        generation={"is_assistant": True, "num_assistant_tokens": 3, "num_assistant_tokens_schedule": "constant"},
        storage=Storage(64, ("pre_projection", "post_projection") + tuple(
            f"model.layers.{i}.self_attn" for i in range(4)), ("norm", "centroids")))
