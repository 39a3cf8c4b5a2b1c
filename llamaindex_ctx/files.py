"""Contents of files that blocks name by their path: LlamaIndex' clients read them when they send a request."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

from ctx_core.errors import MessageError

_MOST: Final = 256 * 1_024 * 1_024
"""Bytes of a file that is read; providers take 50 million in a request at most."""


def content_at(path: str | Path | None) -> bytes | None:
    """Give the content of a file; None where there is none to be read, as its client will say.

    It is read at once and on every door: the client does the same, when it sends the block.

    Raises:
        MessageError: for a file of more than 256 MiB.
    """
    if path is None:
        return None
    try:
        told = Path(path).stat()
        if not stat.S_ISREG(told.st_mode) or told.st_size > _MOST:
            content = None
        else:
            with Path(path).open("rb") as file:
                content = file.read(_MOST)
    except (OSError, ValueError):  # not there, not ours to read, or no path at all
        return None
    if content is None and stat.S_ISREG(told.st_mode):
        msg = (
            f"a block names a file of {told.st_size:,} bytes, and no more than {_MOST:,} are read to price it: give a "
            "smaller file, or the address of the content in `url`"
        )
        raise MessageError(msg)
    return content or None
