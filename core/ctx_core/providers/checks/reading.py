"""A request in one form for all providers, as far as rules speak of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ctx_core.conversation.fields import mapping_in
from ctx_core.conversation.formats.names import FormatName

BlockKind: TypeAlias = Literal[
    "text", "media", "document", "call", "result", "thinking", "reasoning", "mark", "empty", "other"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The smallest thing that is said: a block, a part, an item."""

    kind: BlockKind
    """What it is; `other` is what no rule speaks of, `empty` what has nothing in it."""
    path: str
    """Where it stands in the request, as `messages[2].content[0]`."""
    text: str = field(default="", repr=False)
    """Of a text or of thinking."""
    id: str | None = None
    """What joins a call and its result; None where there is none."""
    item: str | None = None
    """The id of the item itself, in the Responses API."""
    name: str | None = None
    """Of the tool; None where there is none."""
    arguments: object = field(default=None, repr=False)
    """Of a call, as they stand there."""
    inner: tuple[Block, ...] = ()
    """What a result consists of."""
    signature: str | None = field(default=None, repr=False)
    """Of thinking, a call or a text, also the sealed content of thinking; None where there is none."""
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """As it stands in the request; empty for a bare text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message, a content or an item; or several that count as one."""

    role: str
    """`system`, `user`, `assistant` or `tool`; empty where no role belongs to it, else what stands there."""
    path: str
    """Where it, or the first of it, stands in the request."""
    blocks: tuple[Block, ...]
    """In their order."""
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """As it stands in the request, or as the first of it does."""

    def of(self, kind: BlockKind) -> tuple[Block, ...]:
        """Give its blocks of a kind."""
        return tuple(block for block in self.blocks if block.kind == kind)

    @property
    def calls(self) -> tuple[Block, ...]:
        """Give its calls."""
        return self.of("call")

    @property
    def results(self) -> tuple[Block, ...]:
        """Give its results."""
        return self.of("result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A request that was read."""

    format: FormatName
    """Of its messages."""
    own: bool
    """Whether that is the format of the provider's requests; else a client makes these of it."""
    whole: bool
    """Whether it is a whole request: of a mere list of messages nothing is known beside them."""
    request: Mapping[str, Any] = field(repr=False)
    """As it came in, or made of what came in."""
    listed: str
    """The key of the list of messages."""
    turns: tuple[Turn, ...] = field(repr=False)
    """As they stand in the list, or as the client would send them."""
    system: tuple[Block, ...] = field(default=(), repr=False)
    """System text that stands outside of the list."""
    tools: tuple[Mapping[str, Any], ...] | None = field(default=None, repr=False)
    """Definitions of tools, as they stand there; None where it is not known whether there are any."""
    tools_path: str = "tools"
    """Where those stand."""
    model: str | None = None
    """The model's name."""
    tokens: int | None = None
    """What its input is counted; None where it was not."""

    @property
    def thinking(self) -> Mapping[str, Any]:
        """Give how thinking is asked for; empty where nothing is said."""
        return mapping_in(self.request, "thinking") or mapping_in(
            mapping_in(self.request, "additionalModelRequestFields"), "thinking"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A place where a rule is broken."""

    path: str
    """Where, as `messages[2].content[0]`."""
    doubted: bool = False
    """Whether it may be taken all the same."""
