"""What stands under the keys of a block: what is read as what it is, what is free there, and all else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Sized

from ctx_core.conversation.fields import kind_of, mapped

_DEEPEST: Final = 100
"""Levels of a block in which keys are told apart; what is below is counted whole."""
LONGEST_NAME: Final = 64
"""Characters up to which a name is in the price of what it names: providers take no longer ones of tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockType:
    """One type of block, or of a mapping in one.

    A key makes a value free only where the row of its type says so; what no key of the row names is counted.
    """

    read: frozenset[str] = frozenset()
    """Keys whose values are counted as what they are: a text, a medium, the arguments of a call."""
    free: frozenset[str] = frozenset()
    """Keys whose values cost nothing here: ids, addresses, formats, marks of a cache."""
    names: frozenset[str] = frozenset()
    """Keys of names, which are in the price of what they name."""
    within: Mapping[str, BlockType] = field(default_factory=dict[str, "BlockType"])
    """Keys whose value, where it is a mapping or a list of such, has keys of its own."""
    not_for: frozenset[str] = frozenset()
    """Types of blocks that have a row of their own, and are counted whole where they stand in the place of this one."""

    def rest(self, block: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
        """Give what is neither read nor free; what is nested deeper than any provider's blocks are, is all left."""
        left: dict[str, Any] = {}
        for key, value in block.items():
            inner = self.within.get(key)
            if inner is not None and (isinstance(value, list | tuple) or mapped(value) is not None):
                rest = _rest_of(inner, cast("object", value), depth + 1)
            elif key in self.read or key in self.free or self._is_name(key, value):
                continue
            else:
                rest = value
            if says_something(rest):
                left[key] = rest
        return left

    def _is_name(self, key: str, value: object) -> bool:
        return key in self.names and isinstance(value, str) and len(value) <= LONGEST_NAME


def _rest_of(row: BlockType, value: object, depth: int) -> object:
    if depth > _DEEPEST:
        return value
    if isinstance(value, list | tuple):
        rest = [_rest_of(row, one, depth + 1) for one in cast("list[object]", value)]
        return [one for one in rest if says_something(one)]
    fields = mapped(value)
    return value if fields is None or kind_of(fields) in row.not_for else row.rest(fields, depth)


def says_something(value: object) -> bool:
    """Whether a value is one at all: null, a flag that is off, and what is empty are not."""
    if value is None or value is False:
        return False
    # Somebody else's object is not compared: that may be anything, and fail.
    return not isinstance(value, str | list | tuple | Mapping) or len(cast("Sized", value)) > 0


def block_type(read: str = "", free: str = "", names: str = "", **within: BlockType) -> BlockType:
    """Give a row of the keys that are named in each text."""
    return BlockType(
        read=frozenset(read.split()), free=frozenset(free.split()), names=frozenset(names.split()), within=within
    )
