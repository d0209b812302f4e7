"""Faults of shared keys and values, which Gemma 3n and Gemma 4 have in common."""
from .ablations import VISIBLE, attentions
from .catalog import F, S


def wrong_owner(kind):
    """Sharing layers of one kind read the owner before the last one."""
    def damage(model, fixture, stack):
        owners = [a for a in attentions(model) if a.layer_type == kind and not a.is_kv_shared_layer]
        readers = [a for a in attentions(model) if a.layer_type == kind and a.is_kv_shared_layer]
        if not readers or len(owners) < 2:
            return False
        owners[-1].store_full_length_kv, owners[-2].store_full_length_kv = False, True
    return damage


TABLE = {
    "sliding layers share the wrong owner": (wrong_owner(S), VISIBLE),
    "full layers share the wrong owner": (wrong_owner(F), VISIBLE),
}
