"""What the command line says about input that it cannot use."""

from __future__ import annotations

from typing import Final

STANDARD_INPUT: Final = "-"


class InputError(Exception):
    """Options or a file that cannot be used; its text is one line, without content of messages."""


def shown(name: str) -> str:
    """Give the name of a file as one line."""
    if name == STANDARD_INPUT:
        return "standard input"
    return name if name.isprintable() else ascii(name)


def reason(error: OSError | ValueError) -> str:
    """Give why a file could not be opened, read or written; a `ValueError` is about its name."""
    if isinstance(error, ValueError):
        return "not the name of a file"
    return (error.strerror or type(error).__name__).lower()
