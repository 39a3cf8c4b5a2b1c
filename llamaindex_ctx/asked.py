"""What a chat asks for beside its messages: tools and options, in the spelling of any provider's LLM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import BaseModel

from ctx_core.counting.asked_for import choice_of, schema_of
from ctx_core.counting.options import RequestOptions
from ctx_core.errors import BudgetError
from llamaindex_ctx.settings import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSIDE: Final = ("tools", "function_declarations", "functionDeclarations")
"""Keys under which Bedrock's and Google's objects have the tools themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What goes with the messages of a request."""

    tools: tuple[dict[str, Any], ...] | None = field(default=None, repr=False)
    """Definitions of its tools; None where it says nothing of tools."""
    options: RequestOptions | None = None
    """What else it asks for; None for nothing that is billed."""


def asked_with(sent: Mapping[str, Any], tools: object = None) -> Asked:
    """Give what a request asks for.

    Args:
        sent: the keywords of the call, and what the LLM adds to each.
        tools: the tools of a call that takes them apart; None: those among the keywords.
    """
    given = tools if tools is not None else sent.get("tools") or sent.get("functions")
    definitions = None if given is None else tuple(_definitions(given))
    choice = _choice(sent)
    named = _schema(sent)
    if named is None:
        options = None if choice == "auto" else RequestOptions(tool_choice=choice)
    else:
        name, description, schema = named
        options = RequestOptions(tool_choice=choice, schema=schema, schema_name=name, schema_description=description)
    return Asked(tools=definitions, options=options)


def _definitions(tools: object) -> Iterator[dict[str, Any]]:
    """Give definitions of whatever is given as tools: nothing that a provider bills is counted as nothing."""
    if isinstance(tools, BaseModel):
        tools = tools.model_dump(mode="json", exclude_none=True)
    if isinstance(tools, Mapping):
        held = cast("Mapping[str, Any]", tools)
        inside = next((held[key] for key in _INSIDE if isinstance(held.get(key), list)), None)
        yield from _definitions(inside) if inside is not None else (_definition(held),)
    elif isinstance(tools, Iterable) and not isinstance(tools, str | bytes):
        for tool in cast("Iterable[object]", tools):
            yield from _definitions(tool)
    else:
        yield _definition(tools)


def _definition(tool: object) -> dict[str, Any]:
    try:
        return tool_definitions([cast("Any", tool)])[0]
    except (BudgetError, ValueError, TypeError):
        # An object of a client's own, or one that JSON cannot hold: what it shows of itself is counted.
        return {"type": "function", "function": {"name": type(tool).__name__, "description": str(tool)}}


def _choice(sent: Mapping[str, Any]) -> str:
    choice = choice_of(sent.get("tool_choice"))
    return "any" if choice == "auto" and sent.get("tool_required") is True else choice


def _schema(sent: Mapping[str, Any]) -> tuple[str, str, Mapping[str, Any]] | None:
    """Give the schema that an answer must follow: OpenAI's, Anthropic's, Ollama's or Google's word for it."""
    answers: list[object] = [sent.get("response_format"), sent.get("text_format"), sent.get("format")]
    for holder, key in (("output_config", "format"), ("generation_config", "response_schema")):
        held: object = sent.get(holder)
        answers.append(cast("Mapping[str, Any]", held).get(key) if isinstance(held, Mapping) else None)
    for answer in answers:
        if isinstance(answer, type) and issubclass(cast("type[object]", answer), BaseModel):
            kind = cast("type[BaseModel]", answer)
            return kind.__name__, "", kind.model_json_schema()
        if isinstance(answer, Mapping):
            return schema_of(cast("Mapping[str, Any]", answer))
    return None
