"""The report of a request, which shows itself as text, in a terminal and in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctx_core.report.figures import Figures

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReport(Figures):
    """One request: who used how much of it, and what was left out."""

    def __str__(self) -> str:
        """Give it as a table in plain text."""
        from ctx_core.report.text import as_text

        return as_text(self)

    def __rich__(self) -> RenderableType:
        """Give it to `rich`."""
        from ctx_core.report.text import as_rich

        return as_rich(self)

    def _repr_html_(self) -> str:
        """Give it to a notebook."""
        from ctx_core.report.html import as_html

        return as_html(self)
