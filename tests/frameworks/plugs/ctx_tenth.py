"""A plugin for the frameworks' own suites: runs a fixed tenth of the tests, where it is asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests whose name falls into the tenth: the same on every machine and every day."""
    if os.environ.get("CTX_TENTH") != "1":
        return
    kept = [item for item in items if crc32(item.nodeid.encode()) % 10 == 0]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
