"""What a model object, and what is sent with its requests, say of its window and of its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, SupportsFloat

from ctx_core.conversation.fields import mapped
from ctx_core.counting.clients import client_of, leaves_out_own_answer, own_answer_stays
from ctx_core.counting.model_objects import attribute

if TYPE_CHECKING:
    from ctx_core.counting.family import Window
    from ctx_core.counting.model_objects import AskedModel

_WINDOWS: Final = (
    "num_ctx", "n_ctx", "context_window", "context_length", "max_context_length", "max_model_len", "max_seq_len",
)  # fmt: skip
"""Names under which deployments are told their window: Ollama's, llama.cpp's, LlamaIndex', vLLM's."""
_ANSWERS: Final = (
    "max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "max_new_tokens", "maxTokens",
    "max_tokens_to_sample", "max_gen_len",
)  # fmt: skip
"""Names under which answers are asked for."""
_THOUGHTS: Final = ("budget_tokens", "thinking_budget", "thinkingBudget")
"""Names of the part of an answer that may be thought."""
_THINKING: Final = ("thinking", "thinking_dict", "thinking_config", "thinkingConfig", "reasoning_config")
"""What holds it."""
_HOLDERS: Final = (
    "options", "model_kwargs", "additional_kwargs", "extra_body", "generation_config", "_generation_config",
    "generate_kwargs", "inference_config", "inferenceConfig", "vllm_kwargs", "additional_model_request_fields",
)  # fmt: skip
"""What of an object, or of what is sent, holds more of it."""
_OLLAMA_OPTIONS: Final = ("num_ctx", "num_predict")
"""What the object says is not sent where a request brings `options` of its own."""
_UNTOLD: Final = 256
"""LlamaIndex' `LLMMetadata.num_output` of models that say nothing: nothing is asked for by it."""


def told_window(asked: AskedModel) -> int | None:
    """Give the window that a deployment was told, in tokens of input and answer together; None where it was not."""
    return next(iter(_found(asked, _WINDOWS).values()), None)


def asked_answer(asked: AskedModel, window: Window) -> int | None:
    """Give the tokens that answers are asked to have at most, thoughts included; None where nothing is asked.

    Args:
        asked: the model.
        window: its window, for clients that ask for the longest answer.
    """
    answer = max(_found(asked, _ANSWERS).values(), default=None)
    if answer is None:
        answer = _metadata_answer(asked.model, window)
    if answer is None:
        client = client_of(asked.model)
        said = None if client is None else client.answer
        answer = window.max_output if said == "longest" else said
        # What would leave no input at all is not what a server takes for granted.
        answer = None if answer is None or answer >= window.tokens else answer
    thoughts = asked_thoughts(asked)
    # Providers have the thoughts in the answer's limit. One that is not above them is for what is said only.
    if answer is None or thoughts < answer:
        return answer
    return answer + thoughts


def asked_thoughts(asked: AskedModel) -> int:
    """Give the tokens that may be thought before an answer; 0 where nothing is said."""
    return max(_found(asked, _THOUGHTS).values(), default=0)


def _metadata_answer(model: object, window: Window) -> int | None:
    told = attribute(attribute(model, "metadata"), "num_output")
    tokens = positive(told)
    return None if tokens in (None, _UNTOLD) or tokens >= window.tokens else tokens


def _found(asked: AskedModel, names: tuple[str, ...]) -> dict[str, int]:
    """Give what is said under these names; of two that say the same name, what is sent wins."""
    found: dict[str, int] = {}
    replaced = _replaced(asked)
    for name in names:
        own = [] if name in replaced else list(_own(asked.model, name))
        sent = list(_in(asked.sent, name))
        said = [*sent, *own] if name in _ANSWERS and own_answer_stays(asked.model) else sent or own
        values = [tokens for value in said if (tokens := positive(value)) is not None]
        if values:
            found[name] = max(values)
    return found


def _replaced(asked: AskedModel) -> tuple[str, ...]:
    """Give the names under which is not sent what the object says."""
    if leaves_out_own_answer(asked.model, asked.sent, _ANSWERS):
        return _ANSWERS
    return _OLLAMA_OPTIONS if isinstance(asked.sent.get("options"), Mapping) else ()


def _own(model: object, name: str) -> Iterator[object]:
    """Give what an object says under a name: itself, and what it holds."""
    if isinstance(model, str):
        return
    value = attribute(model, name)
    if value is not None:
        yield value
    for holder in (*_HOLDERS, *_THINKING):
        inner = mapped(attribute(model, holder))
        if inner is not None:
            yield from _in(inner, name)


def _in(said: Mapping[str, Any], name: str) -> Iterator[object]:
    """Give what a mapping says under a name, on its own and in what it holds."""
    if said.get(name) is not None:
        yield said[name]
    for holder in (*_HOLDERS, *_THINKING):
        inner = mapped(said.get(holder))
        if inner is not None:
            yield from _in(inner, name)


def positive(value: object) -> int | None:
    """Give a number of tokens, also one that is written as text; None for what is none.

    That is -1 too, by which servers mean as many as they like.
    """
    if isinstance(value, bool) or not isinstance(value, str | SupportsFloat):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return int(number) if number > 0 and number.is_integer() else None
