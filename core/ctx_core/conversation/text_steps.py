"""Results in user messages: what agents write whose model asks for tools in its text, and not as calls.

LlamaIndex' `CodeActAgent` runs the code in an answer, its `ReActAgent` the action in one, and each tells what came of
it in a user's message. The openings are their own (llama-index-core 0.14: `agent/workflow/codeact_agent.py`,
`agent/workflow/react_agent.py`, `agent/react/types.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from ctx_core.conversation.messages import Message, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """How one agent tells a result."""

    opening: re.Pattern[str]
    """How the user's message begins. With few blanks: all others are the result's own, which is cut."""
    acts: bool = False
    """Whether it is a result only behind an answer that asks for an action: people begin messages like that too."""


_FORMS: Final = (
    _Form(opening=re.compile(r"\s{0,8}Observation:\s{0,2}"), acts=True),
    _Form(opening=re.compile(r"\s{0,8}Result of executing the code given:\s{0,2}")),
    _Form(opening=re.compile(r"\s{0,8}Error while parsing the output:\s{0,2}")),
    _Form(opening=re.compile(r"\s{0,8}FAILURE: Your previous response was empty\.\s{0,2}")),
)
_SAID: Final = re.compile(r"^[ \t\r\f\v*_#>-]*(Action|Answer|Final Answer)[*_]*:", re.MULTILINE)
"""What an answer of a ReAct agent comes to: an action that it asks for, or what it has found out."""


def may_answer_step(message: Message) -> bool:
    """Whether a message looks like a result in text; it is one only behind the answer that it goes with."""
    if message.role is Role.TOOL:
        return message.tool_call_id is None and _form(message) is not None
    return message.role is Role.USER and _form(message) is not None


def as_step_result(message: Message, answer: Message) -> Message:
    """Give a message that may answer a step as its result, if the assistant's message before it is one.

    One in a tool's message without an id, as LlamaIndex' `observation_role` writes it, is the user's from now on: no
    call was made, and providers refuse a tool's message without one.
    """
    form = _form(message)
    if form is None or (form.acts and not _asks_for_action(answer.text)):
        return message
    if message.role is Role.USER:
        return replace(message, step_result=True)
    return message if answer.tool_calls else replace(message, role=Role.USER, step_result=True, altered=True)


def opening_of(message: Message) -> str:
    """Give the words before the result itself, by which the agent's model knows it; none in a result of a call."""
    form = _form(message) if message.step_result else None
    opened = None if form is None else form.opening.match(message.text)
    return "" if opened is None else opened.group()


def _form(message: Message) -> _Form | None:
    text = message.text
    return next((form for form in _FORMS if form.opening.match(text)), None)


def _asks_for_action(answer: str) -> bool:
    said = [match.group(1) for match in _SAID.finditer(answer)]
    return said[-1:] == ["Action"]
