"""Token counting: tokenizers, what a request costs beside its texts, and the counter made of both."""

from ctx_core.counting.anchored import Anchor, count_anchored, latest_anchor
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counter import CounterLike, TokenCounter, as_counter
from ctx_core.counting.counts import TokenCount
from ctx_core.counting.estimators import Conservative, FourCharacters, SafeEstimate, Words
from ctx_core.counting.families import FAMILIES
from ctx_core.counting.family import Family
from ctx_core.counting.framing import Framing, Margin
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.options import RequestOptions
from ctx_core.counting.registry import family_of, register_tokenizer, unregister_tokenizer
from ctx_core.counting.tokenizers import Tokenizer, TokenizerLike
from ctx_core.counting.tool_schemas import ToolDefinition
from ctx_core.counting.usage import input_tokens

__all__ = [
    "FAMILIES",
    "Anchor",
    "Calibration",
    "Conservative",
    "CounterLike",
    "Family",
    "FourCharacters",
    "Framing",
    "ImagePrice",
    "Margin",
    "RequestOptions",
    "SafeEstimate",
    "TokenCount",
    "TokenCounter",
    "Tokenizer",
    "TokenizerLike",
    "ToolDefinition",
    "Words",
    "as_counter",
    "count_anchored",
    "family_of",
    "input_tokens",
    "latest_anchor",
    "register_tokenizer",
    "unregister_tokenizer",
]
