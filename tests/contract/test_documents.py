"""A document costs the same on every face, whatever it is and however the framework spells it."""

from __future__ import annotations

import base64

import pytest
from langchain_core.messages import HumanMessage
from llama_index.core.base.llms.types import ChatMessage, DocumentBlock

from ctx_core import TokenCounter
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

COUNTER = TokenCounter.for_encoding("o200k_base")
PDF = b"%PDF-1.7\n" + b"<< /Type /Page >>\n" * 40 + b"\xff\xfe" * 900_000


@pytest.mark.parametrize(
    ("media_type", "content"),
    [
        ("application/csv", b"day,ferry\nmonday,16:40\n" * 99),
        ("text/plain", b"words and words " * 99),
        ("application/json", b'{"a": 1}' * 50),
        ("application/yaml", b"a: 1\n" * 50),
        ("application/pdf", PDF),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"PK\x03\x04" + b"\0" * 5_000),
    ],
)
def test_a_document_costs_the_same_on_every_face(media_type: str, content: bytes) -> None:
    """Its text where it is text, else a price by its size and its pages."""
    told = base64.b64encode(content).decode()
    langchain = HumanMessage([{"type": "file", "base64": told, "mime_type": media_type}])
    llamaindex = ChatMessage(role="user", blocks=[DocumentBlock(data=content, document_mimetype=media_type)])
    openai = {
        "role": "user",
        "content": [{"type": "file", "file": {"filename": "a", "file_data": f"data:{media_type};base64,{told}"}}],
    }
    costs = {
        COUNTER.count_message(LangChainCodec().read(langchain)),
        COUNTER.count_message(ChatMessageCodec().read(llamaindex)),
        COUNTER.count_messages([openai]) - COUNTER.primer,
    }
    assert len(costs) == 1
