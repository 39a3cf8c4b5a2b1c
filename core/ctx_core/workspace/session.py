"""Names of sessions: one for each chat of each channel."""

from __future__ import annotations

from typing import Final

from ctx_core.clean import is_clean
from ctx_core.errors import BudgetError

_FORBIDDEN: Final = frozenset("/\\")


def session_id(channel: str, chat_id: str | int) -> str:
    """Give `{channel}_{chat_id}`, which is safe as a file's name.

    Args:
        channel: such as `telegram`; without an underscore, so that the id can be taken apart again.
        chat_id: the chat's id on that channel.

    Raises:
        BudgetError: if one is empty, or has a character that cannot be in it.
    """
    chat = str(chat_id)
    if not channel or not chat or "_" in channel:
        msg = "a session needs a channel without underscores and a chat id; one is empty or the channel has one"
        raise BudgetError(msg)
    if channel.startswith(".") or _FORBIDDEN & set(channel + chat) or not is_clean(channel + chat):
        msg = "a channel or chat id has a slash, a control or an invisible character, or begins with a dot"
        raise BudgetError(msg)
    return f"{channel}_{chat}"


def session_parts(session: str) -> tuple[str, str]:
    """Give channel and chat id of a session's id.

    Raises:
        BudgetError: if it has not that form.
    """
    channel, mark, chat = session.partition("_")
    if not mark or session_id(channel, chat) != session:
        msg = "a session id is {channel}_{chat_id}, found no underscore in it"
        raise BudgetError(msg)
    return channel, chat
