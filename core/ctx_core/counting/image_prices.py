"""What a picture costs, by its size in pixels and the detail that is asked for."""

from __future__ import annotations

import base64
import binascii
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from ctx_core.conversation.parts import ImagePart

_HEADER: Final = 65_536
"""Bytes of a picture that are decoded to find its size; a JPEG's may stand behind its preview."""

_LARGEST: Final = 65_535
"""Pixels an edge that a picture can have: more of them is a broken header."""

_ONE_TILE: Final = 384
"""Pixels up to which Gemini takes a picture as one tile."""

PriceKind: TypeAlias = Literal["tiles", "patches", "area", "gemini", "flat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePrice:
    """How a provider prices a picture. The formulas and the figures are the ones the providers publish."""

    kind: PriceKind = "tiles"
    """`tiles`: OpenAI's 512-pixel tiles; `patches`: OpenAI's 32-pixel patches; `area`: Claude's pixels;
    `gemini`: Gemini's tiles; `flat`: one price."""
    base: int = 85
    """Tokens of a picture in low detail, of every picture's overview, or of a tile of Gemini's."""
    unit: float = 170
    """Tokens of a tile, or factor on the number of patches, or pixels a token, or the flat price."""
    most: int = 1_536
    """Upper limit of patches, or of tokens."""

    def tokens(self, width: int, height: int, detail: str | None = None) -> int:
        """Give the price of a picture of this size in pixels."""
        match self.kind:
            case "tiles":
                return self.base if detail == "low" else self.base + round(self.unit * _tiles(width, height))
            case "patches":
                return math.ceil(min(self.most, _patches(width, height)) * self.unit) + 1
            case "area":
                width, height = _within(width, height, 1_568)
                return self.base + min(self.most, math.ceil(width * height / self.unit))
            case "gemini":
                return self.base * _gemini_tiles(width, height)
            case "flat":
                return round(self.unit)


def image_size(image: ImagePart) -> tuple[int, int] | None:
    """Give width and height in pixels, read from the picture's header; None where it is not at hand.

    Nothing is downloaded, and no more than the header is decoded.
    """
    data = _header(image.data) if image.data else _from_data_url(image.url)
    if not data:
        return None
    import imagesize  # type: ignore[import-untyped]  # it has no types of its own

    try:
        size: tuple[float, float] = imagesize.get(io.BytesIO(data))  # pyright: ignore[reportUnknownMemberType]  # as above
        width, height = size
    except Exception:  # noqa: BLE001 - whatever a broken picture makes it raise, its size is not known
        return None
    return (int(width), int(height)) if 0 < width <= _LARGEST and 0 < height <= _LARGEST else None


def _from_data_url(url: str | None) -> bytes | None:
    if url is None or url[:5].lower() != "data:" or ";base64," not in url[:200]:
        return None
    return _header(url.split(";base64,", 1)[1][: 2 * _HEADER])


def _header(data: str | bytes) -> bytes | None:
    if isinstance(data, bytes):
        return data[:_HEADER]
    if data[:5].lower() == "data:":
        return _from_data_url(data)
    text = data[: _HEADER * 4 // 3].rstrip("=")
    text = text[: len(text) // 4 * 4]
    try:
        return base64.b64decode(text, altchars=b"-_" if "-" in text or "_" in text else None)
    except (binascii.Error, ValueError):
        return None


def _within(width: int, height: int, edge: int) -> tuple[int, int]:
    shrink = min(1.0, edge / max(width, height))
    return max(1, int(width * shrink)), max(1, int(height * shrink))


def _tiles(width: int, height: int) -> int:
    width, height = _within(width, height, 2_048)
    shrink = min(1.0, 768 / min(width, height))
    return math.ceil(width * shrink / 512) * math.ceil(height * shrink / 512)


def _patches(width: int, height: int) -> int:
    return math.ceil(width / 32) * math.ceil(height / 32)


def _gemini_tiles(width: int, height: int) -> int:
    if max(width, height) <= _ONE_TILE:
        return 1
    side = max(256, min(768, min(width, height) / 1.5))
    return 1 + math.ceil(width / side) * math.ceil(height / side)
