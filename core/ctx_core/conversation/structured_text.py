"""Results that are JSON and no text: they are counted as JSON, and what is cut of them stays JSON of the same kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from ctx_core.conversation.fields import arguments_text
from ctx_core.conversation.natives import copied
from ctx_core.conversation.parts import Part, TextPart


@dataclass(frozen=True, slots=True)
class StructuredText:
    """The JSON of a value in its block: another text stands there as the value it means, if it is one of its kind."""

    value: object = field(repr=False)
    """A mapping or a list."""
    block: object = field(default=None, repr=False)
    """What has it under `json`; None: it has no block of its own."""

    @property
    def text(self) -> str:
        """The JSON."""
        return arguments_text(self.value)

    def with_text(self, text: str) -> Part:
        """Give the part of another text: of JSON with such a value, else of a mere text."""
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            return TextPart(text)
        kind = Mapping if isinstance(self.value, Mapping) else list
        if not isinstance(value, kind):
            return TextPart(text)
        return structured_part(value, None if self.block is None else copied(self.block, json=value))


def structured_part(value: object, block: object = None) -> TextPart:
    """Give the part of a value, which is counted as its JSON; the block that has it under `json`, if any."""
    if not isinstance(value, Mapping | list | tuple):
        return TextPart(arguments_text(value), raw=block)
    held = StructuredText(cast("object", value), block)
    return TextPart(held.text, raw=block, holder=held)


def structured_value(part: Part) -> object:
    """Give the mapping or the list that a part says as JSON; None for any other part."""
    return part.holder.value if isinstance(part.holder, StructuredText) else None
