"""Short names of formats, such as `mp3` and `docx`, by media type: Bedrock's, and OpenAI's of recordings."""

from __future__ import annotations

from typing import Final

_WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_EXCEL: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FORMATS: Final = {
    "document": {
        "application/pdf": "pdf",
        "text/plain": "txt",
        "text/csv": "csv",
        "application/csv": "csv",
        "text/markdown": "md",
        "text/x-markdown": "md",
        "text/html": "html",
        "application/xhtml+xml": "html",
        "application/msword": "doc",
        _WORD: "docx",
        "application/vnd.ms-excel": "xls",
        _EXCEL: "xlsx",
        "application/json": "txt",
        "application/xml": "txt",
        "application/yaml": "txt",
        "application/x-yaml": "txt",
    },
    "image": {"image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp"},
    "audio": {
        "audio/wav": "wav",
        "audio/x-wav": "wav",
        "audio/wave": "wav",
        "audio/vnd.wave": "wav",
        "audio/mpeg": "mp3",
        "audio/mp3": "mp3",
        "audio/mpga": "mp3",
        "audio/mp4": "mp4",
        "audio/m4a": "m4a",
        "audio/x-m4a": "m4a",
        "audio/aac": "aac",
        "audio/x-aac": "aac",
        "audio/flac": "flac",
        "audio/x-flac": "flac",
        "audio/ogg": "ogg",
        "audio/opus": "opus",
        "audio/webm": "webm",
        "audio/x-matroska": "mka",
        "audio/mkv": "mkv",
        "audio/pcm": "pcm",
    },
    "video": {
        "video/mp4": "mp4",
        "video/quicktime": "mov",
        "video/x-matroska": "mkv",
        "video/webm": "webm",
        "video/x-flv": "flv",
        "video/mpeg": "mpeg",
        "video/mpg": "mpg",
        "video/x-ms-wmv": "wmv",
        "video/3gpp": "three_gp",
    },
}
"""By Bedrock's kind of block. The first media type of a format is the one that is read."""


def format_of(kind: str, media_type: str) -> str | None:
    """Give the format of a media type in a kind of block (document, image, audio, video); None where there is none."""
    plain = media_type.partition(";")[0].strip().lower()
    known, (family, _, short) = _FORMATS[kind], plain.partition("/")
    if plain in known:
        return known[plain]
    if short in known.values():
        return short
    return "txt" if kind == "document" and family == "text" else None


def formats_of(kind: str) -> tuple[str, ...]:
    """Give all formats of a kind of block."""
    return tuple(dict.fromkeys(_FORMATS[kind].values()))


def media_type_of_format(kind: str, form: str) -> str:
    """Give the media type of a format in a kind of block."""
    known = next((media_type for media_type, one in _FORMATS[kind].items() if one == form), None)
    return known or f"{'application' if kind == 'document' else kind}/{form}"
