"""The learning rate of a training: it rises for a while, and then falls like a cosine."""

from __future__ import annotations

import math

import torch

# The lowest rate at the end, as a share of the highest.
LOWEST = 1e-3


def set_rate(optimizer: torch.optim.Optimizer, highest: float, share: float, warm_up: float = 0.03) -> None:
    """Set the learning rate after a share (0…1) of the training, which rises for the share `warm_up`."""
    for group in optimizer.param_groups:
        group["lr"] = highest * min(share / warm_up, 0.5 + 0.5 * math.cos(math.pi * share) + LOWEST)
