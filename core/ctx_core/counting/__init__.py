"""Token counting: tokenizers, what a request costs beside its texts, and the counter made of both."""

from ctx_core.counting.anchored import Anchor, count_anchored, latest_anchor
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counter import CounterLike, TokenCounter, as_counter
from ctx_core.counting.counts import TokenCount
from ctx_core.counting.estimators import Conservative, FourCharacters, Words
from ctx_core.counting.families import FALLBACK, FAMILIES
from ctx_core.counting.family import Family, Substitute, UnknownWindow, Window
from ctx_core.counting.framing import (
    CallFraming,
    DocumentFraming,
    EncryptedReasoningFraming,
    Framing,
    MediaFraming,
    MessageFraming,
    ReasoningFraming,
    SchemaFraming,
    ToolFraming,
)
from ctx_core.counting.guarded import Guarded
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin
from ctx_core.counting.model_objects import AskedModel, model_name
from ctx_core.counting.options import RequestOptions
from ctx_core.counting.registry import family_of, register_tokenizer, unregister_tokenizer
from ctx_core.counting.safe_estimate import SafeEstimate
from ctx_core.counting.tokenizers import Tokenizer, TokenizerLike
from ctx_core.counting.tool_schemas import ToolDefinition
from ctx_core.counting.usage import input_tokens
from ctx_core.counting.windows import window_of

__all__ = [
    "FALLBACK",
    "FAMILIES",
    "Anchor",
    "AskedModel",
    "Calibration",
    "CallFraming",
    "Conservative",
    "CounterLike",
    "DocumentFraming",
    "EncryptedReasoningFraming",
    "Family",
    "FourCharacters",
    "Framing",
    "Guarded",
    "ImagePrice",
    "Margin",
    "MediaFraming",
    "MessageFraming",
    "ReasoningFraming",
    "RequestOptions",
    "SafeEstimate",
    "SchemaFraming",
    "Substitute",
    "TokenCount",
    "TokenCounter",
    "Tokenizer",
    "TokenizerLike",
    "ToolDefinition",
    "ToolFraming",
    "UnknownWindow",
    "Window",
    "Words",
    "as_counter",
    "count_anchored",
    "family_of",
    "input_tokens",
    "latest_anchor",
    "model_name",
    "register_tokenizer",
    "unregister_tokenizer",
    "window_of",
]
