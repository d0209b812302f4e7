"""The network's shape and its first weights."""
import torch
from transformers import Gemma3nForCausalLM, Gemma3nTextConfig

from demo.tokenizer import PER_LAYER_ROWS, SIZE


def shape(hidden=192, width=512, layers=10, shared=5, per_layer=64, rank=32):
    return Gemma3nTextConfig(
        vocab_size=SIZE, vocab_size_per_layer_input=PER_LAYER_ROWS, hidden_size=hidden, intermediate_size=width,
        num_hidden_layers=layers, num_kv_shared_layers=shared, num_attention_heads=4, num_key_value_heads=2,
        head_dim=64, hidden_size_per_layer_input=per_layer, laurel_rank=rank, sliding_window=128,
        activation_sparsity_pattern=[0.95] * 3 + [0.0] * (layers - 3), max_position_embeddings=4096,
        final_logit_softcapping=30.0, pad_token_id=0, eos_token_id=[1, 106], bos_token_id=2)


def fresh(seed=0):
    """Random weights. Where transformers' own start is unfit for training from scratch, another one is chosen."""
    torch.manual_seed(seed)
    config = shape()
    model = Gemma3nForCausalLM(config).float()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith(("q_norm.weight", "k_norm.weight")):
                p.fill_(config.head_dim ** -0.25)  # the attention scale is 1: start as 1 / sqrt(D)
            elif name.endswith("correct_output_scale"):
                p.fill_(1.0)  # zeros would switch the per-layer embeddings off
            elif name.endswith("modality_router.weight"):
                p.normal_(0, 4.0)  # its input is divided by the hidden size
            elif name.endswith(("prediction_coefs.weight", "correction_coefs.weight")):
                p.normal_(0, 0.02)
            elif p.dim() == 2 and "embed_tokens" not in name:
                p.normal_(0, p.shape[1] ** -0.5)
        model.model.embed_tokens_per_layer.weight.normal_(0, 1 / config.hidden_size_per_layer_input ** 0.5)
    return model
