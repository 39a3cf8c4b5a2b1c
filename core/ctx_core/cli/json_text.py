"""JSON that comes from users: parsed with errors that say where, not what."""

from __future__ import annotations

import json

from ctx_core.cli.input_error import InputError


def parse(text: str, line: int | None = None) -> object:
    """Parse a text.

    Args:
        text: a JSON document.
        line: number of the line that it is, where it is one of several.

    Raises:
        InputError: if it isn't JSON; says the line, and never quotes the text.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        msg = f"line {line or error.lineno}: not JSON ({error.msg}, column {error.colno})"
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else "a number with too many digits"
        msg = f"line {line or 1}: not JSON that can be read ({why})"
    raise InputError(msg)  # outside of the handlers, as their errors hold the text


def kind(value: object) -> str:
    """Give what a value is, in the words of JSON."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return "a string"
    if value is None:
        return "null"
    return "true or false" if isinstance(value, bool) else "a number"
