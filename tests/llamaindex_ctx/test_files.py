"""Blocks that name a file by its path cost what its content does: that is what their clients send."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import pytest
from llama_index.core.base.llms.types import (
    AudioBlock,
    ChatMessage,
    CitableBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    VideoBlock,
)

from ctx_core import MessageError, TokenCounter
from ctx_core.conversation.transcript import read_natives
from llamaindex_ctx import ChatMessageCodec, files
from tests.contract.test_media_in_files import MP4, PDF, PNG, WAV
from tests.core.counting.test_lengths import PDFS, mp3

if TYPE_CHECKING:
    from pathlib import Path

FILES: Final[dict[str, tuple[type[Any], str, bytes]]] = {
    "pages.pdf": (DocumentBlock, "data", PDFS["compressed"]),
    "no_suffix": (DocumentBlock, "data", PDF),
    "notes.txt": (DocumentBlock, "data", b"The ferry leaves from the old pier at nine. " * 500),
    "picture.png": (ImageBlock, "image", PNG),
    "sound.wav": (AudioBlock, "audio", WAV),
    "talk.mp3": (AudioBlock, "audio", mp3(600)),
    "film.mp4": (VideoBlock, "video", MP4),
}


def cost(*blocks: Any) -> int:
    """Give what a message with these blocks costs."""
    messages = read_natives([ChatMessage(role="user", blocks=list(blocks))], ChatMessageCodec())
    return TokenCounter.for_model("gpt-4o").count_sequence(messages)


@pytest.mark.parametrize("name", FILES)
def test_a_block_with_a_path_costs_what_its_content_does(name: str, tmp_path: Path) -> None:
    """Whether the path is a text or not; so does one whose content is a stream in memory."""
    kind, field, content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    expected = cost(kind(**{field: content}))
    assert cost(kind(path=path)) == cost(kind(path=str(path))) == cost(kind(**{field: BytesIO(content)})) == expected


def test_what_may_be_quoted_from_a_file_costs_its_content(tmp_path: Path) -> None:
    """A document inside of another block."""
    path = tmp_path / "pages.pdf"
    path.write_bytes(PDFS["compressed"])
    about = {"title": "A", "source": "B"}
    assert cost(CitableBlock(content=[DocumentBlock(path=path)], **about)) == cost(
        CitableBlock(content=[DocumentBlock(data=PDFS["compressed"])], **about)
    )


def test_a_content_comes_before_a_path_and_a_path_before_an_address(tmp_path: Path) -> None:
    """As LlamaIndex takes them."""
    path = tmp_path / "pages.pdf"
    path.write_bytes(PDFS["compressed"])
    content, address = b"The ferry leaves at nine.", "https://example.com/a.pdf"
    assert cost(DocumentBlock(data=content, path=path)) == cost(DocumentBlock(data=content))
    assert cost(DocumentBlock(path=path, url=address)) == cost(DocumentBlock(data=PDFS["compressed"]))


def test_a_block_with_a_path_goes_out_as_it_came(tmp_path: Path) -> None:
    """Its content is not put into it."""
    path = tmp_path / "picture.png"
    path.write_bytes(PNG)
    message = ChatMessage(role="user", blocks=[TextBlock(text="Look."), ImageBlock(path=path)])
    (read,) = read_natives([message], ChatMessageCodec())
    assert ChatMessageCodec().write(read) is message
    assert message.blocks[1].image is None  # type: ignore[union-attr]


@pytest.mark.parametrize("path", ["gone.pdf", ".", "/dev/zero", "\0", "empty.pdf"])
def test_what_cannot_be_read_has_the_price_of_an_address(path: str, tmp_path: Path) -> None:
    """Its client says what is wrong with it: a file that is gone, a folder, a device, no path at all, no content."""
    (tmp_path / "empty.pdf").touch()
    block = DocumentBlock(path=str(tmp_path / path), document_mimetype="application/pdf")
    assert cost(block) == cost(DocumentBlock(url="https://example.com/a.pdf"))


def test_a_file_that_is_too_large_is_an_error_with_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not read; how large it is, and what to do."""
    monkeypatch.setattr(files, "_MOST", 100)
    (tmp_path / "film.mp4").write_bytes(b"\0" * 101)
    with pytest.raises(MessageError, match=r"a file of 101 bytes, and no more than 100 .* `url`"):
        cost(VideoBlock(path=tmp_path / "film.mp4"))
