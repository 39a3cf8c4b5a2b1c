"""Five designs as declarations over the one engine: layers, budget and policies, no trimming of their own."""

from ctx_core.conversation.transcript import question_of
from ctx_core.recipes.assistant import Assistant, fits
from ctx_core.recipes.assistant_report import AssistantReport, Section
from ctx_core.recipes.chat import Chat, ChatFigures, chat_budget
from ctx_core.recipes.phased import Phased, phased_budget
from ctx_core.recipes.recipe import Recipe
from ctx_core.recipes.rolling import Rolling, RollingFigures, counter_for
from ctx_core.recipes.session import session_messages
from ctx_core.recipes.work import Failure, Phase, Unit, Work
from ctx_core.recipes.workspace import WorkspaceAgent

__all__ = [
    "Assistant",
    "AssistantReport",
    "Chat",
    "ChatFigures",
    "Failure",
    "Phase",
    "Phased",
    "Recipe",
    "Rolling",
    "RollingFigures",
    "Section",
    "Unit",
    "Work",
    "WorkspaceAgent",
    "chat_budget",
    "counter_for",
    "fits",
    "phased_budget",
    "question_of",
    "session_messages",
]
