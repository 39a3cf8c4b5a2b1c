"""Relevance by meaning, with whatever makes vectors of texts."""

from __future__ import annotations

from collections import OrderedDict
from importlib.util import find_spec
from math import sqrt
from operator import mul
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from ctx_core.errors import BudgetError
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.memory.item import MemoryItem

_DIGITS: Final = 6  # of a score: sums of floats differ beyond them from one machine to the next


class Embedder(Protocol):
    """Makes vectors of texts."""

    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        """Give a vector for each text, in their order, all of the same length. A matrix of numpy will do."""
        ...


class Dense:
    """Scores items by the cosine between the vectors of the query and of what each item says.

    Vectors are kept by text, so that only new items are embedded. They are compared with numpy where it is
    installed, else in plain Python. May be shared between threads if its embedder may.
    """

    def __init__(self, embedder: Embedder, *, cached: int = 50_000) -> None:
        """Take what makes vectors.

        Args:
            embedder: any object with such a method.
            cached: vectors that are kept; those of the texts that were not asked for longest go first.

        Raises:
            BudgetError: if the embedder has no method `embed`.
        """
        if not callable(getattr(embedder, "embed", None)):
            msg = f"an embedder needs a method embed(texts), {type(embedder).__name__} has none"
            raise BudgetError(msg)
        self._embedder = embedder
        self._cached = cached
        self._vectors: OrderedDict[str, Any] = OrderedDict()
        self._lock = Lock()

    def __call__(self, query: str, items: Sequence[MemoryItem], /) -> list[float]:
        """Score the items, from -1 to 1."""
        if not items or not query.strip():
            return [0.0] * len(items)
        vectors = self._of([item.text for item in items])
        (wanted,) = self._embedded([query])
        return [round(score, _DIGITS) for score in _products(vectors, wanted)]

    def _of(self, texts: list[str]) -> list[Any]:
        with self._lock:
            found = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found.update(zip(missing, self._embedded(missing), strict=True))
        with self._lock:
            for text in texts:
                self._vectors[text] = found[text]
                self._vectors.move_to_end(text)
            while len(self._vectors) > self._cached:
                self._vectors.popitem(last=False)
        return [found[text] for text in texts]

    def _embedded(self, texts: list[str]) -> list[Any]:
        vectors = [_unit(vector) for vector in self._embedder.embed(texts)]
        if len(vectors) != len(texts):
            msg = f"the embedder gave {len(vectors):,} vectors for {len(texts):,} texts; it must give one for each"
            raise BudgetError(msg)
        return vectors


def _unit(vector: Sequence[float]) -> Any:  # noqa: ANN401 - an array where numpy is installed
    values = [float(value) for value in vector]
    length = sqrt(sum(map(mul, values, values))) or 1.0
    values = [value / length for value in values]
    if find_spec("numpy") is None:
        return values
    import numpy as np

    return np.asarray(values, dtype=np.float32)


def _products(vectors: list[Any], wanted: Any) -> list[float]:  # noqa: ANN401 - see `_unit`
    if isinstance(wanted, list):
        plain = cast("list[float]", wanted)
        return [sum(map(mul, vector, plain)) for vector in vectors]
    import numpy as np

    products: list[float] = (np.stack(vectors) @ wanted).tolist()
    return products
