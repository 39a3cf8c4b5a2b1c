"""A client package of a provider, and the payload of the request that it makes of messages."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal

from tests.payloads.recorder import recorded

if TYPE_CHECKING:
    from collections.abc import Sequence

Framework = Literal["langchain", "llamaindex"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client of one provider; its package is imported with its first request."""

    framework: Framework
    """Whose messages and tools it takes."""
    provider: str
    """The row of the judge's table that its payloads are judged by."""
    package: str
    """The distribution that has it."""
    made_by: str
    """Its class, as `module:name`."""
    model: str
    """The model's name."""
    options: Callable[[str], dict[str, Any]]
    """Gives the arguments that point it to a URL, with a key that is none."""
    notices: tuple[str, ...] = ()
    """How its warnings begin that tell what it does to messages; it does it all the same, and the payload shows it."""

    @property
    def name(self) -> str:
        """The framework and the provider."""
        return f"{self.framework}-{self.provider}"

    @property
    def installed(self) -> bool:
        """Whether the package is here; nothing is imported for it."""
        try:
            version(self.package)
        except PackageNotFoundError:
            return False
        return True

    def payload(self, messages: Sequence[Any], tools: Sequence[Any] = ()) -> dict[str, Any]:
        """Give what would be sent for messages of the framework, and tools of it.

        Raises:
            Exception: What the client raised instead of sending it.
        """
        send = _invoke if self.framework == "langchain" else _chat
        with warnings.catch_warnings():
            for notice in self.notices:
                warnings.filterwarnings("ignore", message=notice)
            return recorded(lambda url: send(model_at(self, url), messages, tools))


@functools.cache
def model_at(client: Client, url: str) -> Any:
    """Give the client, pointed to a URL."""
    module, name = client.made_by.split(":")
    made: Any = getattr(importlib.import_module(module), name)
    return made(model=client.model, **client.options(url))


def _invoke(model: Any, messages: Sequence[Any], tools: Sequence[Any]) -> object:
    bound = model.bind_tools(list(tools)) if tools else model
    return bound.invoke(list(messages))


def _chat(model: Any, messages: Sequence[Any], tools: Sequence[Any]) -> object:
    if tools:
        return model.chat_with_tools(list(tools), chat_history=list(messages))
    return model.chat(list(messages))
