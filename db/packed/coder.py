"""Entropy coding: symbols with given weights as bits, by the range coder of the library constriction.

A model has the same code for writing and for reading: it passes the weights and the symbol to write, or None
to read a symbol, and gets the symbol back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from chess_motif.errors import LibraryMissingError

Symbols = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]

# Weights by context, for symbols that a table predicts well enough.
Tables = Mapping[str, Weights]

_WORD = np.dtype(">u4")


class Coder(ABC):
    """Writes or reads symbols."""

    def __init__(self, tables: Tables) -> None:
        """Look up weights in `tables`, by name. Raises `LibraryMissingError`."""
        try:
            # Imported only here: constriction is an extra.
            from constriction import stream
        except ImportError as error:
            raise LibraryMissingError(
                "packed files need constriction; pip install 'chess-motif[cache]'"
            ) from error
        self.tables, self._queue = tables, stream.queue
        # The fast variant. Equal weights give the same bits on every computer.
        self._model = stream.model.Categorical(perfect=False)

    @abstractmethod
    def code(self, weights: Weights, symbols: Symbols | None) -> Symbols:
        """Write a symbol for each row of `weights`, or read the symbols if `symbols` is None; return them.

        A symbol with a share p of its row's weights takes about -log2(p) bits. A symbol of weight 0 can be
        written, too, and takes 24 bits or more.
        """

    def one(self, weights: Weights, symbol: int | None) -> int:
        """Write or read one symbol, with one row of weights. Nothing is written if there is no choice."""
        if len(weights) == 1:
            return 0
        return int(self.code(weights[None], None if symbol is None else np.array([symbol], np.int32))[0])

    def look_up(self, table: str, context: tuple[int, ...], symbol: int | None) -> int:
        """Write or read one symbol, with weights from a table."""
        return self.one(self.tables[table][context], symbol)

    def look_up_all(self, table: str, contexts: npt.NDArray[np.int64], symbols: Symbols | None) -> Symbols:
        """Write or read a symbol for each context, which is a single number."""
        return self.code(self.tables[table][contexts], symbols)


class EntropyWriter(Coder):
    """Writes symbols as bytes."""

    def __init__(self, tables: Tables) -> None:
        """Look up weights in `tables`, by name."""
        super().__init__(tables)
        self._coder = self._queue.RangeEncoder()

    def code(self, weights: Weights, symbols: Symbols | None) -> Symbols:
        """Write a symbol for each row of `weights`, see `Coder.code`."""
        assert symbols is not None
        self._coder.encode(symbols, self._model, weights)
        return symbols

    def written(self) -> bytes:
        """Return what was written, without zeros at the end, which a reader does not need."""
        words: npt.NDArray[np.uint32] = self._coder.get_compressed()
        return words.astype(_WORD).tobytes().rstrip(b"\0")


class EntropyReader(Coder):
    """Reads the symbols that an `EntropyWriter` wrote."""

    def __init__(self, tables: Tables, written: bytes) -> None:
        """Read what was written with the same `tables`."""
        super().__init__(tables)
        words = np.frombuffer(written + bytes(-len(written) % _WORD.itemsize), _WORD)
        self._coder = self._queue.RangeDecoder(words.astype(np.uint32))

    def code(self, weights: Weights, symbols: Symbols | None) -> Symbols:
        """Read a symbol for each row of `weights`, see `Coder.code`."""
        read: Symbols = self._coder.decode(self._model, weights)
        return read
