"""Which rules one request has to meet, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ctx_core.conversation.messages import Message
from ctx_core.errors import OptionError
from ctx_core.providers.provider import Provider
from ctx_core.providers.resolve import Target, of_format, target_of
from ctx_core.providers.rules import Kind
from ctx_core.providers.table import PROVIDERS, UNKNOWN, provider_named

if TYPE_CHECKING:
    from ctx_core.providers.rules import Rule

ProviderLike: TypeAlias = Target | Provider | str | Literal[False] | None
"""A row of the table or its name, a target with its model and client; None: the one that model or format tells. False:
no provider's rules are looked at."""

AsSent: TypeAlias = Callable[[Message, str, str | None], Message]
"""Gives a message as a client sends it, by the name of the provider's row and the client's package, if it is known."""

_OF_ORDER: Final = frozenset({
    Kind.USER_BEGINS, Kind.CALL_AFTER_USER, Kind.ALTERNATES, Kind.NOT_USER_AFTER_TOOL, Kind.RESULTS_ALONE,
})  # fmt: skip
"""Who speaks after whom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Where a request goes, with what a change has to know of the request."""

    target: Target
    """The row of the table, the model and the client."""
    told: bool = True
    """Whether somebody named the row."""
    tools: bool | None = None
    """Whether the request has tools; None where nothing tells."""
    whole: bool = True
    """Whether the messages are all of the request. If not, somebody adds the question behind them."""
    question_follows: bool = False
    """Whether the last message is one that somebody else sends, as it is."""
    marks_beside: tuple[str, ...] = ()
    """How long each mark of where a cache ends lives that stands beside the messages: in the tools, in a system text
    apart."""
    stub: str = "[no result: the call was not answered]"
    """The text of the result of a call that has none."""
    system_apart: bool = False
    """Whether the system text is no message of the list: then the list begins with what is said."""
    call_places: tuple[int, ...] = ()
    """Where the messages with calls stand in the history, in their order; empty: they are counted."""
    ids_taken: frozenset[str] = frozenset()
    """Ids that calls had first which stand before all messages with calls, and are not among them."""
    taken_blocks: AsSent | None = None
    """What the door of the messages knows of the blocks that each client raises on; None where it knows of none."""
    perhaps_by: str | None = None
    """The client that most likely sends it, where none is known: what it asks is asked."""
    as_well: tuple[Target, ...] = ()
    """Where it is for any provider: whose own messages they are, or whose clients most likely send them. What these
    alone ask is asked too."""
    as_sent: AsSent | None = None
    """What the door of the messages knows of the calls that each client sends; None where it sends all."""

    @property
    def is_guessed(self) -> bool:
        """Whether nothing tells where it goes.

        Then what is lacking is added, and what was made here stands as all take it; of the caller's own, roles and
        contents stay as they are, which most take.
        """
        return not self.told and self.target.provider == UNKNOWN

    def of_row(self, name: str) -> Target | None:
        """Give where messages of one row go: the target, or one that is to be met as well; None where none is of it."""
        return next((one for one in (self.target, *self.as_well) if one.provider.name == name), None)

    def asks(self, kind: Kind) -> Rule | None:
        """Give the rule of a kind that is left to be met; None where there is none, or the client meets it.

        A history of which nothing tells where it goes is left in its order: who makes the request sees the rest of it.
        """
        if kind in _OF_ORDER and not self.whole and self.is_guessed:
            return None
        if self.told and self.target.provider is UNKNOWN:
            # For all of them: also what only some of their models ask, which stands behind the others.
            found = next((rule for rule in reversed(UNKNOWN.rules) if rule.kind is kind), None)
            own = (rule for one in self.as_well if (rule := one.left_to_do(kind)) is not None)
            return next(own, None) if found is None else found
        rule = self.target.left_to_do(kind)
        if rule is not None or self.target.client is not None:
            return rule
        by_client = self.target.provider.asks(kind, self.target.model, self.perhaps_by)
        return by_client if by_client is not None and by_client.clients else None


def as_provider(told: ProviderLike) -> ProviderLike:
    """Give a row where its name was said, and anything else as it is.

    Raises:
        OptionError: for a name that no row has, and for what is no provider.
    """
    if isinstance(told, str):
        return provider_named(told)
    if told is None or told is False or isinstance(told, Provider | Target):
        return told
    msg = f"provider must be one of {', '.join(PROVIDERS)}, a Provider, a Target or False, found {type(told).__name__}"
    raise OptionError(msg)


def target_for(told: ProviderLike, *, model: str | None, format_name: str | None) -> Target | None:
    """Give where a request goes: as it was said, else as the format of its messages or the model's name tells.

    Args:
        told: what was said.
        model: name of the model that is counted for.
        format_name: the format of the messages; None for those of a framework, and neutral ones.

    Returns:
        The target; of the row `unknown` where nothing tells. None where no rules are to be looked at.
    """
    told = as_provider(told)
    if told is False:
        return None
    if isinstance(told, Target):
        return told
    named = target_of(model)
    if isinstance(told, Provider):
        return replace(named, provider=told)
    return of_format(named, format_name)
