"""The arguments of LangChain's `trim_messages`: what they ask for of our engine, and what it is refused with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from langchain_core.messages import HumanMessage

from ctx_core.clean import told
from ctx_core.errors import BudgetError
from ctx_core.sizes import is_count

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

MessageKinds: TypeAlias = "str | type[BaseMessage] | Sequence[str | type[BaseMessage]] | None"
"""What `start_on` and `end_on` take: names or classes of messages."""

_HUMAN: Final = ("human", "user", "HumanMessage", "HumanMessageChunk")


def check_arguments(
    *,
    max_tokens: object,
    strategy: object,
    token_counter: object,
    start_on: object,
    end_on: object,
    include_system: object,
    allow_partial: object,
    text_splitter: object,
) -> None:
    """Refuse what the engine does not do, with what to do instead.

    Raises:
        BudgetError: for each of those.
    """
    refused = {
        f"max_tokens must be a whole number of tokens above 0, found {told(max_tokens)}": (
            not is_count(max_tokens) or not max_tokens
        ),
        f"token_counter=len counts messages: give max_tokens in tokens, token_counter='approximate' or a model, and "
        f"policy=HistoryPolicy(max_messages={told(max_tokens)})": token_counter is len,
        "token_counter must be what LangChain takes as one, or a model's name, found None": token_counter is None,
        "strategy='first' would leave out what is being asked: the newest messages always stay; "
        "policy=HistoryPolicy(keep_first=…) keeps the first ones too": strategy == "first",
        "strategy must be 'last', in which the oldest messages go": strategy not in ("last", "first"),
        "start_on must have 'human' among its kinds, or be None: what is sent begins with a message of the user, as "
        "providers ask": not _has_human(start_on),
        "end_on must have 'human' among its kinds, or be None: nothing is left out at the end, where the question "
        "stands": not _has_human(end_on),
        "include_system=False would leave out instructions: system messages always stay; leave them out of what is "
        "passed, or give them to the prompt behind this step": include_system is not True,
        "allow_partial=True would cut messages in two: results=ToolResultPolicy(…) in policy=HistoryPolicy(…) shortens "
        "results of tools, on_overflow='truncate' what cannot fit otherwise": bool(allow_partial),
        "text_splitter has nothing to split: messages stay whole": text_splitter is not None,
    }
    for sentence, applies in refused.items():
        if applies:
            raise BudgetError(sentence)


def _has_human(kinds: object) -> bool:
    """Whether messages of the user are among these kinds; no kinds are None, as LangChain has it."""
    if not kinds:
        return True
    alone = isinstance(kinds, str | type) or not isinstance(kinds, Sequence)
    listed: list[object] = [kinds] if alone else list(cast("Sequence[object]", kinds))
    return any(
        issubclass(HumanMessage, kind) or issubclass(kind, HumanMessage) if isinstance(kind, type) else kind in _HUMAN
        for kind in listed
    )
