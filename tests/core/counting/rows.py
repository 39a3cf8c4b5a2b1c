"""Rows of the table of families, by the prefixes that stand in them."""

from __future__ import annotations

from functools import cache

from ctx_core.counting import FAMILIES, Family


@cache
def row_of(prefix: str) -> Family:
    """Give the row for all APIs and hosts that has a prefix, for its models or for the windows of some."""
    return next(
        family
        for family in FAMILIES
        if family.api is None and family.host is None
        if prefix in family.models or any(prefix in window.models for window in family.windows)
    )


def spelled(prefix: str) -> str:
    """Give a prefix as a name: behind a host, as some words are models only there."""
    return f"openrouter/{prefix}"
