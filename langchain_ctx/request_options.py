"""What a bound model asks for beside messages and tools, as the options that are counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from langchain_core.utils.function_calling import convert_to_openai_function
from pydantic import BaseModel

from ctx_core.counting.asked_for import choice_of, schema_of
from ctx_core.counting.options import RequestOptions
from ctx_core.errors import BudgetError


def request_options(*, response_format: object = None, tool_choice: object = None) -> RequestOptions | None:
    """Give the options of a request; None where it asks for nothing that is billed.

    Args:
        response_format: as a model is bound to it: a dict of the provider's, a JSON schema, a pydantic class or a
            `TypedDict`.
        tool_choice: as a model is bound to it.

    Raises:
        BudgetError: for a format of no known kind.
    """
    choice = choice_of(tool_choice)
    named = _schema(response_format)
    if named is None:
        return None if choice == "auto" else RequestOptions(tool_choice=choice)
    name, description, schema = named
    return RequestOptions(tool_choice=choice, schema=schema, schema_name=name, schema_description=description)


def _schema(answer: object) -> tuple[str, str, Mapping[str, Any]] | None:
    """Give name, description and schema of the answer, where it must follow one."""
    if answer is None:
        return None
    if isinstance(answer, Mapping):
        return schema_of(cast("Mapping[str, Any]", answer))
    kind = cast("type[object]", answer)
    if isinstance(answer, type) and issubclass(kind, BaseModel):
        return kind.__name__, "", kind.model_json_schema()
    try:
        function, raised = convert_to_openai_function(cast("Any", answer)), ""
    except Exception as error:  # noqa: BLE001 - it may raise anything
        function, raised = {}, type(error).__name__
    if raised:  # outside of the handler, as what LangChain raises may quote the schema
        msg = (
            f"response_format ({type(answer).__name__}) has no schema that can be counted ({raised}): "
            "give a dict, a pydantic class or a TypedDict"
        )
        raise BudgetError(msg)
    return str(function["name"]), str(function.get("description") or ""), function.get("parameters") or {}
