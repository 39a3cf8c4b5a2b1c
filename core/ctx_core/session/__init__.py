"""A conversation from turn to turn: `ContextSession`, and the parts that every surface is made of."""

from ctx_core.session.conversation_id import ConversationId
from ctx_core.session.declaration import Declaration, Declared
from ctx_core.session.layers import LayerLike, LayerRequest, LayerSource
from ctx_core.session.options import OnReport, SessionKeywords, SessionOptions, SurfaceKeywords
from ctx_core.session.request import Request
from ctx_core.session.session import ContextSession
from ctx_core.session.sessions import Sessions
from ctx_core.session.stores import StateCache, StateStore

__all__ = [
    "ContextSession",
    "ConversationId",
    "Declaration",
    "Declared",
    "LayerLike",
    "LayerRequest",
    "LayerSource",
    "OnReport",
    "Request",
    "SessionKeywords",
    "SessionOptions",
    "Sessions",
    "StateCache",
    "StateStore",
    "SurfaceKeywords",
]
