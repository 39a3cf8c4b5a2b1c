"""The faces as one: dicts in, through the framework's own messages and the real face, and dicts out to be judged.

A conversation is opened once and sent as often as it has grown, as an application would. Every message carries its
number in `additional_kwargs`; what comes back as it was put in is the source dict itself, whatever copies a framework
has made of it meanwhile, and what comes back altered is the dict with what was altered.
"""

from __future__ import annotations

import contextlib
import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from llama_index.core.base.llms.types import (
    ChatMessage,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from ctx_core import (
    Context,
    ContextOverflowError,
    ContextReport,
    ContextSession,
    HistoryPolicy,
    Message,
    TokenCounter,
    WindowState,
    fit,
)
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, LangChainCodec
from llamaindex_ctx import ContextMemoryBuffer
from llamaindex_ctx.convert import ChatMessageCodec
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OpenAIMessage = dict[str, Any]

NUMBER: Final = "n"
"""Where a message's number stands, in a dict and in `additional_kwargs`."""


class Sent(NamedTuple):
    """What went out."""

    messages: list[OpenAIMessage]
    """The source's own dicts where nothing was altered."""
    tokens: int
    """Recounted from the framework's own messages."""
    report: ContextReport


class Conversation(ABC):
    """One conversation at a face, for as long as an application keeps it."""

    def __init__(self, limit: int, counter: TokenCounter, policy: HistoryPolicy, on_overflow: Any) -> None:
        """Open it."""
        self.limit = limit
        self.counter = counter
        self.policy = policy
        self.on_overflow = on_overflow
        self.reports: list[ContextReport] = []

    @abstractmethod
    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Send a request for the conversation as it is now, which goes on from what it was the last time."""

    def recount(self, messages: Sequence[Message]) -> int:
        """Count a request from scratch."""
        return self.counter.count_messages(messages)


class Core(Conversation):
    """No face at all, to compare them with."""

    state: WindowState = WindowState()

    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Fit the dicts themselves."""
        context: Context[OpenAIMessage] = fit(
            source, self.limit, counter=self.counter, policy=self.policy, state=self.state, on_overflow=self.on_overflow
        )
        self.state = context.state
        return Sent(context.messages, self.counter.count_messages(context.messages), context.report)


class Session(Conversation):
    """A session in both of its forms, which give the same: the keeping one, and the pure one with a state of JSON."""

    def __init__(self, limit: int, counter: TokenCounter, policy: HistoryPolicy, on_overflow: Any) -> None:
        """Open it."""
        super().__init__(limit, counter, policy, on_overflow)
        self.session = ContextSession[OpenAIMessage](
            budget=limit, counter=counter, policy=policy, on_overflow=on_overflow, on_report=self.reports.append
        )
        self.state: dict[str, Any] = {}

    def native(self, source: Sequence[OpenAIMessage]) -> list[OpenAIMessage]:
        """Give the dicts themselves."""
        return list(source)

    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Fit the dicts themselves."""
        context = self.session.fit(source)
        pure = self.session.fit(source, state=self.state)
        assert pure.messages == context.messages
        self.state = json.loads(json.dumps(pure.state.to_dict()))
        return Sent(context.messages, self.counter.count_messages(context.messages), context.report)


class LangChainConversation(Conversation):
    """What LangChain's faces have in common: its messages."""

    codec = LangChainCodec()

    def __init__(self, limit: int, counter: TokenCounter, policy: HistoryPolicy, on_overflow: Any) -> None:
        """Open it, with no message made yet."""
        super().__init__(limit, counter, policy, on_overflow)
        self.natives: list[BaseMessage] = []

    def native(self, source: Sequence[OpenAIMessage]) -> list[BaseMessage]:
        """Give LangChain's messages, made once for each of the source's."""
        self.natives += map(to_langchain, source[len(self.natives) :])
        return self.natives[: len(source)]

    def sent(self, source: Sequence[OpenAIMessage], messages: Sequence[BaseMessage]) -> Sent:
        """Give what went out, as dicts."""
        tokens = self.recount([self.codec.read(message) for message in messages])
        return Sent([from_langchain(message, source, self.natives) for message in messages], tokens, self.reports[-1])


class Runnable(LangChainConversation):
    """`ContextRunnable` by itself: a list in, a list out."""

    def __init__(self, limit: int, counter: TokenCounter, policy: HistoryPolicy, on_overflow: Any) -> None:
        """Make the step."""
        super().__init__(limit, counter, policy, on_overflow)
        self.step = ContextRunnable(
            limit,
            counter=counter,
            policy=policy,
            on_overflow=on_overflow,
            on_report=self.reports.append,
            provider="openai",  # whose shape the conversations have
        )

    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Invoke it."""
        return self.sent(source, self.step.invoke(self.native(source), {"configurable": {"session_id": "s"}}))


class Chain(Runnable):
    """`prompt | ContextRunnable | model`: what the model has received."""

    def __init__(self, limit: int, counter: TokenCounter, policy: HistoryPolicy, on_overflow: Any) -> None:
        """Make the chain."""
        super().__init__(limit, counter, policy, on_overflow)
        self.model = EchoModel()
        self.chain = ChatPromptTemplate.from_messages([MessagesPlaceholder("talk")]) | self.step | self.model

    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Run the chain."""
        self.chain.invoke({"talk": self.native(source)}, {"configurable": {"session_id": "s"}})
        return self.sent(source, self.model.received[-1])


class History(LangChainConversation):
    """`BudgetedChatMessageHistory`: what it shows of what was stored, and behind it the input that it has not seen."""

    def __init__(self, limit: int, counter: TokenCounter, policy: HistoryPolicy, on_overflow: Any) -> None:
        """Begin with nothing."""
        super().__init__(limit, counter, policy, on_overflow)
        self.history: BudgetedChatMessageHistory | None = None
        self.stored = 0
        self.states: dict[str, Any] = {}

    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Store all but the input, and read."""
        natives = self.native(source)
        reserve = self.counter.count_message(self.codec.read(natives[-1]))
        if reserve >= self.limit:
            raise ContextOverflowError(needed=reserve, limit=self.limit, layers={"current": reserve})
        # The reserve is for this input: another has another size, over the same store and the same memory of cuts.
        history = BudgetedChatMessageHistory(
            None if self.history is None else self.history.backing,
            self.limit,
            reserve=reserve,
            session="s",
            counter=self.counter,
            policy=self.policy,
            on_overflow=self.on_overflow,
            states=self.states,
            on_report=self.reports.append,
        )
        self.history = history
        history.add_messages(natives[self.stored : -1])
        self.stored = len(source) - 1
        try:
            return self.sent(source, [*history.messages, natives[-1]])
        except ContextOverflowError as error:
            needed = error.needed + reserve
            raise ContextOverflowError(needed=needed, limit=self.limit, layers=error.layers) from error


class LlamaIndexConversation(Conversation):
    """What the memory's two ways of use have in common."""

    codec = ChatMessageCodec()

    def __init__(self, limit: int, counter: TokenCounter, policy: HistoryPolicy, on_overflow: Any) -> None:
        """Begin with an empty memory."""
        super().__init__(limit, counter, policy, on_overflow)
        self.natives: list[ChatMessage] = []
        self.stored = 0
        self.memory = ContextMemoryBuffer.from_defaults(
            token_limit=limit, counter=counter, policy=policy, on_overflow=on_overflow
        )

    def native(self, source: Sequence[OpenAIMessage]) -> list[ChatMessage]:
        """Give LlamaIndex' messages, made once for each of the source's."""
        self.natives += map(to_llamaindex, source[len(self.natives) :])
        return self.natives[: len(source)]

    def put(self, messages: Sequence[ChatMessage]) -> None:
        """Put what is new."""
        self.memory.put_messages(messages[self.stored :])
        self.stored = len(messages)

    def sent(self, source: Sequence[OpenAIMessage], messages: Sequence[ChatMessage]) -> Sent:
        """Give what went out, as dicts."""
        report = self.memory.last_report
        assert report is not None
        tokens = self.recount([self.codec.read(message) for message in messages])
        return Sent([from_llamaindex(message, source, self.natives) for message in messages], tokens, report)


class Memory(LlamaIndexConversation):
    """`ContextMemoryBuffer` with the question stored, as agents do it."""

    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Put all, and get."""
        self.put(self.native(source))
        return self.sent(source, self.memory.get())


class AskedMemory(LlamaIndexConversation):
    """`ContextMemoryBuffer` that is told of the question, which the engine then sends itself."""

    def send(self, source: Sequence[OpenAIMessage]) -> Sent:
        """Put all but the question, get, and add it."""
        natives = self.native(source)
        self.put(natives[:-1])
        return self.sent(source, [*self.memory.get(input=natives[-1]), natives[-1]])


class Face(NamedTuple):
    """One way into the engine."""

    name: str
    open: Callable[[int, TokenCounter, HistoryPolicy, Any], Conversation]
    prepare: Callable[[Sequence[OpenAIMessage]], list[OpenAIMessage]]
    """Gives what it can express of a conversation."""


def as_it_is(messages: Sequence[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give all of it."""
    return list(messages)


def asked(messages: Sequence[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give a conversation that ends with a question, and waits for no tool before it."""
    talk = list(messages)
    question = talk.pop() if talk and talk[-1]["role"] == "user" else {"role": "user", "content": "So?"}
    if waits_for_a_tool(talk):
        talk.append({"role": "assistant", "content": "Stopped."})
    return [*talk, question]


def waits_for_a_tool(talk: Sequence[OpenAIMessage]) -> bool:
    """Whether a call is the last that was said."""
    spoken = [message for message in talk if message["role"] not in ("tool", "function")]
    return bool(spoken and (spoken[-1].get("tool_calls") or spoken[-1].get("function_call")))


def without_ids(messages: Sequence[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give a conversation whose messages have no ids: LlamaIndex' have none."""
    return [{key: value for key, value in message.items() if key != "id"} for message in messages]


def unanswered(messages: Sequence[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give a conversation in which a model is to speak next.

    Agents look at a memory once more behind their answer, and it gives way there rather than end the run.
    """
    talk = list(messages)
    while talk and talk[-1]["role"] == "assistant" and not talk[-1].get("tool_calls"):
        talk.pop()
    return talk


def told_apart(messages: Sequence[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give a conversation in which nobody asks the same twice.

    A memory is told of a question by its text alone: one that was asked before may be the one that is stored.
    """
    return [
        {**message, "content": _ending(message["content"], f" {at}?")} if message["role"] == "user" else message
        for at, message in enumerate(messages)
    ]


def _ending(content: Any, end: str) -> Any:
    return content + end if isinstance(content, str) else [*content, {"type": "text", "text": end}]


CORE: Final = Face("core", Core, as_it_is)
FACES: Final = (
    Face("session", Session, as_it_is),
    Face("runnable", Runnable, as_it_is),
    Face("chain", Chain, as_it_is),
    Face("history", History, asked),
    Face("memory", Memory, lambda messages: without_ids(unanswered(messages))),
    Face("asked memory", AskedMemory, lambda messages: told_apart(without_ids(asked(messages)))),
)


def to_langchain(message: OpenAIMessage) -> BaseMessage:
    """Give LangChain's message, as its integrations make it."""
    extra: dict[str, Any] = {NUMBER: message[NUMBER]}
    common: dict[str, Any] = {"content": message.get("content") or "", "additional_kwargs": extra}
    common |= {key: message[key] for key in ("id", "name") if key in message}
    match message["role"]:
        case "system":
            return SystemMessage(**common)
        case "developer":
            extra["__openai_role__"] = "developer"
            return SystemMessage(**common)
        case "user":
            return HumanMessage(**common)
        case "tool":
            return ToolMessage(tool_call_id=message.get("tool_call_id") or "", **common)
        case "function":
            return FunctionMessage(**common)
        case _:
            extra |= {key: message[key] for key in ("reasoning_content", "function_call") if key in message}
            return AIMessage(**common, **_langchain_calls(message))


def _langchain_calls(message: OpenAIMessage) -> dict[str, Any]:
    calls: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}
    for call in message.get("tool_calls") or ():
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        try:
            parsed = json.loads(arguments or "{}")
        except ValueError:
            malformed = {"id": call["id"], "name": name, "args": arguments, "error": None, "type": "invalid_tool_call"}
            calls["invalid_tool_calls"].append(malformed)
        else:
            calls["tool_calls"].append({"id": call["id"], "name": name, "args": parsed, "type": "tool_call"})
    return calls


def from_langchain(
    message: BaseMessage, source: Sequence[OpenAIMessage], natives: Sequence[BaseMessage]
) -> OpenAIMessage:
    """Give the dict of a message that went out."""
    at = message.additional_kwargs.get(NUMBER)
    if at is None:
        roles = {"human": "user", "ai": "assistant"}
        made: OpenAIMessage = {"role": roles.get(message.type, message.type), "content": message.content}
        if isinstance(message, ToolMessage):
            made["tool_call_id"] = message.tool_call_id
        return made | ({"name": message.name} if isinstance(message, FunctionMessage) else {})
    mine: OpenAIMessage = source[at]
    native = natives[at]
    if message == native:
        return mine
    altered = dict(mine)
    if message.content != native.content:
        altered["content"] = message.content
    if isinstance(message, ToolMessage) and message.tool_call_id:
        altered |= {"role": "tool", "tool_call_id": message.tool_call_id}
    if isinstance(message, AIMessage):
        calls = [*message.tool_calls, *message.invalid_tool_calls]
        _keep_calls(altered, [(call["id"], call["name"] or "", call["args"]) for call in calls])
    _keep_extra(altered, message.additional_kwargs)
    fields = ("name", "id", "response_metadata")
    altered |= {f"changed {field}": True for field in fields if getattr(message, field) != getattr(native, field)}
    return altered


def to_llamaindex(message: OpenAIMessage) -> ChatMessage:
    """Give LlamaIndex' message; every other one has its calls in blocks, as newer integrations have them."""
    kept = ("name", "tool_call_id", "function_call", "reasoning_content")
    extra: dict[str, Any] = {NUMBER: message[NUMBER]} | {key: message[key] for key in kept if key in message}
    content = message.get("content") or []
    blocks = [TextBlock(text=content)] if isinstance(content, str) else list(map(_llamaindex_block, content))
    calls = message.get("tool_calls") or []
    if message[NUMBER] % 2:
        blocks += [
            ToolCallBlock(
                tool_call_id=call["id"], tool_name=call["function"]["name"], tool_kwargs=call["function"]["arguments"]
            )
            for call in calls
        ]
    elif calls:
        extra["tool_calls"] = calls
    return ChatMessage(role=MessageRole(message["role"]), blocks=blocks, additional_kwargs=extra)


def _llamaindex_block(block: Any) -> Any:
    match block["type"]:
        case "thinking":
            return ThinkingBlock(content=block["thinking"], additional_information={"signature": block["signature"]})
        case "image_url":
            head, data = block["image_url"]["url"].split(";base64,")
            return ImageBlock(image=data.encode(), image_mimetype=head.removeprefix("data:"))
        case "file":
            data = block["file"]["file_data"].split(";base64,")[1]
            return DocumentBlock(data=data.encode(), document_mimetype="application/pdf")
        case _:
            return TextBlock(text=block["text"])


def from_llamaindex(
    message: ChatMessage, source: Sequence[OpenAIMessage], natives: Sequence[ChatMessage]
) -> OpenAIMessage:
    """Give the dict of a message that went out."""
    extra = message.additional_kwargs
    at = extra.get(NUMBER)
    texts = "".join(block.text for block in message.blocks if isinstance(block, TextBlock))
    if at is None:
        made: OpenAIMessage = {key: extra[key] for key in ("tool_call_id", "name") if key in extra}
        return {"role": message.role.value, "content": texts} | made
    mine: OpenAIMessage = source[at]
    native = natives[at]
    if message == native:
        return mine
    altered = dict(mine)
    said = [block for block in message.blocks if not isinstance(block, ToolCallBlock)]
    if said != [block for block in native.blocks if not isinstance(block, ToolCallBlock)]:
        altered["content"] = texts
    if "tool_call_id" in extra:
        altered["tool_call_id"] = extra["tool_call_id"]
    spelled = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    listed = [(call["id"], call["function"]) for call in extra.get("tool_calls", ())]
    in_blocks = [(block.tool_call_id, block.tool_name, _text(block.tool_kwargs)) for block in spelled]
    _keep_calls(altered, [*in_blocks, *((key, told["name"], told["arguments"]) for key, told in listed)])
    _keep_extra(altered, extra)
    return altered | {"role": message.role.value}


def _keep_calls(altered: OpenAIMessage, sent: list[tuple[str | None, str, Any]]) -> None:
    """Put in the place of the calls those that were sent, told by id, else by name: of equal ones the last are left."""
    calls: list[dict[str, Any]] = []
    for call in reversed(altered.get("tool_calls") or ()):
        name = call["function"]["name"]
        of_the_name = [at for at, told in enumerate(sent) if told[1] == name][::-1]
        at = next((at for at in of_the_name if sent[at][0] == call["id"]), next(iter(of_the_name), None))
        if at is not None:
            calls.insert(0, _as_told(call, *sent.pop(at)))
    new = [{"id": key, "function": {"name": name, "arguments": _text(told)}} for key, name, told in sent]
    altered.pop("tool_calls", None)
    if calls or new:
        altered["tool_calls"] = [*calls, *new]


def _as_told(call: dict[str, Any], key: str | None, name: str, arguments: Any) -> dict[str, Any]:
    """Give a call with the id and the arguments that were sent, itself where it has them."""
    own: Any = call["function"]["arguments"]
    if not isinstance(arguments, str):
        with contextlib.suppress(ValueError):
            own = json.loads(own or "{}")
    if own != arguments:
        return {**call, "id": key, "function": {"name": name, "arguments": _text(arguments)}}
    return call if key == call["id"] else {**call, "id": key}


def _text(arguments: Any) -> str:
    """Give arguments as a text."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _keep_extra(altered: OpenAIMessage, extra: dict[str, Any]) -> None:
    for key in ("reasoning_content", "function_call"):
        altered.pop(key, None)
        if key in extra:
            altered[key] = extra[key]
