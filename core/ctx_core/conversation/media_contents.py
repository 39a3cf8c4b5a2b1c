"""Contents of media, as the providers' blocks want them."""

from __future__ import annotations

import base64
import binascii
import mimetypes
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from ctx_core.conversation.messages import FilePart, ImagePart
from ctx_core.conversation.recognized_media import media_type_in
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from ctx_core.conversation.messages import MediaPart

_ADDRESS: Final = re.compile(r"(?!data:)[a-z][a-z0-9+.-]*://?", re.IGNORECASE)
"""How an address begins, which no base64 does."""


def address_of(part: MediaPart) -> str | None:
    """Give the address of a medium of which no content is at hand; None for all others."""
    told = part.data or (part.url if isinstance(part, ImagePart) else None)
    return told if isinstance(told, str) and _ADDRESS.match(told) else None


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
    if not data or _ADDRESS.match(data):
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


def media_type_of(part: MediaPart) -> str:
    """Give the media type, or the usual one of its kind where it is not known."""
    if part.media_type is not None:
        return part.media_type
    if isinstance(part, FilePart) and part.text is not None:
        return "text/plain"
    told = media_type_in(part.data) or (media_type_in(part.url) if isinstance(part, ImagePart) else "")
    address = address_of(part)
    guessed = mimetypes.guess_type(address)[0] if address and not told else None
    fitting = guessed and (guessed.startswith(f"{part.noun}/") or isinstance(part, FilePart))
    return told or (guessed if guessed and fitting else part.usual_type)
