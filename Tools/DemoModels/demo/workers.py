"""Processes that train one model together: each has a share of the rows, all make the same step."""
import os

import torch
import torch.distributed as dist


def join(folder, rank, count, threads):
    """The workers find each other through a file in the folder."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group("gloo", init_method=f"file://{folder.resolve()}/rendezvous", rank=rank, world_size=count)
    torch.set_num_threads(threads)


class Sum:
    """Adds gradients and a few figures over the workers: they meet once per step, never inside an operation."""

    def __init__(self, parameters, figures):
        self.parameters, self.figures = list(parameters), figures
        self.flat = torch.empty(sum(p.numel() for p in self.parameters) + figures, dtype=torch.float32)

    def __call__(self, figures):
        torch.cat([p.grad.flatten() for p in self.parameters] + [figures], out=self.flat)
        dist.all_reduce(self.flat)
        views = self.flat[:-self.figures].split([p.numel() for p in self.parameters])
        return [v.view_as(p) for v, p in zip(views, self.parameters)], self.flat[-self.figures:].clone()


def save(path, state):
    torch.save(state, str(path) + ".part")
    os.replace(str(path) + ".part", path)
