"""What clients and their servers do where the caller says nothing: how large a window is, how long an answer.

Most clients hold what they ask for in their objects, and nothing has to be known of them. These don't.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from ctx_core.counting.model_objects import attribute, model_name

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A row of the table of clients."""

    signs: tuple[str, ...]
    """What the full name of its class, or of one that it is made of, has in it; in lower case."""
    addresses: tuple[str, ...] = ()
    """What the address has in it that a client of another API talks to the same server by."""
    window: int | None = None
    """The window that its server gives a model unless it is told; None: that of the model."""
    answer: int | Literal["longest"] | None = None
    """The answer that is asked for unless the caller says; None: as much as is left."""
    source: str
    """Where the figures come from."""


CLIENTS: Final = (
    Client(
        signs=("ollama",),
        addresses=(":11434",),
        window=4_096,
        source=(
            "https://docs.ollama.com/context-length: 4,096 on machines with less than 24 GiB of video memory, more on "
            "others, which no client can know; a cloud model has its own"
        ),
    ),
    Client(
        signs=("langchain_aws.chat_models.bedrock_converse.",),
        answer="longest",
        source=(
            "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html: "
            "by default maxTokens is the most that the model allows"
        ),
    ),
    Client(
        signs=("langchain_aws.chat_models.bedrock.",),
        answer=1_024,
        source="langchain-aws 1.9.1, langchain_aws/llms/bedrock.py: max_tokens for Claude's messages",
    ),
)

_OPENAI: Final = "langchain_openai.chat_models."
_CONVERSE: Final = "langchain_aws.chat_models.bedrock_converse."
_ANTHROPIC: Final = "langchain_anthropic.chat_models."
_HANDS_ON: Final = "beta_use_converse_api"
_CONVERSE_CONFIG: Final = ("inference_config", "inferenceConfig")
_OPENAI_ANSWER: Final = "max_completion_tokens"
"""The name by which LangChain's OpenAI clients take what is bound, whatever the object says under another."""
_ADDRESSES: Final = ("base_url", "openai_api_base", "api_base", "azure_endpoint", "endpoint_url")
_CLOUD: Final = re.compile(r"[:-]cloud$")
"""What the names of models end with that Ollama passes on to its own servers."""


def client_of(model: object) -> Client | None:
    """Give the row for a model object; None where nothing has to be known of its client."""
    if isinstance(model, str) or _CLOUD.search(model_name(model) or ""):
        return None
    # LangChain's other client of Bedrock hands requests on to the one of the Converse API where it is told to.
    names = [_CONVERSE] if attribute(model, _HANDS_ON) is True else _class_names(model)
    places = [place for name in _ADDRESSES if isinstance(place := attribute(model, name), str)]
    for client in CLIENTS:
        if any(sign in name for sign in client.signs for name in names):
            return client
        if any(sign in place for sign in client.addresses for place in places):
            return client
    return None


def leaves_out_own_answer(model: object, sent: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Whether the length of answers that an object says is not asked for, as something else is bound in its place.

    Most clients send what is bound, and None too, which servers take for no limit. Bedrock's Converse client leaves
    None out, LangChain's client of OpenAI's responses API too, under all names but one, and Anthropic's sends nothing
    without a limit.

    Args:
        model: the object.
        sent: what it is bound to.
        names: under which answers are asked for.
    """
    kinds = _class_names(model)
    if any(_CONVERSE in kind for kind in kinds):
        return any(isinstance(sent.get(name), Mapping) for name in _CONVERSE_CONFIG)
    if _OPENAI_ANSWER in sent and any(_OPENAI in kind for kind in kinds):
        return True
    if own_answer_stays(model) or any(_ANTHROPIC in kind for kind in kinds):
        return False
    return any(name in sent and sent[name] is None for name in names)


def own_answer_stays(model: object) -> bool:
    """Whether a client asks for the answer that its object says, whatever is bound: that of OpenAI's responses API."""
    return attribute(model, "use_responses_api") is True and any(_OPENAI in kind for kind in _class_names(model))


def _class_names(model: object) -> list[str]:
    return [f"{kind.__module__}.{kind.__qualname__}".lower() for kind in type(model).__mro__]
