"""What a request costs beside its texts: the frame around messages, calls, tools and media."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """Prices in tokens. The defaults are OpenAI's for chat models that do not reason.

    Text framing is measured on recorded bills (98 % of text-only requests to be exact to the token). The
    figures for calls and tools are upper estimates, so that a budget is kept.
    """

    per_request: int = 3
    """Once a request: the primer of the answer."""
    per_message: int = 4
    """Every message: its role and its separators."""
    per_assistant: int = 0
    """Every assistant message of the history, in addition: 2 for OpenAI's reasoning models."""
    per_name: int = 1
    """A message that names its speaker, in addition to the name's own tokens."""
    per_call: int = 14
    """Every tool call, in addition to its name and its arguments. Parallel calls cost 18 more once; in this."""
    per_tool: int = 12
    """Every tool definition, in addition to its JSON."""
    any_tools: int = 30
    """Once a request that has tools."""
    image: int = 1_000
    """A picture whose real cost is not known."""
    audio: int = 1_500
    """A recording whose real cost is not known: about a minute."""
    video: int = 8_000
    """A film whose real cost is not known: about half a minute."""
    file: int = 3_000
    """A document that is not plain text and whose real cost is not known: about two pages."""

    @classmethod
    def free(cls) -> Framing:
        """Give a framing that costs nothing: only texts count."""
        return cls(
            per_request=0, per_message=0, per_name=0, per_call=0, per_tool=0, any_tools=0,
            image=0, audio=0, video=0, file=0,
        )  # fmt: skip
