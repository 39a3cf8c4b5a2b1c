"""What a provider would say of a request, as `validate` gives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ctx_core.clean import escaped
from ctx_core.providers.provider import Provider
from ctx_core.providers.rules import Kind, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A place in a request that the provider would refuse."""

    rule: Rule
    """The rule that it breaks: what is refused, how that is known."""
    path: str
    """Where, as `messages[2].content[0]`."""

    @property
    def kind(self) -> Kind:
        """What the rule is about."""
        return self.rule.kind

    @property
    def why(self) -> str:
        """Why, in one sentence, with how it is known."""
        unsure = "" if self.rule.unsure is None else f" {self.rule.unsure}"
        return f"{self.rule.refused}{unsure} ({self.rule.confidence}: {self.rule.source})"

    def to_dict(self) -> dict[str, str]:
        """Give it for JSON."""
        return {"kind": str(self.kind), "path": self.path, "why": self.why}

    def __str__(self) -> str:
        """Say where and why, on one line."""
        return f"{self.path}: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A request that was changed so that its provider takes it, as far as its messages go."""

    request: dict[str, Any] | list[Any] = field(repr=False)
    """The whole request, or the list of messages; the same object where nothing is refused or there is no list.
    Messages that did not have to be changed are the same objects, and parameters stay as they are."""
    system: str | None = field(default=None, repr=False)
    """System text that left a list of messages, as its format has it outside of the list; None: there is none."""
    validation: Validation
    """What the provider says of it: refusals that are left are of parameters, or of what cannot be read."""
    unreadable: str | None = None
    """Where and why the messages cannot be read, so that nothing of them was changed; None: they were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What a provider would say of a request."""

    provider: Provider
    """The row of the table that it was held against."""
    model: str | None
    """The model's name; None where nothing says it."""
    refusals: tuple[Refusal, ...]
    """What it would refuse, in the order of the row's rules; empty: it takes the request."""
    doubts: tuple[Refusal, ...] = ()
    """What it may refuse: evidence is divided and the newer says that it does not, or the client that sends the
    messages moves or drops what would be refused."""
    correction: Callable[[], Correction] = field(repr=False, compare=False)
    """Makes the request that it takes."""

    @property
    def fixed(self) -> Correction:
        """Make the request that the provider takes, as a build for this provider would: see `Correction`.

        A message that cannot be read, as one of a role that nobody has, is said in `unreadable`: nothing is changed.

        Raises:
            ContextOverflowError: if it is too long, and what is protected does not fit the window.
        """
        return self.correction()

    @property
    def accepted(self) -> bool:
        """Whether the provider takes the request."""
        return not self.refusals

    @property
    def verdict(self) -> str:
        """Say whether it is taken, and in how many places it is not."""
        many = len(self.refusals)
        return f"refused, in {many} {'place' if many == 1 else 'places'}" if many else "accepted"

    def to_dict(self) -> dict[str, Any]:
        """Give it for JSON."""
        return {
            "provider": self.provider.name,
            "model": self.model,
            "accepted": self.accepted,
            "refusals": [refusal.to_dict() for refusal in self.refusals],
            "doubts": [doubt.to_dict() for doubt in self.doubts],
        }

    def __str__(self) -> str:
        """Say it in a line a place."""
        lines = [f"{self.provider.title}, {escaped(self.model or 'no model named', 80)}: {self.verdict}"]
        lines += [f"- {refusal}" for refusal in self.refusals]
        return "\n".join([*lines, *(f"- doubtful: {doubt}" for doubt in self.doubts)])
