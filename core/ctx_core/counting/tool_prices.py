"""What tool definitions cost: the texts in the form in which a model reads them, and what stands around each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.counting.tool_schemas import compact_json, plain_tool, read_tool, schema_strings, tool_json
from ctx_core.counting.typescript import tools_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.counting.framing import ToolFraming
    from ctx_core.counting.tokenizers import Tokenizer
    from ctx_core.counting.tool_schemas import ToolDefinition, ToolSpec


def priced_tools(tools: Sequence[ToolDefinition], framing: ToolFraming, tokenizer: Tokenizer) -> tuple[int, int]:
    """Give the tokens of the texts of tools, and of what stands around each.

    Raises:
        BudgetError: for a definition that is not a dict, or that JSON cannot hold.
    """
    count, extra = tokenizer.count, framing.per_tool * len(tools)
    tools = [plain_tool(tool, at) for at, tool in enumerate(tools)]
    specs = [read_tool(tool) for tool in tools]
    if framing.style == "definition":
        return sum(count(compact_json(tool)) for tool in tools), extra
    known = [spec for spec in specs if spec is not None]
    texts = sum(count(compact_json(tool)) for tool, spec in zip(tools, specs, strict=True) if spec is None)
    extra += framing.per_grammar * sum(bool(spec.grammar) for spec in known)
    if framing.style == "typescript":
        return texts + (count(tools_text(known)) if known else 0), extra
    if framing.style == "json":
        return texts + sum(count(tool_json(spec)) for spec in known), extra
    strings = [string for spec in known for string in _strings(spec)]
    texts += sum(count(text) for text, _ in strings)
    return texts, extra + framing.per_property * sum(is_property for _, is_property in strings)


def _strings(spec: ToolSpec) -> list[tuple[str, bool]]:
    """Give the strings of a tool, and for each whether it is a property's name."""
    return [(spec.name, False), (spec.description, False), *schema_strings(spec.parameters)]
