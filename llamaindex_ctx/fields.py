"""Fields of a memory that pydantic knows nothing about: read and written by functions of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import core_schema


@dataclass(frozen=True, slots=True)
class Stored:
    """Annotation of a field whose type pydantic shall not look into.

    Its own `PlainValidator` and `PlainSerializer` do, and fail on types with names for type checkers only.
    """

    read: Callable[[Any], Any]
    """Gives the value from what it is, or from what was stored. Raises `ValueError`."""
    write: Callable[[Any], Any]
    """Gives it as JSON types."""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> core_schema.CoreSchema:
        """Tell pydantic to call the two functions."""
        return core_schema.no_info_plain_validator_function(
            self.read,
            json_schema_input_schema=core_schema.any_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(
                self.write, return_schema=core_schema.any_schema()
            ),
        )
