"""Operations that the training passes of both generations share."""
import torch


def rms(x, weight=None, eps=1e-6):
    x = x.float()
    x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return x if weight is None else x * weight


def rotate(x, cos, sin):
    """x [B, T, heads, D]; pairs (k, k + D/2)."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def softcap(x, cap):
    return torch.tanh(x / cap) * cap


def key_sources(config):
    """For every layer the one whose keys and values it reads: itself, or the last owner of its kind if there is any."""
    owners = config.num_hidden_layers - config.num_kv_shared_layers
    return [i if i < owners else max((j for j in range(owners) if config.layer_types[j] == kind), default=None)
            for i, kind in enumerate(config.layer_types)]


def compute_type(x):
    """What matrix products run in: bfloat16 while training, else the type at hand."""
    return torch.bfloat16 if torch.is_autocast_enabled("cpu") else x.dtype
