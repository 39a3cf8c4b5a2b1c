"""What `fit --all` did to a file, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ctx_core.clean import escaped
from ctx_core.cli.terminal import table

if TYPE_CHECKING:
    from rich.table import Table

    from ctx_core.conversation.openai_messages import OpenAIMessage
    from ctx_core.engine.context import Context

_LISTED: Final = 10
"""Lines that are named where something did not fit."""


@dataclass(slots=True)
class LayerTally:
    """A layer over all conversations that fit."""

    used: int = 0
    """Tokens that went out."""
    left_out: int = 0
    """Items or messages that did not."""
    touched: int = 0
    """Conversations in which it did not go out whole."""


@dataclass(slots=True)
class Tally:
    """Sums over conversations."""

    untouched: int = 0
    """Conversations that fit as they were."""
    trimmed: int = 0
    """Conversations of which something was left out, shortened or repaired."""
    overflown: list[int] = field(default_factory=list[int])
    """Lines of conversations that cannot fit."""
    before: int = 0
    """Tokens of all that fit, as they came in."""
    after: int = 0
    """Tokens of what goes out of them."""
    layers: dict[str, LayerTally] = field(default_factory=dict[str, LayerTally])
    """By name."""

    def add(self, messages: list[OpenAIMessage], context: Context[Any], *, before: int) -> None:
        """Count a conversation that fits, with its tokens as it came in."""
        out = context.messages
        same = len(out) == len(messages) and all(a is b for a, b in zip(messages, out, strict=True))
        self.untouched += same
        self.trimmed += not same
        self.before += before
        self.after += context.tokens
        for layer in context.report.layers:
            row = self.layers.setdefault(layer.name, LayerTally())
            row.used += layer.used
            row.left_out += layer.left_out
            row.touched += bool(layer.why)

    def overflow(self, line: int | None) -> None:
        """Count a conversation that cannot fit."""
        self.overflown.append(line or 1)

    def table(self) -> Table:
        """Give a row a layer."""
        rows = ((escaped(name), row.used, row.left_out, row.touched) for name, row in self.layers.items())
        return table(("layer", "used", "left out", "conversations cut"), rows)

    def summary(self) -> str:
        """Give it in one line."""
        count = self.untouched + self.trimmed + len(self.overflown)
        return (
            f"{count:,} conversation{'' if count == 1 else 's'}: {self.untouched:,} untouched, "
            f"{self.trimmed:,} trimmed, {len(self.overflown):,} cannot fit{self._lines()}; "
            f"tokens {self.before:,} before, {self.after:,} after"
        )

    def _lines(self) -> str:
        if not self.overflown:
            return ""
        more = ", …" if len(self.overflown) > _LISTED else ""
        return f" (line {', '.join(map(str, self.overflown[:_LISTED]))}{more})"
