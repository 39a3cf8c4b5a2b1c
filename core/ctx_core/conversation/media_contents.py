"""Contents of media, as the providers' blocks want them."""

from __future__ import annotations

import base64
import binascii
import mimetypes
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from ctx_core.conversation.document_texts import document_text, is_address
from ctx_core.conversation.media_formats import format_of
from ctx_core.conversation.parts import FilePart, ImagePart
from ctx_core.conversation.recognized_media import UNTOLD, media_type_in, media_type_of_content
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from ctx_core.conversation.parts import AudioPart, MediaPart


def address_of(part: MediaPart) -> str | None:
    """Give the address of a medium of which no content is at hand; None for all others."""
    told = part.data or (part.url if isinstance(part, ImagePart) else None)
    return told if isinstance(told, str) and is_address(told) else None


def base64_text(part: MediaPart, taker: str) -> str:
    """Give the content of a medium as base64 text.

    Args:
        part: the medium.
        taker: what takes it, for the error.

    Raises:
        MessageError: for one of which no content is at hand.
    """
    data = part.data or (part.url if isinstance(part, ImagePart) else None)
    if isinstance(data, bytes):
        return base64.b64encode(data).decode("ascii")
    if not data or is_address(data):
        found = "neither content nor address" if not data else "only an address, which is not taken there"
        msg = f"a medium ({part.noun}) for {taker} has {found}: give its bytes, or base64 text, in `data`"
        raise MessageError(msg)
    if data[:5].lower() != "data:":
        return data
    head, _, content = data.partition(",")
    return content if head.lower().endswith(";base64") else base64.b64encode(unquote_to_bytes(content)).decode("ascii")


def content_bytes(part: MediaPart, taker: str) -> bytes:
    """Give the content of a medium as bytes.

    Raises:
        MessageError: for one of which no content is at hand, or whose content is no base64.
    """
    if isinstance(part.data, bytes) and part.data:
        return part.data
    text = "".join(base64_text(part, taker).split())
    try:
        text = text.replace("-", "+").replace("_", "/").rstrip("=")
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        msg = (
            f"a medium ({part.noun}) for {taker} has {len(text):,} characters that are no base64: give bytes in `data`"
        )
        raise MessageError(msg) from error


def data_url(part: MediaPart, taker: str) -> str:
    """Give the content of a medium as a `data:` URL.

    Raises:
        MessageError: for one of which no content is at hand.
    """
    return f"data:{media_type_of(part)};base64,{base64_text(part, taker)}"


def picture_url(part: ImagePart, taker: str) -> str:
    """Give what a picture is shown by: its content as a `data:` URL, or its address where that is all there is.

    Raises:
        MessageError: for one of which neither is at hand.
    """
    if part.url and not part.data:
        return part.url
    return address_of(part) or data_url(part, taker)


def recording_of(part: AudioPart, taker: str) -> dict[str, str]:
    """Give a recording as OpenAI has it: its content, and the short name of its format.

    Raises:
        MessageError: for one of which no content is at hand.
    """
    return {"data": base64_text(part, taker), "format": recording_format(part)}


def recording_format(part: AudioPart) -> str:
    """Give the short name of a recording's format, such as `mp3`."""
    media_type = media_type_of(part)
    return format_of(part.noun, media_type) or media_type.partition("/")[2]


def media_type_of(part: MediaPart) -> str:
    """Give the media type: as it is told, by the address or by the content itself; else the usual one of its kind.

    A content is tested as it is where it is read, so that a document that counts as text goes out as text.
    """
    if part.media_type not in UNTOLD:
        return part.media_type or part.usual_type
    if isinstance(part, FilePart) and part.text is not None:
        return "text/plain"
    address = address_of(part)
    for found in (
        media_type_in(part.data),
        media_type_in(part.url) if isinstance(part, ImagePart) else None,
        mimetypes.guess_type(address)[0] if address else media_type_of_content(part.data),
    ):
        if found and found not in UNTOLD and (isinstance(part, FilePart) or found.startswith(f"{part.noun}/")):
            return found
    if isinstance(part, FilePart) and document_text(part) is not None:
        return "text/plain"
    return part.media_type or part.usual_type
