"""Layers that depend on the request: facts that fit the question, what a retriever finds, turns that were cut."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

from ctx_core.awaiting import called, called_here
from ctx_core.conversation.message_types import Codec, NeutralCodec
from ctx_core.effects import Effect
from ctx_core.engine.layers import Layer
from ctx_core.errors import BudgetError

if TYPE_CHECKING:
    from ctx_core.effects import Effects


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRequest:
    """What a source of a layer is told of the request that it is for."""

    question: str = field(repr=False)
    """Text of the message that is being answered."""
    history: Sequence[Any] = field(default=(), repr=False)
    """The conversation so far, in the caller's own message type."""
    left_out: Sequence[int] = ()
    """Positions in it of what is left out of the request."""
    conversation: str = ""
    """Key of the conversation; empty for one without a name."""
    codec: Codec[Any] = field(default_factory=NeutralCodec, repr=False)
    """The door of the message type."""


@runtime_checkable
class LayerSource(Protocol):
    """Gives a layer for each request. One that may wait has `alayer_for` too, a coroutine of the same arguments.

    One with a true `after_cut` is asked once it is known what is left out, and only if anything is.
    """

    def layer_for(self, request: LayerRequest, /) -> Layer | None:
        """Give the layer; None where there is nothing to say."""
        ...


_LOG: Final = logging.getLogger("ctx_core.session")
LayerLike: TypeAlias = Layer | LayerSource | Callable[[LayerRequest], Layer | Awaitable[Layer | None] | None]
"""A layer, a source of layers, or a function from a request to a layer, sync or async."""


def as_layers(layers: Iterable[LayerLike]) -> tuple[LayerLike, ...]:
    """Give layers and sources as they are.

    Raises:
        BudgetError: for what is neither.
    """
    if isinstance(layers, Layer | str) or not isinstance(layers, Iterable):
        msg = f"layers must be a list of layers, found {type(layers).__name__}: put a single one into a list"
        raise BudgetError(msg)
    listed = tuple(layers)
    for at, layer in enumerate(listed):
        if not (isinstance(layer, Layer | LayerSource) or callable(layer)):
            msg = (
                f"layer {at + 1} must be a Layer, a source with layer_for(request), or a function of the request, "
                f"found {type(layer).__name__}"
            )
            raise BudgetError(msg)
    return listed


def asked(layers: Iterable[LayerLike], request: LayerRequest, *, after_cut: bool) -> Effects[list[Layer]]:
    """Ask sources for their layers, those that wait for the cut or all others; in the order in which they stand.

    A source that fails has nothing to say: the request goes out without it, and the log has a warning.

    Raises:
        BudgetError: for what is no layer.
    """
    found: list[Layer] = []
    for source in layers:
        if bool(getattr(source, "after_cut", False)) is not after_cut:
            continue
        try:
            layer: object = yield Effect(partial(_layer, source, request), partial(_alayer, source, request))
        except Exception as error:  # noqa: BLE001 - whatever a retriever raises, the request goes out
            _LOG.warning("a layer could not be had (%s): the request goes out without", type(error).__name__)
            continue
        if isinstance(layer, Layer):
            found.append(layer)
        elif layer is not None:
            msg = f"a source of layers must give a Layer or None, found {type(layer).__name__}"
            raise BudgetError(msg)
    return found


def _layer(source: Any, request: LayerRequest) -> object:  # noqa: ANN401 - a source or a function
    ask = source.layer_for if isinstance(source, LayerSource) else source
    return called_here(ask, request)


async def _alayer(source: Any, request: LayerRequest) -> object:  # noqa: ANN401 - a source or a function
    ask = getattr(source, "alayer_for", None) or (source.layer_for if isinstance(source, LayerSource) else source)
    return await called(ask, request)
