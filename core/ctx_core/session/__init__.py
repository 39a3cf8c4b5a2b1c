"""A conversation from turn to turn: `ContextSession`, and the parts that every surface is made of."""

from ctx_core.session.conversation import Conversation
from ctx_core.session.declaration import Declaration, Declared
from ctx_core.session.layers import LayerLike, LayerRequest, LayerSource
from ctx_core.session.options import OnReport, SessionKeywords, SessionOptions, SurfaceKeywords
from ctx_core.session.session import ContextSession
from ctx_core.session.sessions import Sessions
from ctx_core.session.stores import StateCache, StateStore
from ctx_core.session.turn import Turn

__all__ = [
    "ContextSession",
    "Conversation",
    "Declaration",
    "Declared",
    "LayerLike",
    "LayerRequest",
    "LayerSource",
    "OnReport",
    "SessionKeywords",
    "SessionOptions",
    "Sessions",
    "StateCache",
    "StateStore",
    "SurfaceKeywords",
    "Turn",
]
