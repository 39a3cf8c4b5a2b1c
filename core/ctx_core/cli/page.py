"""A web page of reports that stands on its own: nothing to load, no scripts, in the reader's light or dark."""

from __future__ import annotations

from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from ctx_core.cli.input_error import InputError, reason, shown
from ctx_core.report.html import as_html

if TYPE_CHECKING:
    from typing import TextIO

    from ctx_core.report.report import ContextReport

_HEAD: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 2rem auto; max-width: 50rem; padding: 0 1rem; background: Canvas; color: CanvasText;
  font: 15px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.3rem; }}
h2 {{ font-size: 1rem; margin: 2rem 0 .5rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
"""
_FOOT: Final = "</body>\n</html>\n"


class Page:
    """A page in the making, used as a context manager; the file is made when the first section comes."""

    def __init__(self, name: str | None, title: str) -> None:
        """Take the name of the file, None for no page at all, and the title."""
        self._name = name
        self._title = escape(title)
        self._file: TextIO | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End the page, if there is one."""
        if self._file is not None:
            self._write(_FOOT)
        self._open.close()

    def add(self, heading: str, report: ContextReport) -> None:
        """Add a report.

        Raises:
            InputError: if the file cannot be written.
        """
        if self._name is not None:
            self._write(f"<h2>{escape(heading)}</h2>\n{as_html(report)}\n")

    def _write(self, text: str) -> None:
        name = self._name or ""
        try:
            if self._file is None:
                self._file = self._open.enter_context(Path(name).open("w", encoding="utf-8"))  # noqa: SIM115 - closed by `__exit__`
                self._file.write(_HEAD.format(title=self._title))
            self._file.write(text)
        except (OSError, ValueError) as error:
            msg = f"{shown(name)}: {reason(error)}"
            raise InputError(msg) from error
