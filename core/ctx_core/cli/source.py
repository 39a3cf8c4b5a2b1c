"""Files of conversations: JSON, JSON Lines, either of them compressed, or standard input; a line at a time."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, Self, cast

from ctx_core.cli.input_error import STANDARD_INPUT, InputError, reason, shown
from ctx_core.cli.json_text import kind, parse
from ctx_core.conversation.openai_messages import OpenAICodec, OpenAIMessage
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator


_GZIP: Final = b"\x1f\x8b"
_LINES: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_SAMPLE: Final = 1_024
"""Bytes at the beginning in which a zero byte shows that a file is not text."""


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """One conversation of a file."""

    messages: list[OpenAIMessage]
    line: int | None
    """The line it stands on; None if it is the whole file."""


class Source:
    """A file that is open for reading; used as a context manager.

    Every method raises `InputError`, with the file's name and the line, for what cannot be read.
    """

    def __init__(self, name: str) -> None:
        """Take the name of a file, `-` for standard input."""
        self.name = name
        self.size: int | None = None
        """Bytes of the file; None where it doesn't say."""
        self._by_line = name.lower().endswith(_LINES)
        self._open = ExitStack()
        self._raw: io.BufferedReader
        self._text: io.BufferedReader | gzip.GzipFile
        self._line = 0

    def __enter__(self) -> Self:
        """Open it, and see through its compression."""
        try:
            self._raw = self._opened()
            compressed = self._raw.peek(len(_GZIP)).startswith(_GZIP)
            self._text = gzip.GzipFile(fileobj=self._raw) if compressed else self._raw
        except (OSError, ValueError) as error:
            self._refuse(reason(error))
        return self

    def __exit__(self, *exception: object) -> None:
        """Close it, unless it is standard input."""
        self._open.close()

    @property
    def position(self) -> int:
        """Bytes of the file that were read, compressed as they are."""
        return self._raw.tell() if self.size is not None else 0

    def one(self, line: int | None = None) -> StoredConversation:
        """Give the conversation on a line, or the only one there is."""
        text, at = self._only(line)
        return self._conversation(text, at)

    def document(self, line: int | None = None) -> tuple[object, int | None]:
        """Give what stands on a line, or the only thing there is, as it is, and its line."""
        text, at = self._only(line)
        try:
            return parse(text, at), at
        except InputError as error:
            self._refuse(str(error), at)

    def conversations(self, *, only: int | None = None) -> Iterator[StoredConversation]:
        """Give the conversations one after the other, or only the one on a line."""
        for text, line in self._texts(only):
            yield self._conversation(text, line)

    def _only(self, line: int | None) -> tuple[str, int | None]:
        texts = self._texts(line)
        found = next(texts)
        if line is None and next(texts, None) is not None:
            self._refuse("holds several conversations: choose one with --line, or take them all with --all")
        return found

    def _texts(self, only: int | None) -> Iterator[tuple[str, int | None]]:
        line: int | None = 0
        found = 0
        for line, text in self._documents():
            if only is None or only == (line or 1):
                found += 1
                yield text, line
            if only is not None and found:
                return
        if only is not None:
            has = "is one conversation" if line is None else f"has {self._line}"
            absent = line is None or only > self._line
            self._refuse(f"line {only} is " + (f"not there: the file {has}" if absent else "empty"))
        if not found:
            self._refuse("holds no conversation")

    def _conversation(self, text: str, line: int | None) -> StoredConversation:
        try:
            messages = _messages(parse(text, line))
            _check(messages)
        except InputError as error:
            self._refuse(str(error), line)
        return StoredConversation(messages, line)

    def _documents(self) -> Iterator[tuple[int | None, str]]:
        """Give each line that isn't blank with its number, or the whole text if it is one document over many lines."""
        lines = self._lines()
        first = True
        for text in lines:
            if not text.strip():
                continue
            if first and not self._by_line and not _is_json(text):
                # A document over many lines; the line feeds keep the line numbers of its errors true.
                yield None, "".join(["\n" * (self._line - 1), text, *lines])
                return
            first = False
            yield self._line, text

    def _lines(self) -> Iterator[str]:
        self._line = 0
        try:
            if b"\0" in self._text.peek(_SAMPLE)[:_SAMPLE]:
                self._refuse("not text: a JSON or JSON Lines file in UTF-8 is needed")
            for line in self._text:
                self._line += 1
                yield line.decode("utf-8-sig" if self._line == 1 else "utf-8")
        except UnicodeDecodeError:
            self._refuse("not UTF-8 text", self._line)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self._refuse(f"broken gzip data after line {self._line}")
        except OSError as error:
            self._refuse(reason(error))

    def _opened(self) -> io.BufferedReader:
        if self.name == STANDARD_INPUT:
            if sys.stdin is None:
                self._refuse("is closed")
            return cast("io.BufferedReader", sys.stdin.buffer)
        file = self._open.enter_context(Path(self.name).open("rb"))  # noqa: SIM115 - closed by `__exit__`
        with suppress(OSError):
            self.size = os.fstat(file.fileno()).st_size or None  # pipes and devices say 0
        return file

    def _refuse(self, text: str, line: int | None = None) -> NoReturn:
        where = ""
        if line is not None and not text.startswith("line "):
            where = f"line {line}, " if text.startswith("message ") else f"line {line}: "
        msg = f"{shown(self.name)}: {where}{text}"
        raise InputError(msg)


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except InputError:
        return False
    return True


def _messages(document: object) -> list[OpenAIMessage]:
    found = cast("dict[str, object]", document).get("messages") if isinstance(document, dict) else document
    if isinstance(found, list):
        return cast("list[OpenAIMessage]", found)
    msg = 'expected a list of messages, or an object with a list "messages", found '
    if isinstance(document, dict):
        missing = "messages" not in document
        msg += 'an object without "messages"' if missing else f'an object with {kind(found)} as "messages"'
    else:
        msg += kind(found)
    raise InputError(msg)


def _check(messages: list[OpenAIMessage]) -> None:
    """Read every message once: the engine looks at no more than it needs."""
    codec = OpenAICodec()
    for at, message in enumerate(messages, start=1):
        try:
            codec.read(message)
        except MessageError as error:
            msg = f"message {at} of {len(messages)}: {error}"
            raise InputError(msg) from error
