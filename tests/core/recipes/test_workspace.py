"""Recipe 3, the workspace agent: a test for every line of it."""

from __future__ import annotations

import copy
import os
import pickle
import tracemalloc
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import ContextBudget, ContextOverflowError, Message, Role, TokenCounter, WindowState
from ctx_core.counting import FourCharacters
from ctx_core.recipes import WorkspaceAgent
from ctx_core.workspace import Workspace, session_id, session_parts

if TYPE_CHECKING:
    from pathlib import Path

COUNTER = TokenCounter(FourCharacters())
NOW = datetime(2026, 11, 27, 14, 30, tzinfo=UTC)
TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks something up.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}
FILES = {
    "SOUL.md": "You are Mira.",
    "AGENTS.md": "Be kind.",
    "TOOLS.md": "look_up(query): finds things. Example: look_up('tea')",
    "memory/MEMORY.md": "# Memory\n\n- Likes green tea\n- Lives in Porto\n- Has a cat called Ada\n",
    "skills/brew/SKILL.md": "---\nname: brew\ndescription: Brews tea.\n---\nSecret steps.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a workspace with every kind of file."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


class Tenant(Workspace):
    """A workspace that belongs to somebody."""

    def __init__(self, tenant: str, folder: Path) -> None:
        """Take whose it is."""
        super().__init__(folder)
        self.tenant = tenant


def agent(folder: Path | str, **options: Any) -> WorkspaceAgent:
    """Give the recipe with a fixed clock."""
    options.setdefault("workspace", Workspace(folder))
    return WorkspaceAgent(counter=COUNTER, clock=lambda: NOW, version="1.2", environment="test", **options)


def prompt(folder: Path | str, question: str = "hi", **options: Any) -> str:
    """Give the system prompt for a question."""
    return agent(folder, **options).build(message=question).system_prompt


def talk(turns: int, characters: int = 38) -> list[dict[str, Any]]:
    """Give turns of a question and an answer, numbered."""
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": f"{at:03}" + "x" * (characters - 3)} for at in range(2 * turns)]


def test_the_order_exactly(folder: Path) -> None:
    """System, bootstrap, long-term memory, skills, tools, history, current message."""
    context = agent(folder).build(talk(1), "tea?", tools=[TOOL])
    marks = ("You are Mira.", "Date and time:", "Relevant memories:", "Available skills:", "Available tools:")
    places = [context.system_prompt.index(mark) for mark in marks]
    assert places == sorted(places)
    roles = [message["role"] for message in context.messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert context.messages[-1]["content"] == "tea?"


def test_system_is_soul_blank_line_agents(folder: Path) -> None:
    """Personality, then behavior."""
    assert prompt(folder).startswith("You are Mira.\n\nBe kind.\n\n")


@pytest.mark.parametrize("missing", ["SOUL.md", "AGENTS.md"])
def test_either_missing_is_a_minimal_default(folder: Path, missing: str) -> None:
    """The other stays."""
    (folder / missing).unlink()
    text = prompt(folder)
    there = "Be kind." if missing == "SOUL.md" else "You are Mira."
    assert there in text
    assert FILES[missing] not in text
    assert len(text.split("\n\n")[0 if missing == "SOUL.md" else 1]) > 10


@pytest.mark.parametrize(
    "line",
    ["Date and time: 2026-11-27 14:30 UTC", "Version: 1.2", "Tools: 1", "Workspace: {folder}", "Environment: test"],
    ids=["date and time", "version", "number of tools", "workspace path", "environment"],
)
def test_bootstrap(folder: Path, line: str) -> None:
    """What the agent is told of itself."""
    text = agent(folder).build(message="hi", tools=[TOOL]).system_prompt
    assert line.replace("{folder}", str(folder)) in text.splitlines()


def test_bootstrap_has_defaults(folder: Path) -> None:
    """Version and environment are those of the package and the machine."""
    text = WorkspaceAgent(workspace=Workspace(folder)).build(message="hi").system_prompt
    assert "Version: ctx-layers " in text
    assert "Environment: " in text


def test_memory_is_ranked_by_the_current_message(folder: Path) -> None:
    """The entry that fits comes first, under its heading."""
    lines = prompt(folder, "Where does she live? In Porto?").splitlines()
    assert "Porto" in lines[lines.index("Relevant memories:") + 1]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_memory_has_at_most_n_entries(folder: Path, most: int) -> None:
    """N is configurable."""
    assert agent(folder, max_memories=most).build(message="tea").report.layer("memory").items == most


def test_memory_missing_is_skipped(folder: Path) -> None:
    """With its heading."""
    (folder / "memory/MEMORY.md").unlink()
    assert "Relevant memories:" not in prompt(folder)


def test_memory_is_read_fresh_every_time(folder: Path) -> None:
    """An entry that was just added is there."""
    recipe = agent(folder)
    recipe.build(message="hi")
    (folder / "memory/MEMORY.md").write_text("- Moved to Faro\n", encoding="utf-8")
    assert "Moved to Faro" in recipe.build(message="hi").system_prompt


def test_skills_list_only_name_and_description(folder: Path) -> None:
    """The text of a skill stays in its file."""
    text = prompt(folder)
    assert "Available skills:\n- brew: Brews tea." in text
    assert "Secret steps." not in text


def test_a_malformed_skill_is_skipped_with_a_warning(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The others are listed."""
    (folder / "skills/odd").mkdir()
    (folder / "skills/odd/SKILL.md").write_text("no front matter", encoding="utf-8")
    text = prompt(folder)
    assert "odd" not in text
    assert "- brew: Brews tea." in text
    assert [r.levelname for r in caplog.records] == ["WARNING"]


def test_no_skills_folder_is_skipped(folder: Path) -> None:
    """With its heading."""
    (folder / "skills/brew/SKILL.md").unlink()
    assert "Available skills:" not in prompt(folder)


def test_skills_are_scanned_every_time(folder: Path) -> None:
    """A new one is there."""
    recipe = agent(folder)
    recipe.build(message="hi")
    (folder / "skills/bake").mkdir()
    (folder / "skills/bake/SKILL.md").write_text("---\nname: bake\ndescription: Bakes.\n---\n", encoding="utf-8")
    assert "- bake: Bakes." in recipe.build(message="hi").system_prompt


def test_tools_are_those_of_the_file(folder: Path) -> None:
    """Under their heading."""
    assert "Available tools:\nlook_up(query): finds things. Example: look_up('tea')" in prompt(folder)


def test_tools_missing_are_generated_from_the_schemas(folder: Path) -> None:
    """Name, description and parameters."""
    (folder / "TOOLS.md").unlink()
    text = agent(folder).build(message="hi", tools=[TOOL]).system_prompt
    assert "Available tools:\n- look_up: Looks something up.\n  - query (string)" in text


@pytest.mark.parametrize("name", ["SOUL.md", "AGENTS.md"])
def test_soul_and_agents_are_noticed_when_changed(folder: Path, name: str) -> None:
    """Within the life of the cache."""
    recipe = agent(folder)
    recipe.build(message="hi")
    (folder / name).write_text("You are someone else now.", encoding="utf-8")
    os.utime(folder / name, ns=(1, 1))
    assert "You are someone else now." in recipe.build(message="hi").system_prompt


def test_history_is_the_50_most_recent_messages(folder: Path) -> None:
    """Of a longer one, the last; the current message is not one of them."""
    context = agent(folder).build(talk(60), "new")
    assert [message["content"][:3] for message in context.conversation[:-1]] == [f"{at:03}" for at in range(70, 120)]


def test_roles_tool_calls_and_results_are_preserved(folder: Path) -> None:
    """The very objects."""
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
        {"role": "assistant", "content": "Here."},
    ]
    context = agent(folder).build(history, "thanks")
    assert all(mine is theirs for mine, theirs in zip(context.conversation, history, strict=False))


def test_an_unknown_role_counts_as_user(folder: Path) -> None:
    """In a copy; the history is as it was."""
    history: list[dict[str, Any]] = [{"role": "narrator", "content": "Once upon a time"}]
    context = agent(folder).build(history, "go on")
    assert context.conversation[0] == {"role": "user", "content": "Once upon a time"}
    assert history == [{"role": "narrator", "content": "Once upon a time"}]


@pytest.mark.parametrize(
    "history", [[{"content": "no role"}], [{"role": "user", "content": 7}], [{"role": None}, None]]
)
def test_a_damaged_history_is_empty_with_a_warning(
    folder: Path, history: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    """And no crash."""
    context = agent(folder).build(history, "hi")
    assert [message["content"] for message in context.conversation] == ["hi"]
    assert any(record.levelname == "WARNING" and "history" in record.getMessage() for record in caplog.records)


def test_session_ids_are_channel_and_chat_id() -> None:
    """There and back."""
    assert session_id("telegram", 42) == "telegram_42"
    assert session_parts("telegram_42") == ("telegram", "42")


def test_the_limit_is_4_000_tokens(folder: Path) -> None:
    """By default."""
    assert agent(folder).budget.input_limit == 4_000
    assert agent(folder).build(talk(25, 400), "new").tokens <= 4_000


def test_over_the_limit_the_oldest_history_goes_first(folder: Path) -> None:
    """All memories are still there."""
    context = agent(folder).build(talk(25, 400), "new")
    assert context.report.history.omitted > 0
    assert context.report.layer("memory").left_out == 0
    assert context.conversation[0]["content"].startswith(f"{context.report.history.omitted:03}")


def test_then_the_least_relevant_memories(folder: Path) -> None:
    """Once the current message needs their room; skills stay as long as there are memories."""
    entries = "\n".join(f"- fact {at} about {'porto' if at == 7 else 'nothing'} {'x' * 350}" for at in range(20))
    (folder / "memory/MEMORY.md").write_text(entries, encoding="utf-8")
    context = agent(folder).build(talk(5), "porto " + "n" * 4 * 3_300)
    report = context.report
    assert report.history.omitted > 0
    assert 0 < report.layer("memory").items < 20
    assert "about porto" in context.system_prompt
    assert report.layer("skills").left_out == 0


def test_never_system_bootstrap_or_current_message(folder: Path) -> None:
    """They are there to the last token, and then it is an overflow."""
    recipe = agent(folder)
    new = "n" * 4 * 3_850
    context = recipe.build(talk(25), new)
    assert "You are Mira." in context.system_prompt
    assert "Date and time:" in context.system_prompt
    assert context.messages[-1]["content"] == new
    with pytest.raises(ContextOverflowError):
        recipe.build(talk(25), "n" * 4 * 3_950)


def test_built_step_by_step_with_chained_calls(folder: Path) -> None:
    """The recipe's builder takes further calls, and ends in build()."""
    context = agent(folder).builder("tea").summary("They met.").build(message="tea?")
    assert context.system_prompt.endswith("Summary of the conversation so far:\nThey met.\n</data>")


async def test_files_are_read_without_blocking_and_the_sync_door_gives_the_same(folder: Path) -> None:
    """Both doors, one declaration."""
    recipe = agent(folder)
    one = await recipe.abuild(talk(3), "tea", tools=[TOOL])
    two = recipe.build(talk(3), "tea", tools=[TOOL])
    assert one.messages == two.messages
    assert one.report == two.report


def test_a_large_file_is_read_in_pieces(folder: Path) -> None:
    """Of a memory over 1 MB, the entry that fits is found."""
    entries = "".join(f"- entry {at} {'x' * 60}\n" for at in range(20_000)) + "- The zanzibar entry\n"
    (folder / "memory/MEMORY.md").write_text(entries, encoding="utf-8")
    assert "The zanzibar entry" in prompt(folder, "zanzibar")


def test_what_changes_can_be_placed_last(folder: Path) -> None:
    """Date and memories then stand behind the history, and the system prompt stays the same from turn to turn."""
    recipe = agent(folder, volatile_last=True)
    context = recipe.build(talk(1), "tea")
    assert "Date and time:" not in context.system_prompt
    assert "Date and time:" in context.conversation[-2]["content"]


def test_neutral_messages_are_taken_too(folder: Path) -> None:
    """As every recipe does."""
    context = agent(folder, budget=ContextBudget(2_000)).build([Message.user("a"), Message.assistant("b")], "c")
    assert [message.role for message in context.messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Reads and writes files.", "Capabilities: Reads and writes files."),
        ("- reads\n- writes", "Capabilities:\n- reads\n- writes"),
    ],
)
def test_capabilities_stand_in_the_bootstrap(folder: Path, text: str, shown: str) -> None:
    """A text of the application's."""
    prompt = agent(folder, capabilities=text).build(message="hi").system_prompt
    assert f"\n\n{shown}\nDate and time: " in prompt
    assert "Capabilities" not in agent(folder).build(message="hi").system_prompt


@pytest.mark.parametrize(
    ("guide", "number"),
    [
        ("# Tools\n\n## look_up\n- query\n### Example\n```\n# x\n```\n## send\n- to", 2),
        ("# Tools\n- look_up(query): finds\n  - query\n- send: sends\n", 2),
        ("look_up(query): finds things.\nsend(to): sends.\nread(file): reads.", 3),
        ("| tool | use |\n|---|---|\n| a | b |\n| c | d |", 2),
        ("# My agent's tools\n## search\n### Parameters\n- q\n### Examples\n", 1),
        ("# Tools\n## File tools\n### read\n### write\n## Web tools\n### fetch\n", 3),
        ("## File tools\n- read: reads\n- write: writes\n## Web tools\n- fetch: fetches\n", 3),
        ("Use them wisely.", 0),
    ],
)
def test_the_number_of_tools_is_right_when_tools_md_lists_them(folder: Path, guide: str, number: int) -> None:
    """By headings, lists, lines or a table; the tools of a request are counted where there are any."""
    (folder / "TOOLS.md").write_text(guide, encoding="utf-8")
    assert f"\nTools: {number}\n" in prompt(folder)
    text = agent(folder).build(message="hi", tools=[TOOL] * 4).system_prompt
    assert "\nTools: 4\n" in text


def test_the_home_folder_may_be_written_with_a_tilde(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bootstrap shows what it is."""
    monkeypatch.setenv("HOME", str(folder.parent))
    text = prompt(f"~/{folder.name}")
    assert text.startswith("You are Mira.")
    assert f"Workspace: {folder}" in text


def test_missing_files_are_listed_in_the_snapshot_and_logged_at_debug(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They may be missing: no warning."""
    caplog.set_level("DEBUG", logger="ctx_core.workspace")
    (folder / "TOOLS.md").unlink()
    (folder / "memory/MEMORY.md").unlink()
    snapshot = Workspace(folder).load()
    assert snapshot.missing == ("TOOLS.md", "memory/MEMORY.md")
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("DEBUG", "TOOLS.md: not there"),
        ("DEBUG", "memory/MEMORY.md: not there"),
    ]
    assert Workspace(folder / "nowhere").load().missing == (
        "SOUL.md", "AGENTS.md", "TOOLS.md", "memory/MEMORY.md", "skills",
    )  # fmt: skip


def test_the_last_six_messages_stay_before_memories(folder: Path) -> None:
    """With a TOOLS.md of 2,100 tokens and 20 memories of 1,560 in 4,000: the least relevant memories go for them."""
    (folder / "TOOLS.md").write_text("t" * 8_400, encoding="utf-8")
    entries = "\n".join(f"- fact {at} about {'porto' if at == 7 else 'nothing'} {'x' * 290}" for at in range(20))
    (folder / "memory/MEMORY.md").write_text(entries, encoding="utf-8")
    recipe = agent(folder)
    for state in (None, WindowState()):
        context = recipe.build(talk(20, 400), "porto", state=state)
        report = context.report
        assert [message["content"][:3] for message in context.conversation[:-1]] == [f"{at:03}" for at in range(34, 40)]
        assert 0 < report.layer("memory").items < 20
        assert "about porto" in context.system_prompt
        assert context.tokens <= 4_000


def test_then_the_rest_of_the_history(folder: Path) -> None:
    """Once no memory is left to go, the six go too; never the current message."""
    context = agent(folder).build(talk(20, 400), "n" * 4 * 3_400)
    assert context.report.layer("memory").items == 0 or len(context.conversation) == 1
    assert len(context.conversation) < 7
    assert context.messages[-1]["content"] == "n" * 4 * 3_400


def test_figures(folder: Path) -> None:
    """Of the context or its report."""
    recipe = agent(folder)
    context = recipe.build(talk(25, 400), "new")
    figures = recipe.figures(context.report)
    assert (figures.tokens, figures.limit, figures.memories, figures.memories_left_out) == (context.tokens, 4_000, 3, 0)
    assert figures.left_out == 50 - (figures.messages - 1) > 0
    assert figures.layers["history"] > 0


def test_a_workspace_in_use_is_copied_and_pickled(folder: Path) -> None:
    """Without its caches."""
    workspace = Workspace(folder)
    workspace.load("tea")
    for one in (copy.copy(workspace), copy.deepcopy(workspace), pickle.loads(pickle.dumps(workspace))):  # noqa: S301 - our own
        assert one.load("tea") == workspace.load("tea")


def test_what_a_subclass_of_a_workspace_adds_is_copied_too(folder: Path) -> None:
    """Whatever it is made of."""
    workspace = Tenant("north", folder)
    workspace.load("tea")
    for one in (copy.copy(workspace), copy.deepcopy(agent(folder, workspace=workspace)).workspace):
        assert isinstance(one, Tenant)
        assert (one.tenant, one.path) == ("north", folder)
        assert one.load("tea") == workspace.load("tea")


def test_tools_are_cached(folder: Path) -> None:
    """TOOLS.md is read once for many requests, and read again when it has changed."""
    recipe = agent(folder)
    first = recipe.build(message="hi").system_prompt
    recipe.build(message="hi")
    assert "look_up(query)" in first
    (folder / "TOOLS.md").write_text("book(ship): books.", encoding="utf-8")
    os.utime(folder / "TOOLS.md", (1, 1))
    assert "book(ship)" in recipe.build(message="hi").system_prompt


def test_under_1_mb_of_memory(folder: Path) -> None:
    """For a typical workspace, over what its text takes anyway."""
    recipe = agent(folder)
    recipe.build(message="hi")
    tracemalloc.start()
    recipe.build(message="hi")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
