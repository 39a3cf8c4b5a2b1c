"""Names that would steer a terminal are shown, and obeyed nowhere; and nothing of what failed hangs on an error."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn

import pytest

from ctx_core import ContextBudget, ContextBuilder, ContextSession, Tokens, validate
from ctx_core.awaiting import called, called_here
from ctx_core.cli import main
from ctx_core.cli.input_error import InputError
from ctx_core.cli.json_text import parse
from ctx_core.cli.tool_file import read_tools
from ctx_core.errors import BudgetError, CtxLayersError, MissingExtraError, UnknownModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECRET = "Xyzzy"  # noqa: S105 - the word that must not be seen
STEERING = ["\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "a\u202eb", "a\rb", "a\nb", "\u200bz", "\ud800", "\x08"]


@pytest.mark.parametrize("name", STEERING)
@pytest.mark.parametrize("kind", [CtxLayersError, BudgetError, MissingExtraError, UnknownModelError])
def test_an_error_of_any_kind_shows_what_it_is_told(kind: type[CtxLayersError], name: str) -> None:
    """So that none that is written later has to think of it."""
    assert name not in str(kind(f"it is {name}, and no other"))
    assert str(kind(f"it is {name}, and no other")).isprintable()


@pytest.mark.parametrize("name", STEERING)
def test_names_of_parts_models_and_options_are_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In an error, in what a provider would say, and on the command line."""
    with pytest.raises(BudgetError, match="parts that no layer has") as raised:
        ContextBuilder(ContextBudget(100, parts={name: Tokens(5)}), "gpt-4o").build(message="q")
    assert str(raised.value).isprintable()
    for said in (validate([{"role": "user", "content": "x"}], name), validate({"model": name, "messages": []})):
        assert all(line.isprintable() for line in str(said).split("\n"))
    assert main(["fit", "chat.json", f"--{name}"]) == 2
    assert capsys.readouterr().err.removesuffix("\n").isprintable()


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Give an error and all that hangs on it, shown or not."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def stops() -> NoReturn:
    """Stop with words of a message."""
    raise StopIteration(SECRET)


def cancels() -> NoReturn:
    """Be cancelled with words of a message."""
    raise asyncio.CancelledError(SECRET)


def no_utf8(folder: Path) -> None:
    """Read tools from a file that is no text."""
    (folder / "tools.json").write_bytes(f'["{SECRET}'.encode() + b"\xff")
    read_tools(str(folder / "tools.json"))


RAISING: dict[str, Callable[[Path], object]] = {
    "has run out of answers": lambda _: called_here(stops),
    "was cancelled": lambda _: called_here(cancels),
    "in a thread": lambda _: asyncio.run(called(stops)),
    "no JSON": lambda _: parse(f'{{"a": {SECRET}'),
    "too many digits": lambda _: parse(f'{{"{SECRET}": {"9" * 5_000}}}'),
    "no UTF-8": no_utf8,
}


@pytest.mark.parametrize("case", RAISING)
def test_nothing_that_was_said_hangs_on_an_error(case: str, tmp_path: Path) -> None:
    """Neither in its causes nor in what was being handled; an error of a decoder holds all of the text."""
    with pytest.raises((RuntimeError, InputError)) as raised:
        RAISING[case](tmp_path)
    assert not any(SECRET in f"{one!r} {vars(one)} {getattr(one, 'doc', '')}" for one in chain(raised.value))


@pytest.mark.parametrize(
    "option",
    ["usage_log", "states", "reserve", "provider", "on_report", "on_overflow", "policy", "summarizer", "calibration"],
)
@pytest.mark.parametrize("given", [f"{SECRET} is what I said to her.", 10**5_000], ids=["a text", "a number"])
def test_an_option_that_was_given_a_message_does_not_quote_it(option: str, given: object) -> None:
    """Arguments are swapped easily; how long the text is says enough."""
    with pytest.raises(BudgetError) as raised:
        ContextSession(budget=1_000, counter="gpt-4o", **{option: given})  # type: ignore[arg-type]  # what is tried
    assert SECRET not in str(raised.value)
    assert len(str(raised.value)) < 250
