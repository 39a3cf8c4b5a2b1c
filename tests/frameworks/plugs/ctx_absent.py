"""A plugin for the frameworks' own suites: what their set-up imports and no test that is run here uses."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType
from unittest.mock import MagicMock

_ABSENT = (
    "langchain_tests",
    "langchain_tests.conftest",
    "langgraph.checkpoint.postgres",
    "langgraph.checkpoint.postgres.aio",
    "langgraph.store.postgres",
    "psycopg",
    "psycopg_pool",
)


class Absent(ModuleType):
    """A module of which everything can be imported."""

    def __init__(self, name: str) -> None:
        """Be a package too."""
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> object:
        """Give something."""
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock()


def _is_there(name: str) -> bool:
    try:
        return name in sys.modules or find_spec(name) is not None
    except ImportError:
        return False


for _name in _ABSENT:
    if not _is_there(_name):
        sys.modules[_name] = Absent(_name)
