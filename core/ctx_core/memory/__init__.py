"""What is remembered, ranked by what the current question needs, as a layer of the context."""

from ctx_core.memory.bm25 import Bm25
from ctx_core.memory.combine import Boosted, Fused, Weighted, relevance
from ctx_core.memory.conversation import ConversationMemory
from ctx_core.memory.dense import Dense, Embedder
from ctx_core.memory.item import MemoryItem
from ctx_core.memory.markdown import entries
from ctx_core.memory.metadata import memory_of
from ctx_core.memory.ranked import RankedMemory
from ctx_core.memory.ranker import Ranker, importance, recency
from ctx_core.memory.recall import memory_layer, recall
from ctx_core.memory.retrieved import in_given_order, retrieved_layer
from ctx_core.memory.search import (
    SEARCH_DESCRIPTION,
    SEARCH_PARAMETERS,
    SEARCH_TOOL,
    ContextSearch,
    recalling,
)
from ctx_core.memory.snowball import snowball
from ctx_core.memory.words import Analyzer, words

__all__ = [
    "SEARCH_DESCRIPTION",
    "SEARCH_PARAMETERS",
    "SEARCH_TOOL",
    "Analyzer",
    "Bm25",
    "Boosted",
    "ContextSearch",
    "ConversationMemory",
    "Dense",
    "Embedder",
    "Fused",
    "MemoryItem",
    "RankedMemory",
    "Ranker",
    "Weighted",
    "entries",
    "importance",
    "in_given_order",
    "memory_layer",
    "memory_of",
    "recall",
    "recalling",
    "recency",
    "relevance",
    "retrieved_layer",
    "snowball",
    "words",
]
