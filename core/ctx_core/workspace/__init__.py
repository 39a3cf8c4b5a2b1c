"""A workspace agent's files as layers of the context."""

from ctx_core.workspace.layout import Layout
from ctx_core.workspace.loader import Workspace
from ctx_core.workspace.session import session_id, session_parts
from ctx_core.workspace.skills import Skill
from ctx_core.workspace.snapshot import WorkspaceSnapshot

__all__ = ["Layout", "Skill", "Workspace", "WorkspaceSnapshot", "session_id", "session_parts"]
