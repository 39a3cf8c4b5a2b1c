"""The row of the table of families for a model's name: for its price and for its window alike."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from ctx_core.counting.families import FAMILIES
from ctx_core.counting.family import Family, UnknownWindow, Window

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.counting.model_names import Fit, ModelName

Row = TypeVar("Row", Family, Window | UnknownWindow)


def best(name: ModelName, rows: Iterable[Row]) -> tuple[Row, str] | None:
    """Give the row that fits a name best, and its prefix that does; None if none fits.

    That is where the name begins, not one within it; then the longest prefix, then the place with the most taken off
    in front. A row for one API goes before longer prefixes, as an API decides more than a model's size; one for a host
    goes before the same prefix for all.
    """
    fitting = ((fit, row, prefix) for row in rows for prefix in row.models if (fit := name.fit(prefix)) is not None)
    found = max(fitting, key=lambda one: _nearness(one[0], one[1]), default=None)
    return None if found is None else (found[1], found[2])


@lru_cache(maxsize=1_024)
def named_family(name: ModelName, *, api: str | None = None, host: str | None = None) -> Family | None:
    """Give the row of the table for a model, for an API and at a host; None if its name is none of the table's."""
    rows = (family for family in FAMILIES if family.api in {None, api} and family.host in {None, host})
    found = best(name, rows)
    return None if found is None else found[0]


def _nearness(fit: Fit, row: Family | Window | UnknownWindow) -> tuple[bool, bool, int, bool, int]:
    api, host = (row.api, row.host) if isinstance(row, Family) else (None, None)
    return fit.begins, api is not None, fit.length, host is not None, fit.front
