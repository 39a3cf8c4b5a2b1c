"""Which Claude models do what, on every host."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models

_CLAUDE: Final = ("claude",)


def _from(word: str, *version: int) -> Models:
    return Models(names=_CLAUDE, word=word, since=version)


SYSTEM_IN_LIST: Final = (_from("opus", 4, 8), _from("fable", 5), _from("mythos"))
"""Take system messages within the list."""
NO_PREFILL: Final = (
    _from("opus", 4, 6),
    _from("sonnet", 4, 6),
    _from("fable"),
    _from("mythos"),
    Models(names=_CLAUDE, since=(5,)),
)
"""Don't go on with an assistant message."""
BINDS_THINKING: Final = (
    _from("fable", 5, 1),
    _from("mythos", 5, 2),
    *(_from(word, 5, 5) for word in ("opus", "sonnet", "haiku")),
)
"""Bind thinking to everything before it."""
THINKS_IN_LOOP: Final = (Models(names=_CLAUDE, before=(4, 7)),)
"""Take a budget of thinking."""
NO_THINKING_OFF: Final = (_from("fable", 5), _from("mythos", 5))
"""Always think."""
NO_BUDGET_OF_THINKING: Final = (_from("opus", 4, 7), Models(names=_CLAUDE, since=(5,)))
"""Think adaptively only."""
NO_ADAPTIVE_THINKING: Final = (Models(names=_CLAUDE, before=(4, 6)),)
"""Think by a budget only."""
NO_SAMPLING: Final = (Models(names=_CLAUDE, since=(4, 7)),)
"""Take the default temperature, `top_p` and `top_k` only."""
NOT_MADE_TO_CALL: Final = (_from("fable", 5, 1), _from("opus", 5, 5), _from("sonnet", 5, 5))
"""Cannot be made to call a tool."""
THINKS_ABOVE_HIGH: Final = (Models(names=_CLAUDE, word="opus", since=(5,), before=(5, 1)),)
"""Can be told not to think, but for the highest efforts."""
