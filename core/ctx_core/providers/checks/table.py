"""The check of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.providers.checks import calls, contents, items, limits, order, parameters, thinking
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.providers.checks.checked import Check

CHECKS: Final[Mapping[Kind, Check]] = {
    Kind.SYSTEM_LEADS: order.system_leads,
    Kind.SYSTEM_APART: order.system_apart,
    Kind.SYSTEM_PLACED: order.system_placed,
    Kind.SYSTEM_NOT_AFTER_ANSWER: order.system_not_after_answer,
    Kind.TAKES_NO_SYSTEM: order.takes_no_system,
    Kind.USER_BEGINS: order.user_begins,
    Kind.ALONE_IS_USER: order.alone_is_user,
    Kind.CALL_AFTER_USER: order.call_after_user,
    Kind.USER_ENDS: order.user_ends,
    Kind.ALTERNATES: order.alternates,
    Kind.NOT_USER_AFTER_TOOL: order.not_user_after_tool,
    Kind.CONTENT_PRESENT: contents.content_present,
    Kind.NOT_EMPTY: contents.not_empty,
    Kind.NOT_BLANK: contents.not_blank,
    Kind.NO_TRAILING_BLANKS: contents.no_trailing_blanks,
    Kind.ARGUMENTS_ARE_OBJECTS: calls.arguments_are_objects,
    Kind.IDS_PRESENT: calls.ids_present,
    Kind.IDS_PLAIN: calls.ids_plain,
    Kind.IDS_SHORT: calls.ids_short,
    Kind.IDS_UNIQUE: calls.ids_unique,
    Kind.NAMES_PLAIN: calls.names_plain,
    Kind.RESULTS_NAMED: calls.results_named,
    Kind.RESULTS_ARE_OBJECTS: calls.results_are_objects,
    Kind.CALLS_ANSWERED: calls.calls_answered,
    Kind.RESULTS_CALLED: calls.results_called,
    Kind.ANSWERS_ADJACENT: calls.answers_adjacent,
    Kind.ONE_RESULT_A_CALL: calls.one_result_a_call,
    Kind.PROVIDER_TOOLS_PAIRED: calls.provider_tools_paired,
    Kind.RESULTS_TOGETHER: calls.results_together,
    Kind.RESULTS_BEFORE_TEXT: calls.results_before_text,
    Kind.RESULTS_ALONE: calls.results_alone,
    Kind.CALLS_LAST: calls.calls_last,
    Kind.CALLS_OR_TEXT: calls.calls_or_text,
    Kind.CACHE_MARKS: contents.cache_marks,
    Kind.TOOLS_DEFINED: calls.tools_defined,
    Kind.DOCUMENT_WITH_TEXT: contents.document_with_text,
    Kind.THINKING_BOUND: thinking.thinking_bound,
    Kind.THINKING_UNMODIFIED: thinking.thinking_unmodified,
    Kind.LOOP_KEEPS_THINKING: thinking.loop_keeps_thinking,
    Kind.THINKING_SIGNED: thinking.thinking_signed,
    Kind.NO_LAST_THINKING: thinking.no_last_thinking,
    Kind.REASONING_FOLLOWED: items.reasoning_followed,
    Kind.CALLS_SIGNED: thinking.calls_signed,
    Kind.CALLS_KEEP_REASONING: thinking.calls_keep_reasoning,
    Kind.SOMETHING_SAID: order.something_said,
    Kind.ROLES_KNOWN: order.roles_known,
    Kind.PARAMETERS_KNOWN: parameters.parameters_known,
    Kind.PARAMETERS_PRESENT: parameters.parameters_present,
    Kind.PARAMETERS_FIT_MODEL: parameters.parameters_fit_model,
    Kind.CALLS_NOT_EMPTY_LIST: calls.calls_not_empty_list,
    Kind.TOOLS_FEW: parameters.tools_few,
    Kind.TOOL_CHOICE_FREE: parameters.tool_choice_free,
    Kind.TOOLS_WITHOUT_EFFORT: parameters.tools_without_effort,
    Kind.THINKING_SETTING: parameters.thinking_setting,
    Kind.PREFILL_WITHOUT_THINKING: thinking.prefill_without_thinking,
    Kind.TOOL_CHOICE_WITHOUT_THINKING: parameters.tool_choice_without_thinking,
    Kind.THINKING_BUDGET: parameters.thinking_budget,
    Kind.HEADERS_PRESENT: parameters.headers_present,
    Kind.ITEMS_KNOWN: items.items_known,
    Kind.CONTENT_OF_ROLE: items.content_of_role,
    Kind.ITEMS_UNIQUE: items.items_unique,
    Kind.ITEMS_STORED: items.items_stored,
    Kind.RESPONSE_KNOWN: items.response_known,
    Kind.SIGNATURES_VALID: thinking.signatures_valid,
    Kind.PREFIX_IS_LAST: order.prefix_is_last,
    Kind.FITS_WINDOW: limits.fits_window,
    Kind.ANSWER_FITS_MODEL: limits.answer_fits_model,
}
"""By what the rule is about."""
