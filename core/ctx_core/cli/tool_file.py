"""Files of tool definitions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from ctx_core.cli.input_error import InputError, reason, shown
from ctx_core.cli.json_text import kind, parse

if TYPE_CHECKING:
    from ctx_core.counting.counter import ToolDefinition


def read_tools(name: str | None) -> list[ToolDefinition]:
    """Read tool definitions, a JSON list of them or an object with a list "tools"; none without a name.

    Raises:
        InputError: for a file that holds something else.
    """
    if name is None:
        return []
    document: object = None
    try:
        document, wrong = parse(Path(name).read_text(encoding="utf-8-sig")), ""
    except InputError as error:
        wrong = str(error)
    except UnicodeDecodeError:
        wrong = "not UTF-8 text"
    except (OSError, ValueError) as error:
        wrong = reason(error)
    if wrong:  # outside of the handlers, as an error of decoding holds the file
        msg = f"{shown(name)}: {wrong}"
        raise InputError(msg)
    it = kind(document)
    found = cast("dict[str, object]", document).get("tools") if isinstance(document, dict) else document
    if not isinstance(found, list):
        msg = f'{shown(name)}: expected a list of tool definitions, or an object with a list "tools", found {it}'
        raise InputError(msg)
    tools = cast("list[ToolDefinition]", found)
    for at, tool in enumerate(tools, start=1):
        if not isinstance(tool, dict):
            msg = f"{shown(name)}: tool {at}: expected an object, found {kind(tool)}"
            raise InputError(msg)
    return tools
