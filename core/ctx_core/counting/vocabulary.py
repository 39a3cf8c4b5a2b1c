"""tiktoken's encodings: exact counts, found on disk where possible, never in the way where not."""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import category

from ctx_core.counting.safe_estimate import SafeEstimate
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tiktoken import Encoding

    from ctx_core.counting.tokenizers import Tokenizer

_BLOBS: Final = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
_DOWNLOAD_SECONDS: Final = 10.0
_PIECE: Final = 50_000
"""Characters after which a long text is cut where no token can span the cut."""
_HARD_CUT: Final = 400_000
"""Characters without such a place after which it is cut anyway: tiktoken panics on a million blanks."""
_LOCK: Final = Lock()


class TiktokenTokenizer:
    """An encoding of tiktoken. Text that spells a special token counts as the text it is."""

    def __init__(self, encoding: Encoding) -> None:
        """Take a loaded encoding."""
        self._encoding = encoding
        self.name = encoding.name

    def count(self, text: str) -> int:
        """Give the number of tokens of a text.

        Exact, but for runs of over 400,000 characters without a word's end, which are cut and may count a
        few tokens more.
        """
        encode = self._encoding.encode_ordinary
        if len(text) <= _PIECE:
            return len(encode(text))
        return sum(len(encode(piece)) for piece in pieces(text))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by name; the vocabulary is loaded again on the other side."""
        return (tiktoken_encoding, (self.name,))


def pieces(text: str) -> Iterator[str]:
    """Cut a long text where, in OpenAI's patterns, no token can span the cut."""
    start = 0
    while len(text) - start > _PIECE:
        cut = start + _PIECE
        last = min(start + _HARD_CUT, len(text))
        while cut < last and not _is_boundary(text[cut - 1], text[cut]):
            cut += 1
        yield text[start:cut]
        start = cut
    yield text[start:]


def _is_boundary(before: str, after: str) -> bool:
    """Whether no token spans two characters: a blank begins one, and letters end where no more of the word follows."""
    if after == " ":
        return not before.isspace()
    if before == "\n":
        return after.isascii() and after.isalpha()
    return before.isalpha() and not after.isalpha() and after != "'" and not category(after).startswith("M")


def tiktoken_encoding(name: str) -> Tokenizer:
    """Give the tokenizer of an encoding such as `o200k_base`, loaded once a process.

    Looked for in tiktoken's own cache, then in the folder that llama-index-core ships (without importing
    it), then downloaded with a time limit. If all that fails, one warning is given and the safe estimate
    takes its place for the rest of the process. Threads that ask meanwhile wait for the first.
    """
    with _LOCK:
        return _loaded(name)


@cache
def _loaded(name: str) -> Tokenizer:
    try:
        return TiktokenTokenizer(_load(name))
    except Exception as error:  # noqa: BLE001 - whatever stops tiktoken must not stop the conversation
        warnings.warn(
            f"The vocabulary {name} is neither on disk nor to be had ({type(error).__name__}): counting with a safe "
            "estimate instead of exactly. Set TIKTOKEN_CACHE_DIR to a folder that has it, or install llama-index-core, "
            "which ships it.",
            stacklevel=3,
        )
        return SafeEstimate()


def _load(name: str) -> Encoding:
    folder = _folder_with(name)
    if folder is None:
        return _download(name)
    with _cache_folder(folder):
        return _get(name)


def _get(name: str) -> Encoding:
    import tiktoken

    return tiktoken.get_encoding(name)


def _folder_with(name: str) -> Path | None:
    blob = sha1(_BLOBS.format(name).encode(), usedforsecurity=False).hexdigest()
    return next((folder for folder in _folders() if (folder / blob).is_file()), None)


def _folders() -> Iterator[Path]:
    import tempfile
    from importlib.metadata import PackageNotFoundError, distribution

    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    yield Path(tempfile.gettempdir(), "data-gym-cache")
    with contextlib.suppress(PackageNotFoundError):
        yield Path(str(distribution("llama-index-core").locate_file("llama_index/core/_static/tiktoken_cache")))


@contextlib.contextmanager
def _cache_folder(folder: Path) -> Generator[None]:
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def _download(name: str) -> Encoding:
    """Let tiktoken download in a thread that is left behind when it takes too long: it has no time limit."""
    found: list[Encoding] = []
    failed: list[BaseException] = []

    def fetch() -> None:
        try:
            found.append(_get(name))
        except BaseException as error:  # noqa: BLE001 - handed over to the waiting thread
            failed.append(error)

    thread = threading.Thread(target=fetch, daemon=True, name=f"download {name}")
    thread.start()
    thread.join(_DOWNLOAD_SECONDS)
    if found:
        return found[0]
    if failed and isinstance(failed[0], Exception):
        raise failed[0]
    msg = f"no answer within {_DOWNLOAD_SECONDS:g} s"
    raise TimeoutError(msg)
