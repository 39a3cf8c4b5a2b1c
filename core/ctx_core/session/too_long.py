"""What a provider's refusal of a request as too long says: whether it is one, and the numbers in it.

Frameworks recognize some of these errors and pass others on raw. So they are told by their class's name and by their
text, whoever raised them, and no framework and no client is imported for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from ctx_core.errors import CtxLayersError

_CLASSES: Final = ("contextoverflow", "contextwindowexceeded", "contenttoolarge", "requesttoolarge", "inputtoolong")
"""In the names of classes that mean nothing else."""
_STATUSES: Final = (None, 200, 400, 413, 422)
"""What a refusal comes with; 200 where it comes in the stream of an answer."""
_TOO_LARGE: Final = 413
_SAID: Final = re.compile(
    r"context_length_exceeded|contextwindowexceeded|request_too_large"
    r"|(?:maximum|max|model'?s?|available) (?:context|prompt|input|sequence)[- ](?:length|size|window)"
    r"|exceeds? (?:the |this model'?s |its |your )?(?:maximum |available |max )?(?:context|token limit)"
    r"|exceeds? (?:the )?(?:maximum|max|model maximum|limit)[^.]{0,40}tokens"
    r"|context (?:window|limit|length|size) (?:is |was |has been )?(?:exceeded|overflow)"
    r"|context the overflows|exceed model maximum"
    r"|(?:prompt|input|message|conversation)s? (?:is|are) (?:too long|too large|longer than)"
    r"|too many (?:input |prompt )?tokens(?! per)|tokens exceed|token count[^.]{0,40} exceeds"
    r"|too large for model|reduce (?:the length of|your) (?:the |your )?(?:messages?|prompt|input)"
    r"|tokens? (?:is|are) (?:longer|larger|more) than|longer than the model"
    r"|range of input length|`?inputs`? tokens \+|max message tokens|cannot exceed \d+ ",
    re.IGNORECASE,
)
_RATES: Final = re.compile(r"per[ -](?:min|hour|day)|rate.?limit|\b[tr]pm\b|quota", re.IGNORECASE)
"""What is refused for being too much at once would be taken a minute later."""
_N: Final = r"(\d[\d,_]*)"
_FORMS: Final = tuple(
    (re.compile(form, re.IGNORECASE | re.DOTALL), groups)
    for form, groups in (
        (rf"{_N} \+ {_N} > {_N}", ("sent", "answer", "limit")),
        (rf"{_N} tokens > {_N}", ("sent", "limit")),
        (
            (
                rf"length is {_N} tokens.{{0,40}}requested (?:about )?{_N} tokens \({_N}[^;)]{{0,80}}?(?:,|;| and)"
                rf"(?: and)? {_N} (?:in|of|for|tokens|output)"
            ),
            ("limit", "total", "sent", "answer"),
        ),
        (rf"<= {_N}\. given: {_N} `?inputs`? tokens and {_N}", ("limit", "sent", "answer")),
        (
            rf"(?:length|limit)(?: is| of)? {_N}.{{0,60}}(?:resulted in|contains?|requested) (?:about )?{_N}",
            ("limit", "sent"),
        ),
        (rf"token count[^\d]{{0,12}}{_N}[^\d]{{0,80}}{_N}", ("sent", "limit")),
        (rf"cannot exceed {_N}[^\d]{{0,30}}{_N}", ("limit", "sent")),
        (rf"input length should be \[\d+, ?{_N}\]", ("limit",)),
    )
)
"""What is said in which order; of what is said in no such form, the smaller of two numbers is the limit."""
_SMALLEST: Final = 600
"""Smaller numbers in a text are codes and ports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLong:
    """What a provider says of a request that is too long for its model, in tokens as the provider counts."""

    limit: int | None = None
    """Tokens that the request may have; None where that is not said."""
    sent: int | None = None
    """Tokens that its input has."""
    answer: int | None = None
    """Tokens of the answer that count with the input; None where it is not said whether they do."""


def too_long(error: BaseException) -> TooLong | None:
    """Give what an error says of a request that was too long; None for an error of another kind.

    An error is also what it was raised from. Our own `ContextOverflowError` is none: nothing was sent.
    """
    for one in _chain(error):
        if isinstance(one, CtxLayersError):
            return None
        status, text = _status(one), _text(one)
        named = any(sign in kind.__name__.lower() for kind in type(one).__mro__ for sign in _CLASSES)
        said = status in _STATUSES and _SAID.search(text) is not None and _RATES.search(text) is None
        if named or said or status == _TOO_LARGE:
            return _read(text)
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen = set[int]()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        yield one
        seen.add(id(one))
        one = one.__cause__


def _status(error: BaseException) -> int | None:
    response: object = getattr(error, "response", None)
    told: object = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    if isinstance(response, Mapping):  # botocore's
        meta: object = cast("Mapping[str, Any]", response).get("ResponseMetadata")
        told = cast("Mapping[str, Any]", meta).get("HTTPStatusCode") if isinstance(meta, Mapping) else told
    code = getattr(error, "code", None) if told is None else told  # google's
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _text(error: BaseException) -> str:
    """Give what an error says, its body included: a client may tell the code only there."""
    body: object = getattr(error, "body", None)
    return f"{error} {body}" if body else str(error)


def _read(text: str) -> TooLong:
    for form, groups in _FORMS:
        found = form.search(text)
        if found is not None:
            told = dict(zip(groups, map(_number, found.groups()), strict=True))
            return TooLong(limit=told.get("limit"), sent=told.get("sent"), answer=told.get("answer"))
    numbers = sorted({number for told in re.findall(_N, text) if (number := _number(told)) >= _SMALLEST})
    return TooLong(limit=numbers[0], sent=numbers[1]) if len(numbers) == 2 else TooLong()  # noqa: PLR2004 - as said


def _number(told: str) -> int:
    return int(told.replace(",", "").replace("_", ""))
