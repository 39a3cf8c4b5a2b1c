"""Fits conversations and their layers into a token budget, for any framework or none."""

from ctx_core.budget import BudgetCheck, ContextBudget, Share, Tokens
from ctx_core.builder import ContextBuilder
from ctx_core.counting import Framing, TokenCounter, Tokenizer, register_tokenizer
from ctx_core.engine.context import Context
from ctx_core.engine.layers import Item, Layer
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
from ctx_core.history import HistoryPolicy, RollingSummary, ToolResultPolicy, WindowState
from ctx_core.messages import Message, Role, ToolCall
from ctx_core.report import ContextReport, LayerReport
from ctx_core.session import ContextSession, SessionOptions, StateCache, StateStore
from ctx_core.summarizing import Summarizing
from ctx_core.usage_log import UsageLog

__version__ = "0.1.0"

__all__ = [
    "BudgetCheck",
    "BudgetError",
    "Context",
    "ContextBudget",
    "ContextBuilder",
    "ContextOverflowError",
    "ContextReport",
    "ContextSession",
    "CtxLayersError",
    "Framing",
    "HistoryPolicy",
    "Item",
    "Layer",
    "LayerReport",
    "Message",
    "MessageError",
    "MissingExtraError",
    "OptionError",
    "Role",
    "RollingSummary",
    "SessionOptions",
    "Share",
    "StateCache",
    "StateStore",
    "Summarizing",
    "TokenCounter",
    "Tokenizer",
    "TokenizerError",
    "Tokens",
    "ToolCall",
    "ToolResultPolicy",
    "UnknownModelError",
    "UsageLog",
    "WindowState",
    "fit",
    "register_tokenizer",
]
