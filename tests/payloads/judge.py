"""What a provider would refuse in a payload, judged from what providers say and are known to do.

Nothing here knows the package that is tested. What is judged is the conversation: parameters, sizes and keys are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from tests.payloads import contents, order, pairing, reasoning
from tests.payloads.readers import READERS
from tests.payloads.turns import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Rule = Callable[[Request], Iterable[str]]

Subject = Literal["pairing", "order", "contents", "reasoning"]
SUBJECTS: Final[tuple[Subject, ...]] = ("pairing", "order", "contents", "reasoning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What one provider asks of a conversation."""

    pairing: tuple[Rule, ...]
    """Of calls and results."""
    order: tuple[Rule, ...] = ()
    """Of those who speak."""
    contents: tuple[Rule, ...] = ()
    """Of what they say."""
    reasoning: tuple[Rule, ...] = ()
    """Of what the model has thought."""


RULES: Final[Mapping[str, Rules]] = {
    "openai": Rules(
        pairing=(pairing.tool_messages_follow_their_calls,),
        order=(order.something_is_said, order.roles_are_known, order.model_takes_instructions),
        contents=(contents.content_is_not_null, contents.calls_are_absent_or_some),
    ),
    "responses": Rules(
        pairing=(pairing.outputs_and_calls_match,),
        order=(order.something_is_said, order.no_message_is_a_tools),
        contents=(contents.messages_have_contents_of_their_role,),
        reasoning=(
            reasoning.reasoning_has_its_follower,
            reasoning.followers_have_their_reasoning,
            reasoning.reasoning_can_be_found,
            reasoning.no_item_comes_twice,
        ),
    ),
    "anthropic": Rules(
        pairing=(
            pairing.results_stand_in_the_next_user_turn,
            pairing.results_come_first,
            pairing.calls_come_last,
            pairing.ids_are_unique,
            pairing.ids_are_of_plain_characters,
        ),
        order=(
            order.something_is_said,
            order.roles_are_user_and_assistant,
            order.instructions_stand_before_an_answer,
            order.the_user_speaks_first,
            order.the_assistant_is_not_last,
        ),
        contents=(
            contents.turns_are_not_empty,
            contents.texts_are_not_blank,
            contents.the_last_answer_ends_without_blanks,
            contents.cache_marks_are_few,
        ),
        reasoning=(
            reasoning.an_open_loop_starts_with_thinking,
            reasoning.no_thinking_is_last_where_it_is_disabled,
            reasoning.thinking_is_signed,
        ),
    ),
    "gemini": Rules(
        pairing=(pairing.calls_follow_a_user_turn, pairing.responses_answer_the_content_before),
        order=(order.something_is_said, order.roles_are_user_and_model, order.the_model_is_not_last),
        contents=(contents.parts_have_data,),
        reasoning=(reasoning.the_current_turn_is_signed,),
    ),
    "bedrock": Rules(
        pairing=(
            pairing.results_stand_in_the_next_message,
            pairing.tools_are_configured,
            pairing.results_stand_alone,
        ),
        order=(order.something_is_said, order.the_user_speaks_first, order.user_and_assistant_take_turns),
        contents=(
            contents.messages_are_not_empty,
            contents.texts_are_not_blank,
            contents.the_last_answer_ends_without_blanks,
            contents.documents_come_with_a_text,
        ),
        reasoning=(reasoning.an_open_loop_starts_with_thinking, reasoning.thinking_is_signed),
    ),
    "mistral": Rules(
        pairing=(
            pairing.tool_messages_follow_their_calls,
            pairing.no_id_twice,
            pairing.ids_have_nine_characters,
        ),
        order=(order.something_is_said, order.roles_may_follow_each_other, order.the_user_or_a_tool_is_last),
    ),
    "deepseek": Rules(
        pairing=(pairing.tool_messages_follow_their_calls,),
        order=(order.something_is_said,),
        reasoning=(reasoning.calls_keep_their_reasoning,),
    ),
    "cohere": Rules(
        pairing=(pairing.tool_messages_follow_their_calls,),
        order=(order.something_is_said,),
        contents=(contents.the_question_is_not_empty,),
    ),
    "ollama": Rules(pairing=(pairing.as_many_tool_messages_as_calls,)),
}
"""One row for each provider that there is a reader for."""


def read(
    payload: dict[str, Any], provider: str, *, model: str = "", followers: Mapping[str, str] | None = None
) -> Request:
    """Read a payload; the model is the payload's own where it names one, for others have it in their URL."""
    return Request(
        payload=payload,
        model=payload.get("model") or model,
        turns=tuple(READERS[provider](payload)),
        followers=dict(followers or {}),
    )


def refusals(
    payload: dict[str, Any],
    provider: str,
    *,
    model: str = "",
    followers: Mapping[str, str] | None = None,
    subjects: Iterable[Subject] = SUBJECTS,
) -> list[str]:
    """Name each rule that a payload breaks, and where; none of what it says is quoted."""
    request = read(payload, provider, model=model, followers=followers)
    rules: list[Rule] = [rule for subject in subjects for rule in getattr(RULES[provider], subject)]
    return [f"{rule.__name__.replace('_', ' ')}: {what}" for rule in rules for what in rule(request)]


def asks(payload: dict[str, Any], provider: str, question: str) -> bool:
    """Whether the user asks this question in a payload."""
    said = read(payload, provider).said
    return any(question in text for turn in said if turn.role == "user" for text in turn.texts)


def stored_followers(payload: dict[str, Any]) -> dict[str, str]:
    """Give what the server of the Responses API remembers of a whole history: which item followed which reasoning."""
    items = payload["input"]
    return {
        item["id"]: after["id"]
        for item, after in pairwise(items)
        if item.get("type") == "reasoning" and after.get("id")
    }
