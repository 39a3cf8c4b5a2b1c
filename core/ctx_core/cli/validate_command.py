"""`ctx-layers validate`: what a provider would refuse in a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ctx_core.clean import escaped
from ctx_core.cli.input_error import InputError, shown
from ctx_core.cli.source import Source
from ctx_core.cli.terminal import console, print_json, table
from ctx_core.cli.tool_file import read_tools
from ctx_core.errors import MessageError
from ctx_core.validate import validate

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping, Sequence

    from ctx_core.validation import Correction, Validation

REFUSED = 1


def validate_command(options: Namespace) -> int:
    """Run it; the status is 1 if the provider would refuse the request, with `--fix` the one that is made of it."""
    with Source(options.file) as source:
        document, line = source.document(options.line)
    request = cast("Mapping[str, Any] | Sequence[Mapping[str, Any]]", document)
    tools = None if options.tools is None else read_tools(options.tools)
    try:
        found = validate(request, options.model, provider=options.provider, tools=tools)
        fixed = found.fixed if options.fix else None
    except MessageError as error:
        where = "" if line is None else f"line {line}: "
        msg = f"{shown(options.file)}: {where}{error}"
        raise InputError(msg) from error
    last = found if fixed is None else fixed.validation
    if options.json:
        print_json(found.to_dict() if fixed is None else {**found.to_dict(), "fixed": _as_json(fixed)})
    else:
        _show(found, beside_output=fixed is not None)
        if fixed is not None:
            print_json(_as_json(fixed)["request"])
            if fixed.unreadable is not None:
                console(stderr=True).print(f"nothing was changed: {fixed.unreadable}", soft_wrap=True, markup=False)
            if not last.accepted:
                _show(last, beside_output=True)
    return 0 if last.accepted else REFUSED


def _as_json(fixed: Correction) -> dict[str, Any]:
    """Give a request that was changed; with system text that left a list of messages it is an object with both."""
    request = fixed.request
    if fixed.system is not None:
        request = {"system": fixed.system, "messages": request}
    unread = {} if fixed.unreadable is None else {"unreadable": fixed.unreadable}
    return {"request": request, **unread, **fixed.validation.to_dict()}


def _show(found: Validation, *, beside_output: bool = False) -> None:
    out = console(stderr=beside_output)
    model = "no model named" if found.model is None else escaped(found.model)
    out.print(f"{found.provider.title} ({found.provider.name}), {model}", soft_wrap=True)
    rows = list(_rows(found))
    if rows:
        out.print(table(("", "where", "kind", "why"), rows, left=4))
    out.print(found.verdict)


def _rows(found: Validation) -> Iterator[tuple[str, str, str, str]]:
    for word, listed in (("refused", found.refusals), ("doubtful", found.doubts)):
        for one in listed:
            yield word, one.path, str(one.kind), one.why
