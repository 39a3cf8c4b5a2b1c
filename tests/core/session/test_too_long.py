"""Which errors say that a request was too long, and by how much."""

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from ctx_core.errors import ContextOverflowError
from ctx_core.session.too_long import TooLong, too_long


class ApiError(Exception):
    """An error of a client, with the status of the answer."""

    def __init__(self, text: str, status: int | None = 400, body: Any = None) -> None:
        """Take what it says."""
        super().__init__(text)
        self.status_code = status
        self.body = body


class BotoError(Exception):
    """An error of botocore's kind, whose response is a dict."""

    response: ClassVar = {"ResponseMetadata": {"HTTPStatusCode": 400}, "Error": {"Code": "ValidationException"}}


class GoogleError(Exception):
    """An error that has its status as `code`."""

    code = 400


class ContentTooLargeError(Exception):
    """What one client calls a body that is too large."""


TOLD = [
    (
        (
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 5,012 tokens "
            "(4,900 in the messages, 112 in the functions). Please reduce the length of the messages or functions."
        ),
        TooLong(limit=4097, sent=5012),
    ),
    (
        (
            "This model's maximum context length is 65536 tokens. However, you requested 68000 tokens (67000 in the "
            "messages, 1000 in the completion). Please reduce the length of the messages or completion."
        ),
        TooLong(limit=65536, sent=67000, answer=1000),
    ),
    (
        (
            "This endpoint's maximum context length is 128000 tokens. However, you requested about 130000 tokens "
            "(125000 of text input, 5000 in the output). Please reduce the length of either one."
        ),
        TooLong(limit=128000, sent=125000, answer=5000),
    ),
    ("prompt is too long: 208310 tokens > 200000 maximum", TooLong(limit=200000, sent=208310)),
    (
        (
            "input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000, decrease input length or "
            "`max_tokens` and try again"
        ),
        TooLong(limit=200000, sent=199211, answer=20000),
    ),
    (
        "The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).",
        TooLong(limit=1048576, sent=1200345),
    ),
    (
        "The input token count is 40000 but the maximum input length of the model is 32768",
        TooLong(limit=32768, sent=40000),
    ),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300001 tokens.",
        TooLong(limit=272000, sent=300001),
    ),
    (
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        TooLong(limit=32768, sent=40000),
    ),
    (
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        TooLong(),
    ),
    ("request (5000 tokens) exceeds the available context size (4096 tokens)", TooLong(limit=4096, sent=5000)),
    (
        "The input (17532 tokens) is longer than the model's context length (16384 tokens).",
        TooLong(limit=16384, sent=17532),
    ),
    (
        "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
        TooLong(limit=131072, sent=150000),
    ),
    (
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000",
        TooLong(limit=4081, sent=5000),
    ),
    (
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` "
            "tokens and 512 `max_new_tokens`"
        ),
        TooLong(limit=4097, sent=5000, answer=512),
    ),
    ("Range of input length should be [1, 30720]", TooLong(limit=30720)),
    ("Your input exceeds the context window of this model. Please adjust your input and try again.", TooLong()),
    ("Input is too long for requested model.", TooLong()),
    ("The model's context window exceeded", TooLong()),
]


@pytest.mark.parametrize(("text", "told"), TOLD, ids=range(len(TOLD)))
@pytest.mark.parametrize("kind", [ApiError, ValueError, BotoError, GoogleError])
def test_what_providers_say_is_read(text: str, told: TooLong, kind: type[Exception]) -> None:
    """Whatever the class: clients pass many of these on raw, and in streams as a plain ValueError."""
    assert too_long(kind(text)) == told


@pytest.mark.parametrize(
    "error",
    [
        ApiError("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35000", 429),
        ApiError("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35000", 400),
        ApiError("This model's maximum context length is 4097 tokens", 401),
        ApiError("Overloaded", 529),
        ValueError("tool_calls must be followed by tool messages"),
        ApiError("max_tokens is too large: 50000. This model supports at most 16384 completion tokens", 400),
        ContextOverflowError(needed=9, limit=5, layers={"current": 9}),
        KeyError("output"),
    ],
    ids=range(8),
)
def test_errors_of_other_kinds_are_left_alone(error: Exception) -> None:
    """A rate, a refusal, a malformed request: fewer messages would change nothing."""
    assert too_long(error) is None


def test_a_body_that_is_too_large_is_too_long() -> None:
    """It is told by its status or its class where it says nothing else."""
    assert too_long(ApiError("", 413)) == TooLong()
    assert too_long(ContentTooLargeError("no")) == TooLong()


def test_a_code_that_stands_in_the_body_only_counts() -> None:
    """As in the error event of a stream, whose text says nothing."""
    body = {"error": {"code": "context_length_exceeded"}}
    assert too_long(ApiError("An error occurred", None, body)) == TooLong()


def test_an_error_is_what_it_was_raised_from() -> None:
    """A wrapper that says that the model failed hides nothing."""
    error = RuntimeError("the model failed")
    error.__cause__ = ValueError("prompt is too long: 210000 tokens > 200000 maximum")
    assert too_long(error) == TooLong(limit=200000, sent=210000)


def test_an_error_with_odd_attributes_is_no_error() -> None:
    """Whatever an exception carries under the names of a status."""
    error = ValueError("prompt is too long")
    error.response = SimpleNamespace(status_code="400")  # type: ignore[attr-defined]
    assert too_long(error) == TooLong()
