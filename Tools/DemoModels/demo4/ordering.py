"""The order of the vocabulary for the drafter's head: clusters of equal size, of pieces with alike embeddings."""
import torch


def balanced_clusters(rows, count, rounds=12, seed=0):
    """[V] ids: those of cluster 0, then those of cluster 1 ..., each V / count of them.

    k-means on directions where a full cluster takes no more: the pairs of piece and cluster are served in the order of
    their similarity, so a piece goes to the most similar cluster that still has room.
    """
    generator = torch.Generator().manual_seed(seed)
    rows = torch.nn.functional.normalize(rows.float(), dim=-1)
    room = rows.shape[0] // count
    centres = rows[torch.randperm(rows.shape[0], generator=generator)[:count]]
    for _ in range(rounds):
        ranked = (rows @ centres.T).flatten().argsort(descending=True)
        cluster, left = [-1] * rows.shape[0], [room] * count
        for piece, centre in zip((ranked // count).tolist(), (ranked % count).tolist()):
            if cluster[piece] < 0 and left[centre]:
                cluster[piece] = centre
                left[centre] -= 1
        cluster = torch.tensor(cluster)
        sums = torch.zeros_like(centres).index_add_(0, cluster, rows)
        centres = torch.nn.functional.normalize(sums, dim=-1)
    return cluster.argsort(stable=True)
