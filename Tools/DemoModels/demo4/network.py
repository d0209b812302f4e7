"""The network's shape and its first weights."""
import torch
from transformers import Gemma4ForCausalLM, Gemma4TextConfig

from demo.tokenizer import SIZE

S, F = "sliding_attention", "full_attention"


def shape(hidden=192, width=256, shared=5, per_layer=64):
    """Ten layers: the last five read keys and values of the first five; their feed-forward layers are twice as wide."""
    return Gemma4TextConfig(
        vocab_size=SIZE, vocab_size_per_layer_input=SIZE, hidden_size=hidden, intermediate_size=width,
        layer_types=[S, S, S, S, F] * 2, num_hidden_layers=10, num_kv_shared_layers=shared, use_double_wide_mlp=True,
        num_attention_heads=4, num_key_value_heads=2, head_dim=64, global_head_dim=128,
        hidden_size_per_layer_input=per_layer, sliding_window=128, max_position_embeddings=4096,
        final_logit_softcapping=30.0, pad_token_id=0, eos_token_id=[1, 106], bos_token_id=2)


def fresh(seed=0):
    """Random weights. Where transformers' own start is unfit for training from scratch, another one is chosen."""
    torch.manual_seed(seed)
    config = shape()
    model = Gemma4ForCausalLM(config).float()
    with torch.no_grad():
        for layer in model.model.layers:  # a buffer in transformers, which fine-tuning leaves alone; here it is learned
            del layer.layer_scalar
            layer.layer_scalar = torch.nn.Parameter(torch.ones(1))
        for name, p in model.named_parameters():
            if name.endswith(("q_norm.weight", "k_norm.weight")):
                p.fill_(p.shape[0] ** -0.25)  # the attention scale is 1: start as 1 / sqrt(D)
            elif "post_" in name:
                p.fill_(0.5)  # what a branch adds, against an embedding of size 1
            elif p.dim() == 2 and "per_layer.weight" not in name:
                p.normal_(0, p.shape[1] ** -0.5)
        model.model.embed_tokens_per_layer.weight.normal_(0, config.hidden_size_per_layer_input ** -0.5)
    return model
