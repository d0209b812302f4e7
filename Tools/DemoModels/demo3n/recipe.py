"""The demo model of the Gemma 3n kind: what is trained, how it is stored, and its configuration files."""
from demo import tokenizer
from demo.quantise import Storage
from demo.recipe import EVERY_ROW, Recipe

from . import forward, network

GENERATION = {"bos_token_id": 2, "pad_token_id": 0, "eos_token_id": [1, 106], "do_sample": True,
              "temperature": 0.7, "top_k": 40, "top_p": 0.95}
TEXT_KEYS = """vocab_size vocab_size_per_layer_input hidden_size hidden_size_per_layer_input intermediate_size
num_hidden_layers num_attention_heads num_key_value_heads head_dim num_kv_shared_layers layer_types sliding_window
activation_sparsity_pattern hidden_activation laurel_rank altup_num_inputs altup_active_idx altup_coef_clip
altup_correct_scale final_logit_softcapping max_position_embeddings rms_norm_eps attention_bias attention_dropout
initializer_range pad_token_id bos_token_id eos_token_id""".split()


def file_config(model, quantization, vocabulary):
    """config.json in the style of the published checkpoints: the text model inside a multimodal wrapper."""
    text = {k: getattr(model.config, k) for k in TEXT_KEYS}
    rope = model.config.rope_parameters
    text |= {"model_type": "gemma3n_text", "rope_theta": rope["full_attention"]["rope_theta"], "rope_scaling": None,
             "rope_local_base_freq": rope["sliding_attention"]["rope_theta"], "tie_word_embeddings": True}
    media = {"boi_token_id": "<start_of_image>", "eoi_token_id": "<end_of_image>", "image_token_id":
             "<image_soft_token>", "boa_token_id": "<start_of_audio>", "eoa_token_id": "<end_of_audio>",
             "audio_token_id": "<audio_soft_token>"}
    return {"architectures": ["Gemma3nForConditionalGeneration"], "model_type": "gemma3n", "text_config": text,
            "eos_token_id": [1, 106], "tie_word_embeddings": True, "dtype": "bfloat16",
            **{key: vocabulary[piece] for key, piece in media.items()},
            "quantization": quantization, "quantization_config": quantization}


RECIPE = Recipe(
    layout=tokenizer.GEMMA3N, fresh=network.fresh, forward=forward.Pass, agrees=forward.agrees,
    parts={"full": 3, "half": 2}, file_config=file_config, generation=GENERATION,
    tests={"full": ("books", {"full": EVERY_ROW}), "half": ("books", {"half": EVERY_ROW}),
           "chat": ("chat", {"full": EVERY_ROW})},
    storage=Storage(32, ("embed_tokens.weight", "altup_projections", "altup_unembed_projections",
                         "per_layer_model_projection"), ("norm", "altup.", "layernorm")))
