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
    try:
        document = parse(Path(name).read_text(encoding="utf-8-sig"))
    except InputError as error:
        msg = f"{shown(name)}: {error}"
        raise InputError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{shown(name)}: not UTF-8 text"
        raise InputError(msg) from error
    except (OSError, ValueError) as error:
        msg = f"{shown(name)}: {reason(error)}"
        raise InputError(msg) from error
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
