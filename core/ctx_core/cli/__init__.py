"""The command line, `ctx-layers`."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, Final

from ctx_core.clean import escaped
from ctx_core.cli.input_error import InputError, reason, shown
from ctx_core.cli.options import parser
from ctx_core.errors import ContextOverflowError, CtxLayersError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

__all__ = ["main"]

CANNOT_FIT: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
"""As shells report a program that a signal ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: its words, without the name of the program; by default those of the process.

    Returns:
        The exit status: 0, or 1 for a conversation that cannot fit, a request that would be refused and faces that
        differ, or 2 for bad input, of which one line on standard error tells.
    """
    _tolerate(sys.stdout)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            status = _run(argv)
            sys.stdout.flush()
            return status
    except BrokenPipeError:
        _drop_output()  # whoever read has enough
        return PIPE_CLOSED
    except OSError as error:
        # Commands say themselves what they cannot read; what is left is the output.
        _drop_output()
        _say(f"cannot write the output: {reason(error)}")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    options = None
    try:
        options = parser().parse_args(argv)
        return _command(options)
    except ContextOverflowError as error:
        _say(f"{_place(options)}{error}")
        return CANNOT_FIT
    except (InputError, CtxLayersError) as error:
        _say(str(error))
        return BAD_INPUT


def _command(options: Namespace) -> int:
    if options.command == "fit":
        from ctx_core.cli.fit_command import fit_command

        return fit_command(options)
    if options.command == "count":
        from ctx_core.cli.count_command import count_command

        return count_command(options)
    if options.command == "validate":
        from ctx_core.cli.validate_command import validate_command

        return validate_command(options)
    from ctx_core.cli.demo_command import demo_command

    return demo_command(options)


def _place(options: Namespace | None) -> str:
    """Give which conversation it is about, where there are several."""
    if options is None or options.command != "fit":
        return ""
    line = "" if options.line is None else f", line {options.line}"
    return f"{shown(options.file)}{line}: "


def _tolerate(stream: object) -> None:
    """Let a terminal of another encoding show something else for a dash, rather than stop."""
    reconfigure = getattr(stream, "reconfigure", None)
    if callable(reconfigure):
        reconfigure(errors="replace")


def _drop_output() -> None:
    """Send what is still buffered nowhere, or Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    line = " ".join(text.splitlines())
    sys.stderr.write(f"ctx-layers: {escaped(line, len(line))}\n")


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    _say(f"warning: {message}")
