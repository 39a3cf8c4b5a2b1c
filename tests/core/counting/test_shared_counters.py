"""Counters are shared by threads, and count on in a process that was forked meanwhile."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest

from ctx_core import TokenCounter, register_tokenizer
from ctx_core.conversation.messages import Message, ToolCall
from ctx_core.counting import Calibration, TokenCount, unregister_tokenizer
from ctx_core.counting import calls as written

MODELS = ("gpt-4o", "gpt-4", "claude-sonnet-4-5", "llama-3.3-70b", "")
_PATIENCE = 20.0
"""Seconds after which a process that does not end is taken to hang."""


def texts(start: int) -> list[str]:
    """Give texts that no other thread has counted yet, and some that all have."""
    return [f"{start + at} {'word ' * (at % 90)}" for at in range(60)] + ["the same", "for all " * 60]


def test_threads_count_as_one_does() -> None:
    """Eight at once, on counters with one cache."""
    expected = [[TokenCounter.for_encoding("o200k_base").count_text(text) for text in texts(100 * n)] for n in range(8)]
    counter = TokenCounter.for_model("gpt-4o")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: [counter.count_text(text) for text in texts(100 * n)], range(8))) == expected


def test_registering_while_others_look_is_harmless() -> None:
    """A tokenizer may go while it is looked for."""
    done = Event()

    def look() -> int:
        found = 0
        while not done.is_set():
            found += TokenCounter.for_model("acme-thread-9").count_text("four") > 0
        return found

    with ThreadPoolExecutor(4) as pool:
        looking = [pool.submit(look) for _ in range(4)]
        for _ in range(2_000):
            register_tokenizer("acme-thread", len)
            unregister_tokenizer("acme-thread")
        done.set()
        assert all(one.result() for one in looking)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_counters_survive_a_fork() -> None:
    """Whatever the other threads held when it happened; the calibration too."""
    calibration = Calibration()
    counters = [TokenCounter.for_model(model, calibration=calibration) for model in MODELS]
    done = Event()

    def count() -> None:
        at = 0
        while not done.is_set():
            at += 1
            for counter in counters:
                counter.measure([{"role": "user", "content": f"{at} {'word ' * (at % 70)}"}])
                calibration.observe(counter.model or "acme", TokenCount(estimate=10, bound=12), billed=11)

    threads = [Thread(target=count, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(25):
            child = os.fork()
            if child == 0:  # pragma: no cover - in the other process
                status = 1
                try:
                    for counter in counters:
                        counter.measure([{"role": "user", "content": f"child {number}"}])
                    for model in MODELS:
                        TokenCounter.for_model(model).count_text(f"another {number}")
                    status = 0
                finally:
                    os._exit(status)
            assert ends_well(child)
    finally:
        done.set()
        for thread in threads:
            thread.join()


def ends_well(child: int) -> bool:
    """Whether a process ends without an error; one that hangs is ended."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5", "llama-3.3-70b"])
def test_the_json_of_a_call_is_priced_once(model: str, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read and written anew only when its arguments are new, however often the message is counted."""
    read: list[str] = []

    class Reading:
        dumps = staticmethod(json.dumps)

        @staticmethod
        def loads(text: str) -> object:
            read.append(text)
            return json.loads(text)

    monkeypatch.setattr(written, "json", Reading)
    counter = TokenCounter.for_model(model)
    made = tuple(ToolCall(name="f", id=str(at), arguments=f'{{"{model}": [{at}, {calls}]}}') for at in range(calls))
    message = Message.assistant("", tool_calls=made)
    first = counter.count_message(message)
    assert read
    times = len(read)
    assert counter.count_message(message) == first
    assert counter.measure([message]).bound > 0
    assert len(read) == times
