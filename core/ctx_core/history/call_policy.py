"""What may happen to the arguments of old calls: with tools that write files they are the bulk of a conversation."""

from __future__ import annotations

from dataclasses import dataclass

from ctx_core.history.checks import names_in, need_from_zero, need_kind, need_positive, need_words
from ctx_core.truncation import MIDDLE_MARKER


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPolicy:
    """What may happen to the arguments of calls, before whole turns are left out; they stay JSON of the same keys."""

    max_tokens: int | None = None
    """Arguments of a call over this many tokens have their longest texts cut to head and tail when they are first seen,
    and stay so. None: only where a request is to be truncated and nothing else is left to cut."""
    clear_after_steps: int | None = None
    """On overflow, long arguments of calls older than this many steps give way to `placeholder`. A step is an assistant
    message with calls and their results; None: never."""
    clear_rest: bool = False
    """Whether on overflow those of the remaining calls give way too, oldest first, all but those of the newest step."""
    keep: tuple[str, ...] = ()
    """Names of tools whose arguments are never cleared, and not cut at first sight."""
    min_tokens: int = 100
    """Arguments under this many tokens, all of a call together, are not worth clearing."""
    placeholder: str = "[argument truncated - {age} steps ago, {tokens} tokens]"
    """Stands in the place of each long text in the arguments: `{age}` in steps, `{tokens}` of the text, `{id}`: the
    name by which `search_context` gives the call back."""
    cut_marker: str = MIDDLE_MARKER
    """Stands where the middle of a text is left out: `{tokens}` of what is missing, `{id}` as above."""

    @property
    def clears(self) -> bool:
        """Whether any arguments give way to a placeholder on overflow."""
        return self.clear_rest or self.clear_after_steps is not None

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        need_positive("max_tokens", self.max_tokens)
        need_from_zero("clear_after_steps", self.clear_after_steps, or_none=True)
        need_kind("clear_rest", self.clear_rest, bool)
        object.__setattr__(self, "keep", names_in("keep", self.keep))
        need_from_zero("min_tokens", self.min_tokens)
        need_words("placeholder", self.placeholder)
        need_words("cut_marker", self.cut_marker)
