"""What a request asks for beside its messages and tools, as far as it is billed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """Options of a request that cost tokens."""

    tool_choice: str = "auto"
    """`auto`, `none`, `any` (some tool must be called), or the name of the tool that must be called."""
    schema: Mapping[str, Any] | None = field(default=None, repr=False)
    """JSON schema that the answer must follow."""
    schema_name: str = "response"
    """The schema's name, which is billed too."""
    schema_description: str = field(default="", repr=False)
    """The schema's description, which is billed too."""
    thinking: bool = False
    """Whether the model's thinking is switched on, where that is a switch."""
