"""Reads recorded requests: a provider's own request body becomes neutral messages, tools and options."""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.bodies import Body, read_body
from ctx_core.conversation.messages import Message, Role
from ctx_core.counting import family_of
from ctx_core.counting.families import FALLBACK
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One recorded request and what it was billed."""

    id: str
    provider: str
    api: str
    """Whose format the body has: `chat`, `responses`, `messages`, `generateContent`, `converse` or `cohere`."""
    model: str
    messages: tuple[Message, ...]
    tools: tuple[Body, ...]
    """Tool definitions as they stand in the request."""
    choice: str
    """`auto`, `none`, `any`, or the name of the tool that is forced."""
    schema: Body | None
    """The JSON schema that the answer must follow, where the request has one."""
    schema_name: str
    schema_description: str
    thinking: bool
    flags: frozenset[str]
    body: Body
    source: str
    """Where it was recorded."""
    billed: int
    """Input tokens of the provider's own usage figure, cached ones included."""

    @property
    def kind(self) -> str:
        """`media`, `structured`, `calls`, `tools`, `thinking` or `text`: the first that the request has."""
        if "media" in self.flags:
            return "media"
        if self.schema is not None:
            return "structured"
        if any(m.tool_calls or m.role is Role.TOOL for m in self.messages):
            return "calls"
        if self.tools:
            return "tools"
        return "thinking" if self.thinking else "text"


def recorded(path: Path) -> Iterator[Recorded]:
    """Read a file of recorded requests, plain or compressed, one JSON object a line."""
    packed = path.suffix == ".gz"
    with (
        gzip.open(path, "rt", encoding="utf-8", errors="replace")
        if packed
        else path.open(encoding="utf-8", errors="replace") as lines
    ):
        for line in _whole(lines):
            try:
                row = read_row(json.loads(line))
            except (AttributeError, LookupError, MessageError, RecursionError, TypeError, ValueError) as error:
                print(f"left out a row that cannot be read: {type(error).__name__}", file=sys.stderr)  # noqa: T201
                continue
            if row.messages and row.billed > 0:
                yield row


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Give the lines up to where a file was cut off."""
    try:
        yield from lines
    except (EOFError, OSError) as error:
        print(f"the file ends early: {type(error).__name__}", file=sys.stderr)  # noqa: T201


def read_row(row: Body) -> Recorded:
    """Read one row, whichever API's body it has."""
    body: Body = row["request"]
    api, (messages, tools) = read_body(body, str(row.get("endpoint") or "chat"))
    return Recorded(
        id=str(row.get("id")),
        provider=str(row.get("provider") or ""),
        api=api,
        model=_model(row),
        messages=tuple(messages),
        tools=tuple(tools),
        choice=_choice(body),
        schema=_schema(body),
        schema_name=_schema_field(body, "name") or "response",
        schema_description=_schema_field(body, "description"),
        thinking="thinking_enabled" in (row.get("flags") or ()),
        flags=frozenset(row.get("flags") or ()),
        body=body,
        source=str(row.get("source")),
        billed=int(row["prompt_tokens"]),
    )


def _model(row: Body) -> str:
    """Give the model that is billed: the one asked for, or the one that answered where its name says more.

    That is a dated version of the same, or what stood behind `openrouter/auto` or a deployment's own name.
    """
    asked, answered, provider = (str(row.get(key) or "") for key in ("model", "model_answered", "provider"))
    if answered.startswith(asked) and asked:
        return answered
    return next((name for name in (asked, answered) if family_of(name) is not FALLBACK), asked or answered or provider)


def _choice(body: Body) -> str:
    config = body.get("toolConfig") or (body.get("config") or {}).get("tool_config") or {}
    calling = config.get("functionCallingConfig") or config.get("function_calling_config") or {}
    choice = (
        body.get("tool_choice")
        or body.get("function_call")
        or config.get("toolChoice")
        or calling.get("mode")
        or "auto"
    )
    if isinstance(choice, str):
        lower = choice.lower()
        return {"required": "any", "any": "any", "none": "none"}.get(lower, "auto")
    inner = choice.get("function") or choice.get("tool") or choice
    name = inner.get("name")
    if name:
        return str(name)
    return "any" if choice.get("type") in {"any", "required"} or "any" in choice else str(choice.get("type") or "auto")


def _schema(body: Body) -> Body | None:
    chat = (body.get("response_format") or {}) if isinstance(body.get("response_format"), dict) else {}
    text = (body.get("text") or {}).get("format") or {} if isinstance(body.get("text"), dict) else {}
    generation = body.get("generationConfig") or {}
    found = (
        (chat.get("json_schema") or {}).get("schema")
        or text.get("schema")
        or generation.get("responseJsonSchema")
        or generation.get("responseSchema")
        or ((body.get("output_config") or {}).get("format") or {}).get("schema")
        or (body.get("output_format") or {}).get("schema")
        or (body.get("config") or {}).get("response_schema")
        or (body.get("config") or {}).get("response_json_schema")
        or _converse_schema(body)
    )
    return found if isinstance(found, dict) else None


def _converse_schema(body: Body) -> object:
    structure = ((body.get("outputConfig") or {}).get("textFormat") or {}).get("structure") or {}
    text = (structure.get("jsonSchema") or {}).get("schema")
    return json.loads(text) if isinstance(text, str) else text


def _schema_field(body: Body, key: str) -> str:
    chat = body.get("response_format")
    text = body.get("text")
    for holder in (
        (chat.get("json_schema") or {}) if isinstance(chat, dict) else {},
        (text.get("format") or {}) if isinstance(text, dict) else {},
    ):
        if isinstance(holder.get(key), str):
            return str(holder[key])
    return ""
