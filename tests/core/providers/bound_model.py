"""A model that signs its thoughts for all that it has read, and a provider that checks it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.transcript import read_natives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import Context, TokenCounter

Native = dict[str, Any]


def plain(message: Native) -> Native:
    """Give a message without thoughts and marks."""
    held = message["content"]
    if isinstance(held, str):
        held = [{"type": "text", "text": held}]
    kept = [{key: one for key, one in block.items() if key != "cache_control"} for block in held]
    return {"role": message["role"], "content": [block for block in kept if block["type"] != "thinking"]}


def signature(system: str, tools: Sequence[object], before: Sequence[Native]) -> str:
    """Sign for what stands before."""
    turns: list[Native] = []
    for message in map(plain, before):
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1] = {"role": message["role"], "content": [*turns[-1]["content"], *message["content"]]}
        else:
            turns.append(message)
    return sha256(json.dumps([system, list(tools), turns], sort_keys=True).encode()).hexdigest() * 4


@dataclass
class BoundModel:
    """Answers, with a thought before each; refuses a thought that was for something else."""

    tools: list[Native] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Signatures that came in the last request."""
    gone: set[str] = field(default_factory=set)
    """Signatures that were left out once."""
    given: list[str] = field(default_factory=list)
    kept: int = 0
    """Thoughts that came back in all."""

    def answer(self, system: str, messages: Sequence[Native], *said: Native) -> Native:
        """Check the request as the provider does, and give an answer with a thought of its own."""
        here: list[str] = []
        for at, message in enumerate(messages):
            for number, block in enumerate(message["content"] if isinstance(message["content"], list) else ()):
                if block["type"] == "thinking":
                    before = [*messages[:at], {"role": message["role"], "content": message["content"][:number]}]
                    before = before if before[-1]["content"] else before[:-1]
                    assert block["signature"] == signature(system, self.tools, before), "bound to something else"
                    here.append(block["signature"])
        assert not self.gone & {*here}, "put back"
        wanted = [one for one in self.given if one in here]
        assert here == wanted
        assert here == (self.given[self.given.index(here[0]) :][: len(here)] if here else []), "one in the middle"
        self.gone |= {*self.given} - {*here}
        self.kept += len(here)
        own = signature(system, self.tools, messages)
        self.given.append(own)
        thought = {"type": "thinking", "thinking": "hm " * 8, "signature": own}
        return {"role": "assistant", "content": [thought, *said]}


def recounted(counter: TokenCounter, context: Context[Any]) -> int:
    """Count what goes out, from scratch."""
    read = list(read_natives(context.messages, format_named("anthropic")))
    system = counter.count_messages([{"role": "system", "content": context.system_prompt}], format="openai")
    return counter.count_messages(read) + (system - counter.primer if context.system_prompt else 0)
