"""Fits conversations and their layers into a token budget, for any framework or none."""

from ctx_core.budget import BudgetCheck, ContextBudget
from ctx_core.builder import ContextBuilder
from ctx_core.conversation.message_types import Codec
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.transcript import Transcript
from ctx_core.counting import Framing, TokenCounter, Tokenizer, register_tokenizer
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counter import ToolDefinition
from ctx_core.counting.options import RequestOptions
from ctx_core.engine.context import Context
from ctx_core.engine.layers import Item, Layer, Rest
from ctx_core.engine.summary import RollingSummary
from ctx_core.errors import (
    BudgetError,
    ContextOverflowError,
    CtxLayersError,
    MessageError,
    MissingExtraError,
    OptionError,
    TokenizerError,
    UnknownModelError,
)
from ctx_core.fit import fit
from ctx_core.history.call_policy import ToolCallPolicy
from ctx_core.history.media_policy import MediaPolicy
from ctx_core.history.policy import HistoryPolicy, ToolResultPolicy
from ctx_core.history.state import WindowState
from ctx_core.report.figures import LayerReport
from ctx_core.report.report import ContextReport
from ctx_core.report.usage_log import UsageLog
from ctx_core.session import ContextSession, SessionOptions, StateCache, StateStore
from ctx_core.session.summarizers import Summarizer
from ctx_core.session.summarizing import Summarizing
from ctx_core.sizes import Share, Tokens
from ctx_core.validate import validate
from ctx_core.validation import Correction, Refusal, Validation

__version__ = "0.1.0"

__all__ = [
    "BudgetCheck",
    "BudgetError",
    "Calibration",
    "Codec",
    "Context",
    "ContextBudget",
    "ContextBuilder",
    "ContextOverflowError",
    "ContextReport",
    "ContextSession",
    "Correction",
    "CtxLayersError",
    "Framing",
    "HistoryPolicy",
    "Item",
    "Layer",
    "LayerReport",
    "MediaPolicy",
    "Message",
    "MessageError",
    "MissingExtraError",
    "OptionError",
    "Refusal",
    "RequestOptions",
    "Rest",
    "Role",
    "RollingSummary",
    "SessionOptions",
    "Share",
    "StateCache",
    "StateStore",
    "Summarizer",
    "Summarizing",
    "TokenCounter",
    "Tokenizer",
    "TokenizerError",
    "Tokens",
    "ToolCall",
    "ToolCallPolicy",
    "ToolDefinition",
    "ToolResultPolicy",
    "Transcript",
    "UnknownModelError",
    "UsageLog",
    "Validation",
    "WindowState",
    "fit",
    "register_tokenizer",
    "validate",
]
