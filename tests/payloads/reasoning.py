"""What the model has thought: where it has to be, and where it must not be."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from tests.payloads.models import claude, gemini_version, is_claude
from tests.payloads.pairing import merged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.payloads.turns import Request, Turn

_LAST_WITH_A_BUDGET: Final = (4, 6)
"""The last version of Claude that takes a budget of thinking."""


# Anthropic, thinking in history, open tool loop; Bedrock passes it on.
def an_open_loop_starts_with_thinking(request: Request) -> Iterator[str]:
    """With a budget of thinking, the assistant whose results are last begins with its thinking."""
    if _thinking(request).get("type") != "enabled" or claude(request.model).version > _LAST_WITH_A_BUDGET:
        return
    for calling, last in list(pairwise(merged(request.said)))[-1:]:
        if last.results and [part.kind for part in calling.parts[:1]] != ["reasoning"]:
            yield f"the open loop at {calling.at} has no thinking"


# Anthropic, thinking in history, thinking disabled.
def no_thinking_is_last_where_it_is_disabled(request: Request) -> Iterator[str]:
    """A last answer has no thinking if none was asked for."""
    asked = _thinking(request).get("type", "adaptive" if claude(request.model).thinks_by_default else "disabled")
    last = request.said[-1:]
    if asked == "disabled" and last and last[0].role == "assistant" and last[0].reasoning:
        yield "the last answer has thinking"


# Anthropic, and Claude on Bedrock: a block of another model's, which nobody signed, is refused.
def thinking_is_signed(request: Request) -> Iterator[str]:
    """Thinking has a signature, or is sealed as a whole."""
    for turn in request.said:
        for part in turn.of("reasoning"):
            block = part.raw.get("reasoningContent")
            if block is not None and not is_claude(request.model):
                continue  # other models on Bedrock take it
            block = block or part.raw
            told = block.get("reasoningText", block)
            if not (told.get("signature") or block.get("redactedContent") or block.get("data")):
                yield f"the thinking at {turn.at} is not signed"


# Responses, pairing of reasoning: an item of reasoning and the one that was generated right after it go together. One
# that is stored is known by its id, so what follows has to have one too; one that is encrypted stands before any item
# of the assistant's.
def reasoning_has_its_follower(request: Request) -> Iterator[str]:
    """Behind reasoning stands what was generated after it."""
    for turn, after in zip(request.said, (*request.said[1:], None), strict=False):
        if not turn.reasoning:
            continue
        follows = after is not None and after.role == "assistant" and bool(after.parts)
        stored = "encrypted_content" not in turn.raw
        if not follows or (stored and after is not None and not _item_id(after)):
            yield f"the reasoning at {turn.at} is without what followed it"


# Responses, pairing of reasoning, the other way round: only the server knows what followed which reasoning.
def followers_have_their_reasoning(request: Request) -> Iterator[str]:
    """An item that was generated after reasoning, and keeps its id, stands right behind it."""
    reasons = {follower: reason for reason, follower in request.followers.items()}
    for before, turn in zip((None, *request.said), request.said, strict=False):
        reason = reasons.get(_item_id(turn))
        if reason and (before is None or _item_id(before) != reason):
            yield f"the item at {turn.at} is without its reasoning"


# Responses, stateless: an item that is not stored is known by what is encrypted in it.
def reasoning_can_be_found(request: Request) -> Iterator[str]:
    """Without a store, reasoning brings its content along; its summary it always has."""
    for turn in request.said:
        if turn.reasoning and request.payload.get("store") is False and not turn.raw.get("encrypted_content"):
            yield f"the reasoning at {turn.at} is not stored"
        if turn.reasoning and turn.raw.get("summary") is None:
            yield f"the reasoning at {turn.at} has no summary"


# Responses, other ids.
def no_item_comes_twice(request: Request) -> Iterator[str]:
    """Every id of an item stands once."""
    ids = Counter(filter(None, map(_item_id, request.said)))
    if twice := sum(times > 1 for times in ids.values()):
        yield f"{twice} items come twice"


# Gemini 3, thought signatures: in the current turn, which begins with the last words of the user, the first call of
# each step has one.
def the_current_turn_is_signed(request: Request) -> Iterator[str]:
    """The first call of each content behind the user's last words has a signature."""
    if gemini_version(request.model) < (3, 0):
        return
    asked = [at for at, turn in enumerate(request.said) if turn.role == "user" and turn.texts]
    for turn in request.said[asked[-1] if asked else 0 :]:
        if turn.calls and not turn.calls[0].raw.get("thoughtSignature"):
            yield f"the first call at {turn.at} has no signature"


# DeepSeek, thinking mode: what was thought before a call is passed back on this and all later requests.
def calls_keep_their_reasoning(request: Request) -> Iterator[str]:
    """In thinking mode, an assistant that calls brings its reasoning along."""
    if _thinking(request).get("type") != "enabled" and request.model != "deepseek-reasoner":
        return
    for turn in request.said:
        if turn.calls and not turn.reasoning:
            yield f"the calls at {turn.at} are without their reasoning"


def _thinking(request: Request) -> dict[str, Any]:
    """Give what was asked for of thinking, directly or through Bedrock."""
    more = request.payload.get("additionalModelRequestFields") or {}
    asked: dict[str, Any] = request.payload.get("thinking") or more.get("thinking") or {}
    return asked


def _item_id(turn: Turn) -> str:
    return str(turn.raw.get("id") or "")
