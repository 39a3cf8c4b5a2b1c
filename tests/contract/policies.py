"""Policies of every kind, for generated conversations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from ctx_core import HistoryPolicy, MediaPolicy, Role, Share, ToolCallPolicy, ToolResultPolicy
from tests.contract.choices import chosen

if TYPE_CHECKING:
    from ctx_core import Message

MARKER = "[{count} earlier messages omitted]"

_results = chosen(
    lambda max_tokens, share, steps, rest, errors, superseded, keep, first: ToolResultPolicy(
        max_tokens=max_tokens,
        overflow_share=share,
        clear_after_steps=steps,
        clear_rest=rest,
        keep_errors=errors,
        superseded=superseded,
        keep=keep,
        first=first,
        min_tokens=5,
    ),
    (None, None, 50),
    (0.1, 0.5, 1.0),
    (None, None, None, None, 0, 1, 2, 3),
    (False, True),
    (False, True),
    (None, True, False),
    ((), (), ("run",)),
    ((), (), ("search",)),
)

_calls = chosen(
    lambda max_tokens, steps, rest, keep: ToolCallPolicy(
        max_tokens=max_tokens,
        clear_after_steps=steps,
        clear_rest=rest,
        keep=keep,
        min_tokens=2,
        placeholder="[gone]",
        cut_marker="…",
    ),
    (None, None, 3),
    (None, None, 0, 1, 2),
    (False, True),
    ((), (), ("run",)),
)
"""Those generated have short arguments."""

_media = chosen(
    lambda newest, kinds: None if newest is False else MediaPolicy(keep_newest=newest, kinds=kinds),
    (False, False, None, 0, 1),
    (("image",), ("image", "audio", "video", "document")),
)

_rest = chosen(
    lambda messages, low, marker, role, reasoning, unanswered, with_user, recent: {
        "max_messages": messages,
        "low_water": low,
        "omission_marker": marker,
        "marker_role": role,
        "reasoning": reasoning,
        "unanswered": unanswered,
        "start_with_user": with_user,
        "preserve_recent_turns": recent,
    },
    [None] * 20 + [*range(1, 21)],
    (0.3, 0.6, 1.0),
    (None, MARKER),
    (Role.SYSTEM, Role.USER),
    ("keep", "keep", "drop_at_cut", "drop_old_turns"),
    ("stub", "drop"),
    (False, True),
    (0, 0, 1, 3),
)

policies = st.builds(
    lambda results, calls, media, rest: HistoryPolicy(results=results, calls=calls, media=media, **rest),
    _results,
    _calls,
    _media,
    _rest,
)
"""All but what keeps messages from before the cut."""


def _says_tide(message: Message) -> bool:
    return "tide" in message.text


pinning_policies = st.builds(
    lambda policy, kept: replace(policy, **kept),
    policies,
    chosen(
        lambda first, pinned: {"keep_first": first, "pinned": pinned},
        (0, 1, 2, 5, Share(0.2)),
        (None, _says_tide),
    ),
)
"""And those that keep the first messages, or pinned ones."""
