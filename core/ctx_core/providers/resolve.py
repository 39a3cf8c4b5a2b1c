"""Which row a request goes by: from the model's name or object, the API and the host, or as the caller says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import mapped, mapping_in, string_or_none
from ctx_core.counting.model_objects import AskedModel, asked_model, attribute
from ctx_core.providers.clients import client_row, model_of
from ctx_core.providers.hosts import row_of_host
from ctx_core.providers.named import row_of_name
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.openai import OPENAI
from ctx_core.providers.rows.responses import RESPONSES
from ctx_core.providers.table import PROVIDERS, UNKNOWN, provider_named

if TYPE_CHECKING:
    from ctx_core.providers.rules import Kind, Rule


_BY_FORMAT: Final = "openai"
"""The format that many providers speak: of it the model tells more."""
_THINKING: Final = ("thinking", "thinking_dict")
"""Where model objects have what they ask for."""
_THOUGHT: Final = ("sent", *_THINKING, "beside")
"""The same, and what goes along with each request, in the order in which it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a request goes: a row of the table, and what is known beside it."""

    provider: Provider
    """The row."""
    model: str | None = None
    """The model's name; None where nothing says it."""
    client: str | None = None
    """The package of the client library that sends the request, as `langchain-anthropic`; None where it is unknown."""
    stored: frozenset[str] | None = None
    """Of the Responses API: ids of the items that the server keeps; empty: none, as with `store=False`; None: all."""

    thinking: str | None = None
    """How thinking is asked for, as Anthropic's `thinking.type` says it; None where nothing says it."""

    def asks(self, kind: Kind) -> Rule | None:
        """Give what is asked of a kind, by the provider of this model; None where nothing is."""
        return self.provider.asks(kind, self.model, self.client)

    def left_to_do(self, kind: Kind) -> Rule | None:
        """Give what is asked of a kind and the client does not meet itself without moving or dropping anything."""
        rule = self.asks(kind)
        done = None if rule is None else rule.by(self.client)
        return None if done is not None and done.does == "meets" else rule


def target_of(
    model: object = None,
    *,
    api: str | None = None,
    host: str | None = None,
    provider: str | None = None,
    store: bool | None = None,
) -> Target:
    """Give the row that requests to a model go by.

    Args:
        model: its name in any spelling, or a model object of LangChain's or LlamaIndex's, in its wrappers too; None
            where nothing is known of it. Of models that may take its place nothing is said: ask for each of them.
        api: the API that is called, as providers, frameworks and gateways call it: `responses`, `converse`.
        host: the name or the address of the server.
        provider: the name of a row, which decides whatever the others say.
        store: whether OpenAI's server keeps the items of its Responses API; by default as a model object says, else
            it does.

    Returns:
        The row with model and client. Where nothing tells, it is `unknown`, which satisfies every row.

    Raises:
        OptionError: for a provider that no row is named after.
    """
    asked = asked_model(model) if model is not None else AskedModel(model=None)
    name = model_of(asked)
    client, by_client = client_row(asked, name)
    row = provider_named(provider) if provider is not None else _said(api, host, name) or by_client
    if row is None:
        row = UNKNOWN if name is None else row_of_name(name, host)
    stores = asked.sent.get("store", attribute(asked.model, "store")) if store is None else store
    stored = frozenset[str]() if row is RESPONSES and stores is False else None
    return Target(provider=row, model=name, client=client, stored=stored, thinking=_thinking_of(asked))


def _thinking_of(asked: AskedModel) -> str | None:
    """Give how a model object asks for thinking: Claude's clients have it, and Bedrock's among other fields."""
    beside = mapped(attribute(asked.model, "additional_model_request_fields")) or {}
    held = {name: attribute(asked.model, name) for name in _THINKING}
    fields = mapping_in({**held, "beside": beside.get("thinking"), "sent": asked.sent.get("thinking")}, *_THOUGHT)
    return string_or_none(fields.get("type"))


def of_format(named: Target, format_name: str | None) -> Target:
    """Give where a list of messages goes whose model alone is known: as its format says, which one API has.

    Args:
        named: what the model's name tells.
        format_name: the format of the messages; None for those of a framework, and neutral ones.
    """
    row = None if format_name is None else PROVIDERS.get(format_name)
    if row is None or (format_name == _BY_FORMAT and named.provider is not UNKNOWN):
        return named
    return replace(named, provider=row)


def _said(api: str | None, host: str | None, name: str | None) -> Provider | None:
    """Give what the API and the host decide; None where they leave it open."""
    by_host = None if host is None else row_of_host(host)
    by_api = None if api is None else _row_of_api(api)
    if by_api != OPENAI:
        by_host = by_api or by_host
        named = UNKNOWN if name is None else row_of_name(name)
        # OpenAI's server has both, and the name of a model may say which.
        return RESPONSES if api is None and by_host is OPENAI and named is RESPONSES else by_host
    # Many servers have OpenAI's chat completions.
    row = by_host or (UNKNOWN if name is None else row_of_name(name, host))
    return OPENAI if row is RESPONSES else row


def _row_of_api(api: str) -> Provider | None:
    spelled = _spelled(api)
    return next((row for row in PROVIDERS.values() if spelled in map(_spelled, row.apis)), None)


def _spelled(api: str) -> str:
    return api.lower().replace("-", "_")
