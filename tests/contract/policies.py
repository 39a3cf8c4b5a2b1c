"""Policies of every kind, for generated conversations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from ctx_core import HistoryPolicy, Role, Share, ToolResultPolicy

if TYPE_CHECKING:
    from ctx_core import Message

MARKER = "[{count} earlier messages omitted]"

_results = st.builds(
    ToolResultPolicy,
    max_tokens=st.sampled_from((None, None, 50)),
    overflow_share=st.sampled_from((0.1, 0.5, 1.0)),
    clear_after_steps=st.one_of(st.none(), st.integers(0, 3)),
    clear_rest=st.booleans(),
    keep_errors=st.booleans(),
    min_tokens=st.just(5),
)

policies = st.builds(
    HistoryPolicy,
    max_messages=st.one_of(st.none(), st.integers(1, 20)),
    low_water=st.sampled_from((0.3, 0.6, 1.0)),
    results=_results,
    omission_marker=st.sampled_from((None, MARKER)),
    marker_role=st.sampled_from((Role.SYSTEM, Role.USER)),
    reasoning=st.sampled_from(("keep", "keep", "drop_at_cut", "drop_old_turns")),
    unanswered=st.sampled_from(("stub", "drop")),
    start_with_user=st.booleans(),
    preserve_recent_turns=st.sampled_from((0, 0, 1, 3)),
)
"""Everything but what keeps messages from before the cut."""


def _says_tide(message: Message) -> bool:
    return "tide" in message.text


pinning_policies = st.builds(
    lambda policy, keep_first, pinned: replace(policy, keep_first=keep_first, pinned=pinned),
    policies,
    st.sampled_from((0, 1, 2, 5, Share(0.2))),
    st.sampled_from((None, _says_tide)),
)
"""And those that keep the first messages, or pinned ones."""
