"""Reading a file of the workspace, and nothing that is not in it."""

from __future__ import annotations

import codecs
import logging
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from ctx_core.clean import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG: Final = logging.getLogger("ctx_core.workspace")
_PIECE: Final = 64 * 1024  # bytes that are read at a time
_LONGEST_LINE: Final = 16 * 1024  # characters; what is longer counts as several lines


@dataclass(frozen=True, slots=True)
class Signature:
    """By what a change of a file is noticed."""

    path: str
    modified: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file that is really inside the workspace."""

    path: Path
    name: str
    """Relative to the workspace."""
    signature: Signature

    @property
    def shown(self) -> str:
        """Its name for warnings."""
        return escaped(self.name)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.signature.size


def find(root: Path, name: str, warnings: list[str]) -> Found | None:
    """Give the file, or None with a warning if it leads out of the workspace or cannot be looked at.

    Args:
        root: the workspace, resolved.
        name: relative to it.
        warnings: get what is to be said, without any content.
    """
    shown = escaped(name)
    try:
        path = (root / name).resolve()
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, RuntimeError, ValueError) as error:  # no permission, a circle of links
        warn(warnings, f"{shown}: cannot be read ({type(error).__name__}); skipped")
        return None
    if not path.is_relative_to(root):
        warn(warnings, f"{shown}: leads out of the workspace; refused")
        return None
    if not S_ISREG(status.st_mode):
        return None
    signature = Signature(str(path), status.st_mtime_ns, status.st_size, status.st_ino)
    return Found(path, name, signature)


def is_path(text: str) -> bool:
    """Say whether a text can name a file, and be told: no NUL, and no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def warn(warnings: list[str], text: str) -> None:
    """Keep a warning, and log it."""
    warnings.append(text)
    _LOG.warning("%s", text)


def read_start(found: Found, limit: int, warnings: list[str]) -> str:
    r"""Give the text of a file, at most its first `limit` bytes; empty with a warning if it cannot be read.

    A byte order mark goes, line ends become `\\n`, and bytes that are no UTF-8 become U+FFFD.
    """
    try:
        with found.path.open("rb") as file:
            data = file.read(min(limit, found.size + 1))
    except OSError as error:
        warn(warnings, f"{found.shown}: cannot be read ({type(error).__name__}); skipped")
        return ""
    # A character that the limit cuts in two goes.
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data, final=found.size <= limit)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def pieces_of(found: Found, warnings: list[str]) -> Iterator[str]:
    """Give the text of a file of any size, some whole lines at a time; only a very long line is cut."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    rest = ""
    try:
        with found.path.open("rb") as file:
            while piece := file.read(_PIECE):
                text = rest + decoder.decode(piece)
                end = text.rfind("\n") + 1 or (len(text) if len(text) > _LONGEST_LINE else 0)
                rest = text[end:]
                if end:
                    yield text[:end]
    except OSError as error:
        warn(warnings, f"{found.shown}: cannot be read to its end ({type(error).__name__})")
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest
