"""Holds what is remembered of a conversation against the conversation as it is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctx_core.history.state import WindowState, message_key

if TYPE_CHECKING:
    from ctx_core.transcript import Transcript


def matching(state: WindowState | None, transcript: Transcript[Any]) -> WindowState:
    """Give the state with its positions as they are now; a fresh one where it doesn't match the conversation.

    The usual case looks at a handful of messages. Only where the first kept message is not at its place
    (a store that dropped old messages, a system message put in front) it is searched for.
    """
    if state is None or state.start_key is None or len(state.kept) != len(state.kept_keys):
        return WindowState()
    start = _find(state, transcript)
    if start is None:
        return WindowState()
    shift = start - state.start
    kept = tuple(at + shift for at in state.kept)
    for at, key in zip(kept, state.kept_keys, strict=True):
        if not 0 <= at < start or message_key(transcript[at]) != key:
            return WindowState()
    gone = state.first_gone
    replaced = gone is not None and not _is(transcript, gone, state.gone_key or "")
    if shift or replaced:
        instructions = {at for at in range(start) if transcript.role(at).instructs}
        kept = tuple(sorted({*kept, *instructions}))
    return replace(
        state,
        start=start,
        kept=kept,
        kept_keys=tuple(message_key(transcript[at]) for at in kept),
        head_end=None if state.head_end is None else max(0, state.head_end + shift),
        cleared={at + shift: pair for at, pair in state.cleared.items() if _is(transcript, at + shift, pair[0])},
        shortened={at + shift: pair for at, pair in state.shortened.items() if _is(transcript, at + shift, pair[0])},
        reasoning_from=max(0, state.reasoning_from + shift),
        summarised=max(0, state.summarised + shift),
        spared=tuple(at + shift for at in state.spared if at + shift >= 0),
    )


def _find(state: WindowState, transcript: Transcript[Any]) -> int | None:
    key = state.start_key
    if key is None:
        return None
    if _is(transcript, state.start, key):
        return state.start
    return next((at for at in range(len(transcript)) if _is(transcript, at, key)), None)


def _is(transcript: Transcript[Any], at: int, key: str) -> bool:
    return 0 <= at < len(transcript) and message_key(transcript[at]) == key
