"""The fields of a YAML mapping, read from the parser's events: nothing in it is built, resolved or merged.

A loader would turn a number of 4,000 digits into one that Python refuses to print, a date into one that no calendar
has, and a few lines of aliases or merge keys into gigabytes. Here a text costs what its length is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import yaml
from yaml.resolver import Resolver

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST: Final = 32
"""Levels of nesting; with more it is no head of a file, and a parser without libyaml takes time for each level."""
_TEXT: Final = "tag:yaml.org,2002:str"
_NO_TEXT: Final = frozenset(("tag:yaml.org,2002:null", "tag:yaml.org,2002:binary"))


@dataclass(slots=True)
class _Reader:
    """Takes the events in their order."""

    fields: dict[str, str] = field(default_factory=dict[str, str])
    anchors: dict[str, tuple[str, str] | None] = field(default_factory=dict[str, "tuple[str, str] | None"])
    """What aliases stand for: tag and text of a scalar, None for anything else."""
    key: tuple[str, str] | None = None
    at_key: bool = True
    depth: int = 0
    resolver: Resolver = field(default_factory=Resolver)

    def read(self, event: Any) -> bool:  # noqa: ANN401 - the events of PyYAML have no types
        """Take an event, and say whether it may go on."""
        match event:
            case yaml.ScalarEvent():
                found = (self._tag(event), event.value)
                self._name(event.anchor, found)
                return self._take(found)
            case yaml.AliasEvent():
                return event.anchor in self.anchors and self._take(self.anchors[event.anchor])
            case yaml.CollectionStartEvent():
                self._name(event.anchor, None)
                self.depth += 1
                return self.depth <= _DEEPEST and (self.depth > 1 or isinstance(event, yaml.MappingStartEvent))
            case yaml.CollectionEndEvent():
                self.depth -= 1
                return self.depth == 0 or self._take(None)
            case _:
                return True

    def _tag(self, event: Any) -> str:  # noqa: ANN401 - as above
        if event.tag not in (None, "!"):
            return str(event.tag)
        resolver: Any = self.resolver  # PyYAML has no types for it
        return str(resolver.resolve(yaml.ScalarNode, event.value, event.implicit))

    def _name(self, anchor: str | None, found: tuple[str, str] | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = found

    def _take(self, found: tuple[str, str] | None) -> bool:
        """Take a whole node of the mapping itself: a key, or the value of the last one."""
        if self.depth == 1:
            if self.at_key:
                self.key = found
            elif self.key is not None and found is not None and self.key[0] == _TEXT and found[0] not in _NO_TEXT:
                self.fields[self.key[1].lower()] = found[1]
            self.at_key = not self.at_key
        return self.depth > 0


def scalar_fields(block: str) -> dict[str, str] | None:
    """Give the scalar fields of a mapping as they are written, by their names in lower case.

    What a merge key (`<<`) would bring is not among them.

    Returns:
        None for what is no mapping, is more than one document, or is no YAML.
    """
    reader, documents = _Reader(), 0
    try:
        for event in yaml.parse(block, Loader=_LOADER):
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1 or not reader.read(event):
                return None
    except (yaml.YAMLError, ValueError):  # the latter for what cannot be encoded
        return None
    return reader.fields if documents else None
