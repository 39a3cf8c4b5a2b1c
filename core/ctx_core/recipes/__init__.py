"""Five designs as declarations over the one engine: layers, budget and policies, no trimming of their own."""

from ctx_core.conversation.transcript import question_of
from ctx_core.recipes.assistant import Assistant, estimate, fits, word_counter
from ctx_core.recipes.assistant_report import AssistantReport, Section
from ctx_core.recipes.chat import Chat, ChatFigures, character_counter, chat_budget, cut_to_characters
from ctx_core.recipes.phased import Phased, PhasedFigures, phased_budget
from ctx_core.recipes.phases import PHASES, Phase, PhaseDefinition
from ctx_core.recipes.recipe import Recipe
from ctx_core.recipes.rolling import LARGE_RESULT, Rolling, RollingFigures, counter_for
from ctx_core.recipes.rolling_settings import RollingSettings, Switch
from ctx_core.recipes.session import session_messages
from ctx_core.recipes.work import Failure, Unit, Work
from ctx_core.recipes.workspace import WorkspaceAgent, WorkspaceFigures

__all__ = [
    "LARGE_RESULT",
    "PHASES",
    "Assistant",
    "AssistantReport",
    "Chat",
    "ChatFigures",
    "Failure",
    "Phase",
    "PhaseDefinition",
    "Phased",
    "PhasedFigures",
    "Recipe",
    "Rolling",
    "RollingFigures",
    "RollingSettings",
    "Section",
    "Switch",
    "Unit",
    "Work",
    "WorkspaceAgent",
    "WorkspaceFigures",
    "character_counter",
    "chat_budget",
    "counter_for",
    "cut_to_characters",
    "estimate",
    "fits",
    "phased_budget",
    "question_of",
    "session_messages",
    "word_counter",
]
