"""Names that steer a terminal, options that are printed, errors with a cause: shown as what they are."""

from __future__ import annotations

import io
import logging
import traceback
from typing import Any

import pytest
from rich.console import Console

from ctx_core import (
    ContextBudget,
    ContextBuilder,
    ContextOverflowError,
    CtxLayersError,
    Layer,
    SessionOptions,
    TokenCounter,
    fit,
)
from ctx_core.clean import is_clean
from ctx_core.counting.options import RequestOptions
from ctx_core.memory import MemoryItem, RankedMemory
from ctx_core.recipes import Assistant, Chat
from ctx_core.workspace import Skill

SECRET = "Xyzzy"  # noqa: S105 - the word that must not be seen
NAMES = [
    "[red]a[/red]",
    "[bold",
    "[/]",
    "a\x1b[2Jb",
    "a\x1b]0;title\x07b",
    "a\nb\tc",
    "a\u202eb",
    "<b>a</b>",
    "a\x9b1mb",
]


class Named:
    """A tokenizer that is called like its model."""

    def __init__(self, name: str) -> None:
        """Take the name."""
        self.name = name

    def count(self, text: str) -> int:
        """Give the characters."""
        return len(text)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_and_not_obeyed(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Of layers, tools and models; in a terminal, as text, in a page, in the log and in an error."""
    tool = {"type": "function", "function": {"name": name, "description": "d", "parameters": {}}}
    counter = TokenCounter(Named(name), model=name)
    builder = ContextBuilder(ContextBudget(500, model=name), counter).tools([tool])
    builder = builder.layer(Layer(name=name, text="text", protected=True))
    with caplog.at_level(logging.DEBUG, "ctx_core"):
        report = builder.build(message="hi").report
    shown = name.encode("unicode_escape").decode() if not is_clean(name) else name
    out = io.StringIO()
    Console(file=out, width=300, force_terminal=True, color_system=None).print(report)
    for text in (out.getvalue(), str(report)):
        assert shown in text
        assert is_clean(text.replace("\n", ""))
    page = report._repr_html_()  # pyright: ignore[reportPrivateUsage]  # Jupyter's name for it
    assert is_clean(page.replace("\n", ""))
    assert "<b>a" not in page
    assert any(shown in record.getMessage() for record in caplog.records)
    assert all(is_clean(record.getMessage()) for record in caplog.records)
    with pytest.raises(ContextOverflowError) as caught:
        builder.build(message="x" * 1_000)
    assert shown in str(caught.value)
    assert is_clean(str(caught.value))


TOOL = {"type": "function", "function": {"name": "f", "description": SECRET, "parameters": {"description": SECRET}}}


@pytest.mark.parametrize(
    "held",
    [
        SessionOptions(
            budget=100,
            tools=(TOOL,),
            layers=(Layer(name="a", text=SECRET, heading=SECRET), RankedMemory([MemoryItem(SECRET, tags=(SECRET,))])),
            states={"a": {"summary": SECRET}},
            request_options=RequestOptions(schema={"title": SECRET}, schema_description=SECRET),
        ),
        SessionOptions(recipe=Chat(system=SECRET)),
        SessionOptions(recipe=Assistant(system=SECRET, facts=(SECRET,), task=SECRET, summary=SECRET)),
        RequestOptions(schema={"title": SECRET}, schema_description=SECRET),
        MemoryItem(SECRET, tags=(SECRET,)),
        Skill("name", SECRET, "skills/name/SKILL.md"),
        ContextBuilder(100, len).system(SECRET).memory([SECRET]).skills({"a": SECRET}).tools([TOOL]),
    ],
)
def test_no_repr_holds_content(held: object) -> None:
    """Options are printed where something goes wrong."""
    assert SECRET not in f"{held!r} {held}"


def raising(text: str) -> int:
    """Quote what it was given, as a tokenizer may."""
    msg = f"cannot encode {text}"
    raise UnicodeError(msg)


def test_what_a_tokenizer_raises_is_not_in_the_traceback() -> None:
    """Nor behind it: whoever logs the error logs its causes too."""
    with pytest.raises(CtxLayersError, match="UnicodeError") as caught:
        fit([{"role": "user", "content": SECRET}], 100, counter=raising)
    assert SECRET not in "".join(traceback.format_exception(caught.value)[-3:])
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in str(error)
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(
    ("role", "shown"),
    [
        ("wizard", "unknown role 'wizard'"),
        ("my number is 4012 8888", "unknown role of 22 characters"),
        (SECRET * 1_000, "unknown role of 5,000 characters"),
        ("a\x1b[31m", "unknown role of 6 characters"),
        ("", "unknown role of 0 characters"),
        (5, "unknown role int"),
    ],
)
@pytest.mark.parametrize("other", [{}, {"format": "anthropic"}, {"format": "responses"}, {"format": "gemini"}])
def test_an_unknown_role_is_not_quoted(role: Any, shown: str, other: dict[str, Any]) -> None:
    """Unless it looks like one: who has swapped role and content has put a message there."""
    with pytest.raises(CtxLayersError, match=shown) as caught:
        fit([{"role": role, "content": "hi", "parts": []}], 100, counter=len, **other)
    assert is_clean(str(caught.value))
