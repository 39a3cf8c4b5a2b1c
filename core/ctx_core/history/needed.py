"""What the newest messages need: layers give way to that, before anything of it is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx_core.history.tool_results import cleared
from ctx_core.messages import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.counting.counter import TokenCounter
    from ctx_core.history.policy import ToolResultPolicy
    from ctx_core.messages import Message
    from ctx_core.transcript import Transcript


def newest_tokens(
    transcript: Transcript[Any],
    limit: int,
    *,
    counter: TokenCounter,
    policy: ToolResultPolicy,
    until_question: bool,
    clearing: bool = False,
) -> int:
    """Give the tokens of the newest messages, counted up to a limit, or back to the last question.

    Args:
        transcript: history and current message.
        limit: tokens after which nothing more is counted.
        counter: prices messages.
        policy: says what becomes of results.
        until_question: whether to stop at the last question.
        clearing: whether results that the policy clears on overflow cost what is put in their place.
    """
    tokens, age = 0, 0
    together: list[Message] = []
    for at in range(len(transcript) - 1, -1, -1):
        together.insert(0, transcript[at])
        if transcript.role(at) is Role.TOOL and at > 0:
            continue  # what a result costs depends on the calls before it
        tokens += counter.count_sequence(together) - _saved(together, counter, policy, age if clearing else None)
        age += bool(together[0].tool_calls)
        together.clear()
        if tokens > limit or (until_question and transcript.role(at) is Role.USER):
            break
    return min(tokens, limit)


def _saved(messages: Sequence[Message], counter: TokenCounter, policy: ToolResultPolicy, age: int | None) -> int:
    """Give what the policy saves on results: those that are too long, and, from an age on, those that are cleared."""
    saved = 0
    for message in messages:
        if message.role is not Role.TOOL:
            continue
        cost = least = counter.count_message(message)
        if policy.max_tokens is not None:
            least = min(least, policy.max_tokens)
        if age is not None:
            least = min(least, counter.count_message(cleared(message, counter, policy, age)))
        saved += cost - least
    return saved
