"""The progress bar of long runs: on standard error, and only where that is a terminal."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctx_core.cli.terminal import console

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ctx_core.cli.source import Source


@contextmanager
def progress(source: Source, *, beside_output: bool) -> Generator[Callable[[], None]]:
    """Show how far a file was read.

    Args:
        source: the file.
        beside_output: whether results are printed meanwhile; on the same terminal they and a bar would be a mess.

    Yields:
        What is to be called after each conversation.
    """
    screen = console(stderr=True)
    if not screen.is_terminal or (beside_output and console().is_terminal):
        yield lambda: None
        return

    from rich.progress import BarColumn, Progress, TextColumn

    done = 0
    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.fields[done]:,} conversations"))
    # Standard output may be a file and is none of the bar's business: rich would send it to standard error.
    with Progress(*columns, console=screen, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("", total=source.size, done=0)

        def advance() -> None:
            nonlocal done
            done += 1
            bar.update(task, completed=source.position, done=done)

        yield advance
