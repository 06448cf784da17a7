"""Fit ChessBERT with and without similar positions to read, and compare the two networks.

    python -m training.chessbert EXAMPLES.npz NETWORK.onnx --form published --epochs 5 --curves FOLDER

The form `published` learns with the contrastive loss of the paper, `improved` learns to choose among the
legal moves (Ajith, Gunnarsson & Xu, sections 3.3, 4.2 and 4.3). Prints the test results of both networks, and
by how much contexts (similar positions) change the share of moves that are guessed. The network with contexts
is written as ONNX. Needs PyTorch (the extra `training`).
"""

from __future__ import annotations

import argparse
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from chess_motif.intervals import Interval, paired_share_difference
from chess_motif.parallel import in_processes
from motifsearch.retrieval.chessbert import MASK, PIECES, SEGMENTS, SQUARES, Form
from training.about import from_array, origin_of, write_about
from training.pytorch import Curve, set_rate, write_onnx

WIDTH = 128
HEADS = 4
INNER = 256
LAYERS = 4

# The first and the highest factor of the cosine, as in CLIP (Radford et al., 2021).
FIRST_SCALE, HIGHEST_SCALE = 1 / 0.07, 100.0

# Stands for minus infinity if a token or a move is padding.
NEVER = -1e4

BATCH = 128

# The number of batches whose examples are sorted by length together, so that batches need little padding.
SORTED_BATCHES = 8

HIGHEST_RATE = 2e-3
WEIGHT_DECAY = 1e-2
HIGHEST_NORM = 1.0

# The share of the training in which the learning rate rises.
WARM_UP = 0.05

# Steps between two measurements, and the number of test batches for a measurement.
STEPS_OF_A_LINE = 500
BATCHES_OF_A_LINE = 15


class Batch(NamedTuple):
    """N examples: `tokens` (N, T, 3) and `moves` (N, M, 3), with masks (N, T) and (N, M) without padding.

    The first move of each example is the move that was played.
    """

    tokens: Tensor
    token_mask: Tensor
    moves: Tensor
    move_mask: Tensor


class Examples:
    """The examples of a file that `training.chessbert_examples` made.

    Without `contexts`, each example is the query alone.
    """

    def __init__(self, file: Path, contexts: bool = True) -> None:
        with np.load(file) as arrays:
            self._tokens, self._moves = arrays["tokens"], arrays["moves"]
            self._token_starts, self._token_counts = _starts_and_counts(arrays["token_ends"])
            self._move_starts, self._move_counts = _starts_and_counts(arrays["move_ends"])
            if not contexts:
                self._token_counts = arrays["query_tokens"].astype(np.int64)
            self.training, self.test = np.flatnonzero(~arrays["test"]), np.flatnonzero(arrays["test"])

    def training_batches(self) -> Iterator[Batch]:
        """Yield the training examples repeatedly, each time in another order."""
        order = np.random.default_rng(2)
        group = SORTED_BATCHES * BATCH
        while True:
            rows = order.permutation(self.training)
            for first in range(0, len(rows), group):
                several = rows[first : first + group]
                batches = _batches(several[np.argsort(self._token_counts[several], kind="stable")])
                for number in order.permutation(len(batches)):
                    yield self._batch(batches[number])

    def test_batches(self) -> Iterator[Batch]:
        """Yield the test examples."""
        yield from map(self._batch, _batches(self.test))

    def _batch(self, rows: np.ndarray) -> Batch:
        tokens = _padded(self._tokens, self._token_starts[rows], self._token_counts[rows])
        return Batch(*tokens, *_padded(self._moves, self._move_starts[rows], self._move_counts[rows]))


def _batches(rows: np.ndarray) -> list[np.ndarray]:
    """Return the rows divided into parts of about the size of a batch."""
    return np.array_split(rows, max(1, len(rows) // BATCH))


def _starts_and_counts(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    counts = np.diff(ends, prepend=0)
    return ends - counts, counts


def _padded(values: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> tuple[Tensor, Tensor]:
    """Return spans of rows as one padded array, and which of its rows are not padding."""
    places = np.arange(counts.max())
    mask = places < counts[:, None]
    padded = values[np.where(mask, starts[:, None] + places, 0)].astype(np.int64)
    return torch.from_numpy(padded), torch.from_numpy(mask)


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
        """Return the first `outputs` outputs. `bias` (N, 1, 1, T) is added to the attention to each token."""
        query, key, value = self.query_key_value(self.attention_norm(x)).chunk(3, -1)
        query, key, value = (
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (query[:, :outputs], key, value)
        )
        # Twice as fast as PyTorch's attention on a CPU, for so few tokens.
        weights = torch.softmax(query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + bias, -1)
        x = x[:, :outputs] + self.attended((weights.to(value.dtype) @ value).transpose(1, 2).flatten(2))
        return x + self.dense(self.dense_norm(x))


class ChessBertNetwork(nn.Module, ABC):
    """Computes the logits of moves, given the tokens of a position and the moves."""

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.files = nn.Embedding(8, WIDTH), nn.Embedding(8, WIDTH)
        self.pieces, self.segments = nn.Embedding(PIECES, WIDTH), nn.Embedding(SEGMENTS, WIDTH)
        self.layers = nn.ModuleList(TransformerLayer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        for table in (self.rows, self.files, self.pieces, self.segments):
            nn.init.normal_(table.weight, std=0.5)

    def forward(self, tokens: Tensor, moves: Tensor) -> Tensor:
        """Return the logits of the moves (M, 3) of one position (T, 3); this function is exported."""
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
        """Return the embeddings of pieces on squares, without the segment."""
        table = (self.rows.weight[:, None] + self.files.weight).flatten(0, 1)
        return functional.embedding(squares, table) + self.pieces(pieces)

    @abstractmethod
    def compare(self, masks: Tensor, moves: Tensor) -> Tensor:
        """Return the logits (N, M) of moves (N, M, 3) by the outputs at [MASK] (N, WIDTH)."""

    @abstractmethod
    def loss(self, batch: Batch) -> Tensor:
        """Return the loss of a batch."""


class Contrastive(ChessBertNetwork):
    """As published: the output must be like the embedding of its move, and unlike those of other examples."""

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
    """The output chooses among the legal moves.

    A sum of vectors for the piece, the row and the file cannot tell some moves apart: if e4 and Nf3 are good,
    so are e3 or Nf4. Therefore the output of two dense layers is added to the sum, which also has a vector
    for the origin. Without the sum itself, moves of contexts are much harder to recognise.
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


class NetworkScores(NamedTuple):
    """The test results of a network: its own loss, the cross-entropy of the legal moves, and recall.

    Recall at K is the share of positions in which the move played is among the first K moves.
    """

    loss: float
    entropy: float
    recall_at_1: float
    recall_at_3: float


def train(network: ChessBertNetwork, examples: Examples, epochs: int, curve: Curve) -> NetworkScores:
    """Train a network for `epochs` epochs, in one cycle of the learning rate; return its test results."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=HIGHEST_RATE, weight_decay=WEIGHT_DECAY)
    all_steps = epochs * len(_batches(examples.training))
    for step, batch in enumerate(itertools.islice(examples.training_batches(), all_steps)):
        if step % STEPS_OF_A_LINE == 0:
            curve.add(step, evaluate(network, examples, BATCHES_OF_A_LINE)._asdict())
        set_rate(optimizer, HIGHEST_RATE, step / all_steps, WARM_UP)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = network.loss(batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), HIGHEST_NORM)
        optimizer.step()
    scores = evaluate(network, examples)
    curve.add(all_steps, scores._asdict())
    return scores


@torch.no_grad()
def evaluate(network: ChessBertNetwork, examples: Examples, batches: int | None = None) -> NetworkScores:
    """Return the results of a network on the test examples, or on the first `batches` batches."""
    network.eval()
    results = []
    for batch in itertools.islice(examples.test_batches(), batches):
        logits = network.logits(batch)
        better = (logits[:, 1:] >= logits[:, :1]).sum(1)
        entropy = -functional.log_softmax(logits, 1)[:, 0].mean()
        recalls = [(better < most).float().mean() for most in (1, 3)]
        results.append(torch.stack([network.loss(batch), entropy, *recalls]))
    network.train()
    return NetworkScores(*torch.stack(results).mean(0).tolist())


@torch.no_grad()
def guessed(network: ChessBertNetwork, examples: Examples) -> list[bool]:
    """Return for each test position whether the network's first move was played."""
    network.eval()
    right = [
        bool(one)
        for logits in map(network.logits, examples.test_batches())
        for one in logits[:, 1:].amax(1) < logits[:, 0]
    ]
    network.train()
    return right


FORMS = {Form.PUBLISHED: Contrastive, Form.IMPROVED: Softmax}


class Trained(NamedTuple):
    """The test results of a network, and for each test position whether the move was guessed."""

    scores: NetworkScores
    guessed: list[bool]


def train_one(
    examples: Path, network: Path, form: Form, epochs: int, curves: Path | None, contexts: bool
) -> Trained:
    """Train a network, with contexts or without; a network with contexts is written to `network`."""
    # Two trainings at the same time would wait for each other's threads.
    torch.set_num_threads(1)
    torch.manual_seed(1)
    chessbert, given = FORMS[form](), Examples(examples, contexts)
    for layer in chessbert.layers:
        # Saves a third of the time.
        layer.compile(dynamic=True)
    name = f"{form} {'with' if contexts else 'without'} contexts"
    scores = train(chessbert, given, epochs, Curve(curves and curves / f"{name}.csv", name))
    if contexts:
        export(chessbert, network)
    return Trained(scores, guessed(chessbert, given))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("network", type=Path)
    parser.add_argument("--form", type=Form, choices=[*Form], required=True)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--curves", type=Path, help="folder for measurements during training, CSV")
    options = parser.parse_args()
    work = partial(train_one, options.examples, options.network, options.form, options.epochs, options.curves)
    # The training with contexts takes longer, and so begins first.
    with_them, without = in_processes(work, [True, False])
    difference = paired_share_difference(with_them.guessed, without.guessed)
    print(f"contexts change recall@1 by {_shown(difference)}")
    with np.load(options.examples) as arrays:
        origin = origin_of({}, from_array(arrays["origin"]))
    write_about(
        [options.network],
        origin,
        what="ChessBERT, which scores the legal moves of a position, given similar positions",
        held_out="games chosen by a hash of their key (chess_motif.held_out.game_is_for_test)",
        figures={"on the games held out": with_them.scores._asdict()},
    )


def _shown(difference: Interval) -> str:
    return f"{difference.mean:+.3f} ({difference.low:+.3f} to {difference.high:+.3f})"


if __name__ == "__main__":
    main()
