"""ChessBERT's network (Ajith, Gunnarsson & Xu, section 3.3), as published and in a form that learns more."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from motifsearch.retrieval.chessbert import MASK, PIECES, SEGMENTS, SQUARES
from training.chessbert.batches import Batch
from training.onnx_file import write_onnx

WIDTH = 128
HEADS = 4
INNER = 256
LAYERS = 4

# The temperature of CLIP: what the cosine is multiplied by at first, and at most (Radford et al., 2021).
FIRST_SCALE, HIGHEST_SCALE = 1 / 0.07, 100.0

# Stands for minus infinity where a token or a move is padding.
NEVER = -1e4


class TransformerLayer(nn.Module):
    """Attention and two dense layers, each normalised first."""

    def __init__(self) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(WIDTH)
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.dense_norm = nn.LayerNorm(WIDTH)
        self.dense = nn.Sequential(nn.Linear(WIDTH, INNER), nn.GELU(), nn.Linear(INNER, WIDTH))

    def forward(self, x: Tensor, bias: Tensor, outputs: int) -> Tensor:
        """Return the first so many outputs. `bias` (N, 1, 1, T) is added to the attention to each token."""
        query, key, value = self.query_key_value(self.attention_norm(x)).chunk(3, -1)
        query, key, value = (
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (query[:, :outputs], key, value)
        )
        # Twice as fast as PyTorch's own attention, on a processor and for so few tokens.
        weights = torch.softmax(query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + bias, -1)
        x = x[:, :outputs] + self.attended((weights.to(value.dtype) @ value).transpose(1, 2).flatten(2))
        return x + self.dense(self.dense_norm(x))


class ChessBertNetwork(nn.Module, ABC):
    """The tokens and the moves of positions to the logits of the moves."""

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.files = nn.Embedding(8, WIDTH), nn.Embedding(8, WIDTH)
        self.pieces, self.segments = nn.Embedding(PIECES, WIDTH), nn.Embedding(SEGMENTS, WIDTH)
        self.layers = nn.ModuleList(TransformerLayer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        for table in (self.rows, self.files, self.pieces, self.segments):
            nn.init.normal_(table.weight, std=0.5)

    def forward(self, tokens: Tensor, moves: Tensor) -> Tensor:
        """Return the logits of the moves (M, 3) of one position (T, 3); this is what is exported."""
        nothing_hidden = torch.zeros(1, 1, 1, 1)
        return self.compare(self.encode(tokens[None], nothing_hidden), moves[None])[0]

    def logits(self, batch: Batch) -> Tensor:
        """Return the logits of the moves (N, M) of a batch."""
        return self.compare(self.masks(batch), batch.moves).masked_fill(~batch.move_mask, NEVER)

    def masks(self, batch: Batch) -> Tensor:
        """Return the outputs at [MASK] (N, WIDTH) of a batch."""
        hidden = functional.pad(~batch.token_mask, (1, 0))
        return self.encode(batch.tokens, (hidden * NEVER)[:, None, None])

    def encode(self, tokens: Tensor, bias: Tensor) -> Tensor:
        """Return the outputs at [MASK], which comes before the tokens here."""
        x = self.full_embedding(tokens[..., 0], tokens[..., 1]) + self.segments(tokens[..., 2])
        x = torch.cat((self.segments.weight[MASK].expand(len(x), 1, -1), x), 1)
        bias = bias.to(x.dtype)
        for layer in self.layers[:-1]:
            x = layer(x, bias, x.shape[1])
        return self.norm(self.layers[-1](x, bias, 1)[:, 0])

    def full_embedding(self, squares: Tensor, pieces: Tensor) -> Tensor:
        """Return the embeddings of pieces on squares, but for the segment."""
        table = (self.rows.weight[:, None] + self.files.weight).flatten(0, 1)
        return functional.embedding(squares, table) + self.pieces(pieces)

    @abstractmethod
    def compare(self, masks: Tensor, moves: Tensor) -> Tensor:
        """Return the logits (N, M) of moves (N, M, 3) by the outputs at [MASK] (N, WIDTH)."""

    @abstractmethod
    def loss(self, batch: Batch) -> Tensor:
        """Return what is minimised."""


class Contrastive(ChessBertNetwork):
    """As published: the output is to be like the embedding of the move, unlike those of other examples."""

    def __init__(self) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(math.log(FIRST_SCALE)))

    def compare(self, masks: Tensor, moves: Tensor) -> Tensor:
        masks, moves = functional.normalize(masks, dim=-1), self._embedded(moves)
        return self._scale() * (moves @ masks[..., None])[..., 0]

    def loss(self, batch: Batch) -> Tensor:
        masks, played = functional.normalize(self.masks(batch), dim=-1), self._embedded(batch.moves[:, 0])
        similarity = self._scale() * (masks @ played.T).float()
        own = torch.arange(len(masks))
        return (functional.cross_entropy(similarity, own) + functional.cross_entropy(similarity.T, own)) / 2

    def _embedded(self, moves: Tensor) -> Tensor:
        embedded = self.full_embedding(moves[..., 0], moves[..., 1]) + self.segments.weight[MASK]
        return functional.normalize(embedded, dim=-1)

    def _scale(self) -> Tensor:
        return self.log_scale.exp().clamp(max=HIGHEST_SCALE)


class Softmax(ChessBertNetwork):
    """The output is to choose among the legal moves.

    A sum of vectors for the piece, the row and the file cannot tell some moves apart: where e4 and Nf3 are
    good, so would e3 or Nf4 be. So the output of two dense layers is added to the sum, which has a vector for
    the origin too. Without the sum itself, moves of contexts are much harder to recognise.
    """

    def __init__(self) -> None:
        super().__init__()
        self.origins = nn.Embedding(SQUARES, WIDTH)
        nn.init.normal_(self.origins.weight, std=0.5)
        self.move = nn.Sequential(nn.Linear(WIDTH, INNER), nn.GELU(), nn.Linear(INNER, WIDTH))

    def compare(self, masks: Tensor, moves: Tensor) -> Tensor:
        embedded = self.full_embedding(moves[..., 0], moves[..., 1]) + self.origins(moves[..., 2])
        return ((embedded + self.move(embedded)) @ masks[..., None])[..., 0] * WIDTH**-0.5

    def loss(self, batch: Batch) -> Tensor:
        return -functional.log_softmax(self.logits(batch).float(), 1)[:, 0].mean()


def export(network: ChessBertNetwork, file: Path) -> None:
    """Write the network as `motifsearch.retrieval.chessbert` reads it."""
    inputs = {name: torch.zeros(rows, 3, dtype=torch.int64) for name, rows in (("tokens", 40), ("moves", 20))}
    counts = {name: torch.export.Dim(f"{name}_count", min=2) for name in inputs}
    write_onnx(network, inputs, ["logits"], file, counts)
