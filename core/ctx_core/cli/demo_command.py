"""`ctx-layers demo`: one long conversation through the engine and through every framework that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ctx_core import demo
from ctx_core.cli.input_error import InputError
from ctx_core.cli.terminal import console, table
from ctx_core.conversation.openai_messages import OpenAIMessage
from ctx_core.counting.counter import TokenCounter
from ctx_core.report.report import ContextReport

if TYPE_CHECKING:
    from argparse import Namespace
    from importlib.metadata import EntryPoint

    from rich.console import Console

GROUP: Final = "ctx_layers.demo"
"""Entry points of faces: functions `run(conversation, budget, counter)` like the engine's own."""
_CORE: Final = "core"
_MODEL: Final = "gpt-4o"

Request: TypeAlias = tuple[list[OpenAIMessage], ContextReport]
Run: TypeAlias = Callable[[list[OpenAIMessage], int, TokenCounter], Iterator[Request]]


def demo_command(options: Namespace) -> int:
    """Run it; the status is 1 if the faces did not send the same."""
    counter, conversation, out = TokenCounter.for_model(_MODEL), demo.conversation(), console()
    runs: dict[str, Run] = {_CORE: demo.run, **_faces(options.face, out)}
    out.print(
        f"{len(conversation)} messages, {counter.count_messages(conversation):,} tokens ({_MODEL}); "
        f"at most {options.budget:,} tokens a request",
        soft_wrap=True,
    )
    sent: dict[str, list[Request]] = {}
    for name, run in runs.items():
        sent[name] = list(run(conversation, options.budget, counter))
        _show(name, sent[name], out)
    out.print()
    found = differences({name: [messages for messages, _ in requests] for name, requests in sent.items()})
    for line in found or [_agreement(sent)]:
        out.print(line, soft_wrap=True)
    return 1 if found else 0


def differences(sent: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> list[str]:
    """Compare what faces sent with what the first of them sent.

    Args:
        sent: by the name of the face, the messages of each request.

    Returns:
        A line for every face that differs, with the place of the first difference.
    """
    (first, expected), *others = sent.items()
    lines = ((name, _first_difference(expected, requests)) for name, requests in others)
    return [f"{name} differs from {first} in {place}" for name, place in lines if place]


def _first_difference(
    expected: Sequence[Sequence[Mapping[str, Any]]], requests: Sequence[Sequence[Mapping[str, Any]]]
) -> str | None:
    if len(expected) != len(requests):
        return f"the number of requests: {len(requests)} instead of {len(expected)}"
    for number, pair in enumerate(zip(expected, requests, strict=True), start=1):
        for at, (one, other) in enumerate(zip_longest(*pair), start=1):
            if one != other:
                roles = " instead of ".join(str(m["role"]) if m else "nothing" for m in (other, one))
                return f"request {number}, message {at}: {roles if not _same_role(one, other) else one['role']}"
    return None


def _same_role(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    return one is not None and other is not None and one["role"] == other["role"]


def _faces(wanted: str | None, out: Console) -> dict[str, Run]:
    """Load the faces; one whose framework is missing is named, with what to install."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    if wanted is not None and wanted not in {_CORE, *found}:
        msg = f"no face is called {wanted[:40]!r}; there are {', '.join([_CORE, *sorted(found)])}"
        raise InputError(msg)
    faces: dict[str, Run] = {}
    for name in sorted(found) if wanted is None else [wanted]:
        if name in found:
            run = _loaded(found[name], out, needed=wanted is not None)
            faces.update({} if run is None else {name: run})
    return faces


def _loaded(point: EntryPoint, out: Console, *, needed: bool) -> Run | None:
    try:
        run: Run = point.load()
    except ImportError as error:
        line = f"{point.name} is not here: {error}"
        if needed:
            raise InputError(line) from error
        out.print(line, soft_wrap=True)
        return None
    return run


def _show(name: str, requests: Sequence[Request], out: Console) -> None:
    """Print the requests in which something was cut, and the layers of the last one."""
    tokens = sum(report.used for _, report in requests)
    cuts = [(at, messages, report) for at, (messages, report) in enumerate(requests, start=1) if report.history.cut]
    out.print()
    out.print(f"{name}: {len(requests)} requests, {tokens:,} tokens in all, cut {len(cuts)} times", style="bold")
    rows = ((at, len(messages), report.history.omitted, report.used) for at, messages, report in cuts)
    out.print(table(("cut in request", "messages sent", "left out", "tokens"), rows))
    if requests:
        out.print(f"the layers of request {len(requests)}:")
        out.print(requests[-1][1])


def _agreement(sent: Mapping[str, Sequence[Request]]) -> str:
    names, count = list(sent), len(next(iter(sent.values())))
    if len(names) == 1:
        return f"Only the engine ran; there is no face to compare its {count} requests with."
    return f"{', '.join(names[:-1])} and {names[-1]} sent the same messages in all {count} requests."
