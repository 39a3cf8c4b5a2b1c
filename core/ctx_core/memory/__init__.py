"""What is remembered, ranked by what the current question needs, as a layer of the context."""

from ctx_core.memory.bm25 import Bm25
from ctx_core.memory.combine import Boosted, Fused, Weighted, relevance
from ctx_core.memory.conversation import ConversationMemory
from ctx_core.memory.dense import Dense, Embedder
from ctx_core.memory.item import MemoryItem
from ctx_core.memory.markdown import entries
from ctx_core.memory.ranker import Ranker, importance, recency
from ctx_core.memory.recall import memory_layer, recall
from ctx_core.memory.snowball import snowball
from ctx_core.memory.words import Analyzer, words

__all__ = [
    "Analyzer",
    "Bm25",
    "Boosted",
    "ConversationMemory",
    "Dense",
    "Embedder",
    "Fused",
    "MemoryItem",
    "Ranker",
    "Weighted",
    "entries",
    "importance",
    "memory_layer",
    "recall",
    "recency",
    "relevance",
    "snowball",
    "words",
]
