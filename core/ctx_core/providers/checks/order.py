"""Who speaks, and behind whom."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.provider_tools import is_paused
from ctx_core.providers.checks.reading import Found
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers.checks.checked import CheckedRequest
    from ctx_core.providers.checks.reading import Turn
    from ctx_core.providers.rules import Rule

_ROLES: Final = frozenset({"system", "user", "assistant", "tool", ""})


def something_said(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find a request without messages."""
    request = checked.reading.request
    goes_on = any(request.get(key) for key in ("previous_response_id", "prompt", "conversation"))
    if not checked.turns and not goes_on:
        yield Found(path=checked.reading.listed)


def roles_known(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find roles that the provider does not have; of a client's input, roles that nobody has."""
    for turn in checked.reading.turns:
        told = turn.raw.get("role")
        if not checked.reading.own:
            known = turn.role in _ROLES
        elif told is None:
            # A content of Gemini's may have no role, and of items only messages have one.
            known = checked.reading.format in {"gemini", "responses"}
        else:
            known = told in rule.values
        if not known:
            yield Found(path=turn.path)


def system_leads(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find system messages behind others, and those at the head that are too many."""
    leads = 0
    for at, turn in enumerate(checked.turns):
        if turn.role != "system":
            continue
        leads += at == leads
        if at >= leads or (rule.most is not None and leads > rule.most):
            yield Found(path=turn.path)


def system_apart(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find system messages in the list, but those that a client takes out of its head."""
    yield from _system_turns(checked)


def takes_no_system(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find system messages anywhere."""
    yield from (Found(path=block.path) for block in checked.system)
    yield from _system_turns(checked)


def system_placed(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find system messages that are not behind a user turn, or behind which the user goes on; of a run, the last."""
    turns = checked.turns
    for at, turn in enumerate(turns):
        if turn.role != "system" or (at + 1 < len(turns) and turns[at + 1].role == "system"):
            continue
        before = next((one for one in reversed(turns[:at]) if one.role != "system"), None)
        after = turns[at + 1].role if at + 1 < len(turns) else "assistant"
        behind = before is not None and (before.role == "user" or _ends_with_provider_tool(before))
        if not behind or after != "assistant":
            yield Found(path=turn.path)


def system_not_after_answer(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find system messages behind an assistant message or a tool message."""
    for before, turn in pairwise(checked.turns):
        if turn.role == "system" and before.role in {"assistant", "tool"}:
            yield Found(path=turn.path)


def user_begins(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find a first message that is not the user's."""
    if checked.spoken and checked.spoken[0].role != "user":
        yield Found(path=checked.spoken[0].path)


def alone_is_user(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find an only message that is the assistant's or a tool's."""
    if len(checked.turns) == 1 and checked.turns[0].role not in {"user", "system"}:
        yield Found(path=checked.turns[0].path)


def call_after_user(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find calls that are not right behind a user turn or results."""
    for at, turn in enumerate(checked.turns):
        if turn.calls and (at == 0 or checked.turns[at - 1].role not in {"user", "tool"}):
            yield Found(path=turn.path)


def user_ends(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find a last message that is nobody's who may be last; an only one may have a rule of its own."""
    alone = len(checked.turns) == 1 and checked.target.asks(Kind.ALONE_IS_USER) is not None
    if not checked.turns or alone:
        return
    last = checked.turns[-1]
    free = last.role == "assistant" and (is_prefix(last) or (rule.last_may and not last.blocks) or _is_paused(last))
    if last.role not in {*rule.last, ""} and not free:
        yield Found(path=last.path)


def prefix_is_last(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find messages to be gone on with that are not the last."""
    yield from (Found(path=turn.path) for turn in checked.turns[:-1] if is_prefix(turn))


def alternates(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find messages of the user or of the assistant behind one of their own."""
    for before, turn in pairwise(checked.spoken):
        if before.role == turn.role and turn.role in {"user", "assistant"}:
            yield Found(path=turn.path)


def not_user_after_tool(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find user messages right behind a tool's."""
    for before, turn in pairwise(checked.turns):
        if before.role == "tool" and turn.role == "user":
            yield Found(path=turn.path)


def is_prefix(turn: Turn) -> bool:
    """Whether an assistant message says that it is to be gone on with."""
    return turn.role == "assistant" and turn.raw.get("prefix") is True


def _is_paused(turn: Turn) -> bool:
    """Whether an answer waits for a tool that the provider runs itself, and is gone on with."""
    return is_paused(block.raw for block in turn.blocks)


def _system_turns(checked: CheckedRequest) -> Iterator[Found]:
    yield from (Found(path=turn.path) for turn in checked.turns if turn.role == "system")


def _ends_with_provider_tool(turn: Turn) -> bool:
    if turn.role != "assistant" or not turn.blocks:
        return False
    kind = turn.blocks[-1].raw.get("type")
    return isinstance(kind, str) and kind.endswith("_tool_result")
