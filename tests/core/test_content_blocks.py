"""Content blocks in the spellings of all providers."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import MessageError
from ctx_core.conversation.content_blocks import read_block, read_content
from ctx_core.conversation.fields import arguments_text, visible_text
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    VideoPart,
)

CODEC = OpenAICodec()

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (None, ()),
        ("", ()),
        ([], ()),
        ("hi", (TextPart("hi"),)),
        (["hi", "there"], (TextPart("hi"), TextPart("there"))),
        ([{"type": "text", "text": "hi"}, "there"], (TextPart("hi"), TextPart("there"))),
        (({"type": "text", "text": "hi"},), (TextPart("hi"),)),
    ],
)
def test_contents_of_every_shape_are_read(content: object, parts: tuple[Part, ...]) -> None:
    """Null, a string, and a list of strings and blocks."""
    assert read_content(content) == CODEC.read({"role": "user", "content": content}).parts == parts


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (3, "content must be null, a string or a list of parts, found int"),
        ({"type": "text", "text": "secret"}, "found dict"),
        ([3], "a content part must be a string or a dict, found int"),
        ([None], "found NoneType"),
    ],
)
def test_contents_of_no_known_shape_are_refused(content: object, found: str) -> None:
    """The error names the type that was found."""
    with pytest.raises(MessageError, match=found) as caught:
        CODEC.read({"role": "user", "content": content})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "hi"}, TextPart("hi")),
        ({"type": "input_text", "text": "hi"}, TextPart("hi")),
        ({"type": "output_text", "text": "hi"}, TextPart("hi")),
        ({"type": "refusal", "refusal": "no"}, TextPart("no")),
        ({"type": "text", "text": None}, TextPart("")),
        ({"type": "image_url", "image_url": {"url": "u", "detail": "low"}}, ImagePart(url="u", detail="low")),
        ({"type": "image_url", "image_url": "u"}, ImagePart(url="u")),
        ({"type": "input_image", "image_url": "u", "detail": "high"}, ImagePart(url="u", detail="high")),
        ({"type": "image", "base64": "AA", "mime_type": "image/png"}, ImagePart(data="AA", media_type="image/png")),
        ({"type": "image", "url": "u"}, ImagePart(url="u")),
        (
            {"type": "image", "source": {"type": "base64", "data": "AA", "media_type": "image/png"}},
            ImagePart(data="AA", media_type="image/png"),
        ),
        ({"type": "image", "source": {"type": "url", "url": "u"}}, ImagePart(url="u")),
        (
            {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
            AudioPart(data="AA", media_type="audio/wav"),
        ),
        ({"type": "audio", "base64": "AA", "mime_type": "audio/wav"}, AudioPart(data="AA", media_type="audio/wav")),
        ({"type": "video", "url": "u", "mime_type": "video/mp4"}, VideoPart(media_type="video/mp4")),
        ({"type": "file", "file": {"file_id": "f"}}, FilePart()),
        ({"type": "text-plain", "text": "hi", "mime_type": "text/plain"}, FilePart(text="hi", media_type="text/plain")),
        (
            {"type": "document", "source": {"type": "text", "data": "hi", "media_type": "text/plain"}},
            FilePart(text="hi", media_type="text/plain"),
        ),
        (
            {"type": "document", "source": {"type": "base64", "data": "AA", "media_type": "application/pdf"}},
            FilePart(data="AA", media_type="application/pdf"),
        ),
        ({"type": "media", "mime_type": "image/png", "data": "AA"}, ImagePart(data="AA", media_type="image/png")),
        ({"inline_data": {"mime_type": "audio/wav", "data": "AA"}}, AudioPart(data="AA", media_type="audio/wav")),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "gs://v"}}, VideoPart(media_type="video/mp4")),
        (
            {"image": {"format": "png", "source": {"bytes": b"AA"}}},
            ImagePart(data=b"AA", media_type="image/png"),
        ),
        (
            {"document": {"format": "txt", "name": "a", "source": {"bytes": b"hi"}}},
            FilePart(data=b"hi", media_type="text/plain"),
        ),
        (
            {"document": {"format": "pdf", "name": "a", "source": {"bytes": b"%PDF"}}},
            FilePart(data=b"%PDF", media_type="application/pdf"),
        ),
        (
            {"document": {"format": "txt", "name": "a", "source": {"text": "hi"}}},
            FilePart(text="hi", media_type="text/plain"),
        ),
        ({"text": "hi"}, TextPart("hi")),
        ({"text": ""}, TextPart("")),
        ({"json": {"a": [1, 2]}}, TextPart('{"a":[1,2]}')),
        ({"type": "json", "json": {"a": [1, 2]}}, TextPart('{"a":[1,2]}')),
        ({"thought": "hm", "action": "go"}, OpaquePart(text='{"thought":"hm","action":"go"}')),
        ({"text": "ok", "details": ["a", "b"]}, OpaquePart(text='{"text":"ok","details":["a","b"]}')),
        ({"json": {"a": 1}, "b": "c"}, OpaquePart(text='{"json":{"a":1},"b":"c"}')),
        (
            {"guardContent": {"text": {"text": "hi", "qualifiers": ["query"]}}},
            TextPart("hi"),
        ),
        (
            {"guardContent": {"image": {"format": "png", "source": {"bytes": b"AA"}}}},
            ImagePart(data=b"AA", media_type="image/png"),
        ),
        ({"searchResult": {"content": [{"text": "hi"}]}}, OpaquePart(kind="search_result", text="hi")),
        (
            {"type": "document", "document": {"format": "txt", "name": "a", "source": {"bytes": b"hi"}}},
            FilePart(data=b"hi", media_type="text/plain"),
        ),
        (
            {"type": "document", "document": {"format": "md", "name": "a", "source": {"content": [{"text": "hi"}]}}},
            FilePart(text="hi", media_type="text/markdown"),
        ),
        (
            {"type": "file", "file": {"source": {"of": "ours"}, "file_data": "AA"}},
            FilePart(data="AA", inside=(OpaquePart(text='{"file":{"source":{"of":"ours"}}}'),)),
        ),
        (
            {"type": "image", "image": {"format": "png", "source": {"bytes": b"AA"}}},
            ImagePart(data=b"AA", media_type="image/png"),
        ),
        (
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "hi"}]}},
            FilePart(text="hi"),
        ),
        (
            {"type": "document", "title": "t", "context": "c", "source": {"type": "text", "data": "hi"}},
            FilePart(text="t\nc\nhi"),
        ),
        (
            {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "s" * 99}},
            ReasoningPart("hm", encrypted=99, signed=True),
        ),
        ({"cachePoint": {"type": "default"}}, OpaquePart(kind="cachePoint")),
        ({"text": "hm", "thought": True}, ReasoningPart("hm")),
        ({"thought": True, "thoughtSignature": "s" * 99}, ReasoningPart("", encrypted=99)),
        (
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s" * 99}}},
            ReasoningPart("hm", encrypted=99, signed=True),
        ),
        (
            {"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": "s" * 99}},
            ReasoningPart("hm", encrypted=99, signed=True),
        ),
        (
            {"type": "computer_call_output", "output": {"image_url": "data:image/png;base64,AAAA"}},
            OpaquePart(
                kind="computer_call_output",
                text='{"type":"computer_call_output"}',
                inside=(ImagePart(data="data:image/png;base64,AAAA", media_type="image/png"),),
            ),
        ),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, ReasoningPart("hm")),
        ({"type": "thinking", "thinking": "hm", "signature": "s" * 99}, ReasoningPart("hm", encrypted=99, signed=True)),
        ({"type": "reasoning", "reasoning": "hm"}, ReasoningPart("hm")),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, ReasoningPart("hm")),
        ({"type": "redacted_thinking", "data": "s" * 99}, ReasoningPart("", encrypted=99, signed=True)),
        (
            {"type": "citation", "cited_text": "so", "url": "u"},
            CitationPart("so", inside=(OpaquePart(text='{"url":"u"}'),)),
        ),
        ({"type": "tool_use", "id": "c1", "name": "f", "input": {}}, OpaquePart(kind="tool_use", call_id="c1")),
        ({"type": "tool_call", "id": "c1", "name": "f", "args": {}}, OpaquePart(kind="tool_call", call_id="c1")),
        (
            {"type": "function_call", "id": "fc", "call_id": "c1", "name": "f"},
            OpaquePart(kind="function_call", call_id="c1"),
        ),
        (
            {"type": "search_result", "title": "t", "content": [{"type": "text", "text": "hi"}], "id": "x"},
            OpaquePart(kind="search_result", text="t hi"),
        ),
        ({"no": "type"}, OpaquePart(text='{"no":"type"}')),
    ],
)
def test_blocks_of_every_provider_are_read(block: dict[str, Any], part: Part) -> None:
    """Each spelling becomes the part that it is, and the block itself is kept beside it."""
    read = read_block(block)
    assert read == part
    assert read.raw is block


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("hi", "hi"),
        ({"a": "hi", "b": ["there", 3]}, "hi there 3"),
        ({"data": "AA", "url": "u", "signature": "s", "a": "hi"}, "hi"),
        ({"a": None, "b": object()}, ""),
        ({1: 2.5}, "2.5"),
    ],
)
def test_the_visible_text_is_what_a_model_reads(value: object, text: str) -> None:
    """Payloads, addresses and signatures are not."""
    assert visible_text(value) == text


def test_the_visible_text_of_a_circular_value_ends() -> None:
    """It goes so deep and no deeper."""
    circle: dict[str, Any] = {"a": "hi"}
    circle["b"] = circle
    assert set(visible_text(circle).split()) == {"hi"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (None, ""),
        ("not json", "not json"),
        ({"q": "中", "n": [1, 2]}, '{"q":"中","n":[1,2]}'),
        ([1], "[1]"),
    ],
)
def test_arguments_become_text(arguments: object, text: str) -> None:
    """Text is taken as it is, whatever it is; the rest is compact JSON."""
    assert arguments_text(arguments) == text


def test_arguments_that_json_cannot_hold_become_text_too() -> None:
    """A set or an object is written by its `str`, a circle by what is visible in it."""
    circle: dict[str, Any] = {"a": "hi"}
    circle["b"] = circle
    assert "7" in arguments_text({"ids": {7}})
    assert "hi" in arguments_text(circle)
