"""What a model's name tells about what it takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLAUDE = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d+)(?:[-.](\d{1,2})(?!\d))?")
_OLDER_CLAUDE = re.compile(r"claude-(\d)-(\d)?")
_GEMINI = re.compile(r"gemini-(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Claude:
    """A model of Anthropic's; a name that says no version means none of the newer rules."""

    line: str
    """Opus, Sonnet, Haiku, Fable, Mythos; empty before version 4."""
    version: tuple[int, int]
    """Major and minor."""

    @property
    def refuses_prefill(self) -> bool:
        """Whether the conversation must not end with an assistant."""
        return self.version >= ((4, 6) if self.line in ("opus", "sonnet") else (5, 0))

    @property
    def takes_system_messages(self) -> bool:
        """Whether instructions may stand in the middle."""
        return self.line in ("fable", "mythos") or (self.line == "opus" and self.version >= (4, 8))

    @property
    def thinks_by_default(self) -> bool:
        """Whether it thinks when nothing is said of it."""
        return self.version >= (5, 0)


def claude(model: str) -> Claude:
    """Read the name of a Claude, wherever it is served."""
    if found := _CLAUDE.search(model):
        return Claude(found[1], (int(found[2]), int(found[3] or 0)))
    older = _OLDER_CLAUDE.search(model)
    return Claude("", (int(older[1]), int(older[2] or 0)) if older else (0, 0))


def is_claude(model: str) -> bool:
    """Whether it is one of Anthropic's."""
    return "claude" in model


def gemini_version(model: str) -> tuple[int, int]:
    """Read the version of a Gemini, 0 and 0 if there is none."""
    found = _GEMINI.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def gemini_refuses_model_last(model: str) -> bool:
    """Whether a request must not end with the model's turn."""
    return gemini_version(model) >= (3, 6) or "gemini-3.5-flash-lite" in model
