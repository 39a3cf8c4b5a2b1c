"""Token counting: tokenizers, what a request costs beside its texts, and the counter made of both."""

from ctx_core.counting.counter import CounterLike, TokenCounter, ToolDefinition, as_counter
from ctx_core.counting.estimators import Conservative, FourCharacters, SafeEstimate, Words
from ctx_core.counting.registry import register_tokenizer, unregister_tokenizer
from ctx_core.counting.framing import Framing
from ctx_core.counting.tokenizers import Tokenizer, TokenizerLike

__all__ = [
    "Conservative",
    "CounterLike",
    "FourCharacters",
    "Framing",
    "SafeEstimate",
    "TokenCounter",
    "Tokenizer",
    "TokenizerLike",
    "ToolDefinition",
    "Words",
    "as_counter",
    "register_tokenizer",
    "unregister_tokenizer",
]
