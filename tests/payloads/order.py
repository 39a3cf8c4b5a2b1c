"""Who speaks first, last and after whom."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tests.payloads.models import claude, gemini_refuses_model_last
from tests.payloads.pairing import merged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.payloads.turns import Request

_CHAT_ROLES: Final = ("system", "user", "assistant", "tool", "function")
_MISTRAL_MAY_FOLLOW: Final = {
    "system": ("user", "assistant", "system"),
    "user": ("assistant", "system", "user"),
    "assistant": ("assistant", "user", "tool"),
    # mistral-common lets a user follow since 1.13; the API was reported to refuse it long after.
    "tool": ("assistant", "tool"),
}


# All of them: an empty list of messages.
def something_is_said(request: Request) -> Iterator[str]:
    """There is a message, and it is not an empty string that stands for all of them."""
    if not request.said or request.payload.get("input") == "":
        yield "there is no message"


# Chat completions, roles; nothing is asked of their order.
def roles_are_known(request: Request) -> Iterator[str]:
    """Every message has a role that there is."""
    for turn in request.said:
        if turn.role not in _CHAT_ROLES:
            yield f"unknown role at {turn.at}"


# Chat completions, o1-mini: no system message.
def model_takes_instructions(request: Request) -> Iterator[str]:
    """The first of the reasoning models take none."""
    if request.model.startswith("o1-mini") and any(turn.role == "system" for turn in request.said):
        yield "the model takes no system message"


# Responses, shape of messages: a tool's result is an item of its own.
def no_message_is_a_tools(request: Request) -> Iterator[str]:
    """A message is of the system, a developer, the user or the assistant."""
    for turn in request.said:
        if turn.raw.get("type", "message") == "message" and turn.role not in _CHAT_ROLES[:3]:
            yield f"unknown role at {turn.at}"


# Anthropic, roles; consecutive messages of one role are merged and refused by nobody.
def roles_are_user_and_assistant(request: Request) -> Iterator[str]:
    """No role but those two, and the system's where the model takes it."""
    taken = claude(request.model).takes_system_messages
    for turn in request.said:
        if turn.role not in ("user", "assistant") and not (turn.role == "system" and taken):
            yield f"unknown role at {turn.at}"


# Anthropic, instructions in the middle: behind a user's turn, and before an assistant's or at the end.
def instructions_stand_before_an_answer(request: Request) -> Iterator[str]:
    """What the system says in the middle stands between a user and an assistant."""
    roles = [turn.role for turn in merged(request.said)]
    for at, role in enumerate(roles):
        if role == "system" and (
            at == 0 or roles[at - 1] != "user" or roles[at + 1 : at + 2] not in ([], ["assistant"])
        ):
            yield f"instructions are misplaced in turn {at}"


# Anthropic, first message (a switch there: one recording got through); Bedrock, first message.
def the_user_speaks_first(request: Request) -> Iterator[str]:
    """The first message is the user's."""
    if request.said and request.said[0].role != "user":
        yield "the first message is not the user's"


# Anthropic, prefill: newer models want the user's word last; an empty answer counts as none.
def the_assistant_is_not_last(request: Request) -> Iterator[str]:
    """The last message is the user's, for models that take no prefill."""
    last = request.said[-1:]
    if last and last[0].role == "assistant" and last[0].parts and claude(request.model).refuses_prefill:
        yield "the last message is the assistant's"


# Gemini, roles.
def roles_are_user_and_model(request: Request) -> Iterator[str]:
    """No role but those two, or none."""
    for turn in request.said:
        if turn.role not in ("user", "assistant"):
            yield f"unknown role at {turn.at}"


# Gemini, last turn: newer models want the user's.
def the_model_is_not_last(request: Request) -> Iterator[str]:
    """The last content is the user's, for models that ask for it."""
    if request.said and request.said[-1].role == "assistant" and gemini_refuses_model_last(request.model):
        yield "the last content is the model's"


# Bedrock, alternation.
def user_and_assistant_take_turns(request: Request) -> Iterator[str]:
    """No two messages of one role stand together."""
    for before, after in pairwise(request.said):
        if before.role == after.role:
            yield f"two messages of one role, the second at {after.at}"


# Mistral, order of messages.
def roles_may_follow_each_other(request: Request) -> Iterator[str]:
    """Each role may stand behind the one before it."""
    for before, after in pairwise(request.said):
        if after.role not in _MISTRAL_MAY_FOLLOW.get(before.role, ()):
            yield f"{after.role} after {before.role} at {after.at}"


# Mistral, last message.
def the_user_or_a_tool_is_last(request: Request) -> Iterator[str]:
    """Only an assistant that is to be continued may be last, and only there."""
    for turn in request.said:
        is_last, is_prefix = turn is request.said[-1], bool(turn.raw.get("prefix"))
        if is_prefix and not is_last:
            yield f"a prefix at {turn.at} is not last"
        is_lone_instruction = turn.role == "system" and len(request.said) == 1  # which its validator takes
        if is_last and turn.role in ("assistant", "system") and not is_prefix and not is_lone_instruction:
            yield f"the last message is the {turn.role}'s"
