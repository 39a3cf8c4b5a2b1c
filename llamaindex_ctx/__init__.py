"""ctx-layers in LlamaIndex: `ContextMemoryBuffer`, in the place of `ChatMemoryBuffer` and `Memory`."""

from importlib import import_module

from ctx_core.errors import MissingExtraError

try:
    import_module("llama_index.core")
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "llama_index":
        raise
    _msg = 'llamaindex_ctx needs llama-index-core: pip install "ctx-layers[llamaindex]"'
    raise MissingExtraError(_msg) from error

from llamaindex_ctx.calibrating import CalibrationHandler, chat_anchor
from llamaindex_ctx.convert import ChatMessageCodec
from llamaindex_ctx.llm import with_context_budget
from llamaindex_ctx.memory import ContextMemoryBuffer
from llamaindex_ctx.memory_block import ContextMemoryBlock
from llamaindex_ctx.memory_source import BlockMemory, LlamaIndexEmbedder, RetrieverMemory, nodes_as_memories
from llamaindex_ctx.summarizer import LLMSummarizer
from llamaindex_ctx.tokenizing import tokenizer_fn

__all__ = [
    "BlockMemory",
    "CalibrationHandler",
    "ChatMessageCodec",
    "ContextMemoryBlock",
    "ContextMemoryBuffer",
    "LLMSummarizer",
    "LlamaIndexEmbedder",
    "RetrieverMemory",
    "chat_anchor",
    "nodes_as_memories",
    "tokenizer_fn",
    "with_context_budget",
]
