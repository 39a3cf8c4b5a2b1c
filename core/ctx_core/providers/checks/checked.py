"""What a check is given: a rule, and a request to hold against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ctx_core.providers.checks.known import Known
from ctx_core.providers.checks.pairing import Pairing, paired, paired_anywhere
from ctx_core.providers.checks.reading import Block, Found, Reading, Turn
from ctx_core.providers.checks.views import as_sent, results_in_user_turns
from ctx_core.providers.resolve import Target
from ctx_core.providers.rules import Kind, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRequest:
    """A request and where it goes."""

    reading: Reading
    """The request."""
    target: Target
    """Where it goes."""
    known: Known
    """What is known beside it."""
    turns: tuple[Turn, ...]
    """As the provider has them: see `as_sent`."""
    system: tuple[Block, ...]
    """System text outside of the list."""
    pairing: Pairing
    """Calls and results."""

    @classmethod
    def of(cls, reading: Reading, target: Target, known: Known) -> CheckedRequest:
        """Arrange a request as the provider takes it."""
        turns, hoisted = as_sent(reading.turns, target, own=reading.own)
        anywhere = reading.format == "responses"
        pairing = (
            paired_anywhere(turns)
            if anywhere
            else paired(
                turns,
                in_user_turns=results_in_user_turns(target),
                one_each=target.provider.asks(Kind.IDS_PRESENT, target.model) is None,
            )
        )
        return cls(
            reading=reading,
            target=target,
            known=known,
            turns=turns,
            system=(*reading.system, *(block for turn in hoisted for block in turn.blocks)),
            pairing=pairing,
        )

    @property
    def spoken(self) -> tuple[Turn, ...]:
        """Give the turns that are no system messages."""
        return tuple(turn for turn in self.turns if turn.role != "system")


Check = Callable[[Rule, CheckedRequest], Iterable[Found]]
"""Gives where a request breaks a rule."""
