"""A row of the table of providers."""

from __future__ import annotations

from dataclasses import dataclass

from ctx_core.conversation.formats.names import FormatName
from ctx_core.providers.models import is_named
from ctx_core.providers.rules import Kind, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What one API asks of the requests that it takes."""

    name: str
    """How it is said: `provider="anthropic"`."""
    title: str
    """What it is, as people call it."""
    apis: tuple[str, ...] = ()
    """Names of its API, as providers, frameworks and gateways write them."""
    hosts: tuple[str, ...] = ()
    """What the names of its servers are or end with."""
    format: FormatName | None
    """The format of its requests; None where it is that of the messages, whatever that is."""
    models: tuple[str, ...] = ()
    """What the names of its models begin with: of any other nothing is known."""
    merges: bool = False
    """Whether neighbors of one role are one turn to it, so that rules are about turns."""
    rules: tuple[Rule, ...]
    """What it asks."""

    def asks(self, kind: Kind, model: str | None = None) -> Rule | None:
        """Give what it asks of a kind, for a model; None where it asks nothing.

        Of a model whose name says nothing, what it asks of any of its models holds, but for a few that are gone.
        """
        of_kind = [rule for rule in self.rules if rule.kind is kind]
        known = self._known(model) if of_kind else None
        return next((rule for rule in of_kind if rule.holds_for(known)), None)

    def asked(self, model: str | None = None) -> tuple[Rule, ...]:
        """Give all that it asks of requests to a model."""
        known = self._known(model)
        return tuple(rule for rule in self.rules if rule.holds_for(known))

    def _known(self, model: str | None) -> str | None:
        """Give the name of a model; None for one that says nothing."""
        return model if model is not None and is_named(model, self.models) else None
