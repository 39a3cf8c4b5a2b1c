"""A folder becomes layers."""

import json
import logging
import os
import shutil
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ctx_core import ContextBudget, ContextBuilder, TokenCounter
from ctx_core.clean import is_clean, one_line
from ctx_core.engine.layers import DATA_OPENING
from ctx_core.errors import BudgetError
from ctx_core.workspace import Layout, Workspace, session_id, session_parts

SHARED = Path(__file__).parents[4] / "shared" / "data" / "workspaces"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the real workspaces are not beside the project")
TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Find pages",
        "parameters": {
            "properties": {"query": {"type": "string", "description": "what"}, "lang": {"enum": ["en", "de"]}},
            "required": ["query"],
        },
    },
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a workspace with everything."""
    folder = tmp_path / "space"
    for name in ("SOUL", "AGENTS", "TOOLS"):
        write(folder / f"{name}.md", f"the {name}")
    write(folder / "memory/MEMORY.md", "- The user likes tea\n- The user lives in Lisbon\n")
    skill(folder, "weather", "name: weather\ndescription: Tells the weather")
    return folder


def write(path: Path, text: str) -> None:
    """Write a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def skill(root: Path, folder: str, head: str) -> None:
    """Write a skill."""
    write(root / "skills" / folder / "SKILL.md", f"---\n{head}\n---\nBody\n")


def test_the_layers_come_in_order(root: Path) -> None:
    """System, bootstrap, memory, skills, tools."""
    layers = Workspace(root).load("tea?").layers()
    assert [layer.name for layer in layers] == ["system", "bootstrap", "memory", "skills", "tool_guide"]
    assert layers[0].body == "the SOUL\n\nthe AGENTS"
    assert "Relevant memories:\n[MEMORY.md] The user likes tea" in layers[2].body
    assert layers[3].body == f"{DATA_OPENING}\nAvailable skills:\n- weather: Tells the weather\n</data>"
    assert layers[4].body == f"{DATA_OPENING}\nAvailable tools:\nthe TOOLS\n</data>"


async def test_the_async_door_gives_the_same(root: Path) -> None:
    """One body, two doors."""
    assert await Workspace(root).aload("tea?") == Workspace(root).load("tea?")


def test_the_bootstrap_says_where_it_is(root: Path) -> None:
    """Date and time, version, number of tools, path, environment."""
    layers = (
        Workspace(root)
        .load()
        .layers(now=datetime(2024, 5, 1, 9, 30, tzinfo=UTC), version="1.2", environment="test", tools=[TOOL])
    )
    assert layers[1].body.split("\n") == [
        "Date and time: 2024-05-01 09:30 UTC",
        "Version: 1.2",
        "Tools: 1",
        f"Workspace: {root}",
        "Environment: test",
    ]


def test_it_fits_a_builder(root: Path) -> None:
    """The layers are the builder's own, and the tools are counted."""
    counter = TokenCounter.for_model("gpt-4o")
    builder = Workspace(root).load("tea?").add_to(ContextBuilder(ContextBudget(4_000), counter), tools=[TOOL])
    context = builder.build(message="tea?")
    assert context.system_prompt.index("the SOUL") < context.system_prompt.index("Available skills:")
    assert context.tokens == counter.count_messages(context.messages, tools=[TOOL])


def test_an_empty_folder_has_defaults(tmp_path: Path) -> None:
    """Nothing is there, and something sensible is said."""
    snapshot = Workspace(tmp_path).load()
    assert snapshot.soul == Layout().default_soul
    assert snapshot.agents == Layout().default_agents
    assert [layer.name for layer in snapshot.layers()] == ["system", "bootstrap"]
    assert snapshot.warnings == ()


async def test_a_missing_folder_has_defaults_and_a_warning(tmp_path: Path) -> None:
    """A typing error in the path is no crash, and no secret."""
    snapshot = await Workspace(tmp_path / "nowhere").aload()
    assert snapshot.soul == Layout().default_soul
    assert len(snapshot.warnings) == 1


def test_missing_tools_are_told_from_the_schemas(root: Path) -> None:
    """Names, descriptions and parameters."""
    (root / "TOOLS.md").unlink()
    assert Workspace(root).load().layers(tools=[TOOL])[-1].body.split("\n")[1:-1] == [
        "Available tools:",
        "- search: Find pages",
        "  - query (string): what",
        "  - lang (en | de, optional)",
    ]


def test_a_changed_file_is_noticed(root: Path) -> None:
    """The cache never outlives a change."""
    workspace = Workspace(root, clock=lambda: 0.0)
    workspace.load()
    write(root / "SOUL.md", "another soul")
    assert workspace.load().soul == "another soul"


def test_an_unchanged_file_is_taken_from_the_cache_for_a_while(root: Path) -> None:
    """Within the time nothing is read again; after it, everything is."""
    now = 0.0
    workspace = Workspace(root, clock=lambda: now)
    workspace.load()
    status = (root / "SOUL.md").stat()
    (root / "SOUL.md").write_text("the BODY", encoding="utf-8")  # same size, and the same time by the next line
    os.utime(root / "SOUL.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert workspace.load().soul == "the SOUL"
    now = 6.0
    assert workspace.load().soul == "the BODY"


def test_memory_is_read_every_time(root: Path) -> None:
    """Even if neither time nor size of the file tells of the change."""
    workspace = Workspace(root, clock=lambda: 0.0)
    workspace.load()
    status = (root / "memory/MEMORY.md").stat()
    write(root / "memory/MEMORY.md", "- The user likes rye\n- The user lives in Lisbon\n")
    os.utime(root / "memory/MEMORY.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert workspace.load().memories[0].text == "The user likes rye"


def test_skills_come_and_go(root: Path) -> None:
    """The folder is scanned every time."""
    workspace = Workspace(root, clock=lambda: 0.0)
    workspace.load()
    skill(root, "news", "name: news\ndescription: Tells the news")
    shutil.rmtree(root / "skills/weather")
    assert [found.name for found in workspace.load().skills] == ["news"]


def test_at_most_so_many_memories(root: Path) -> None:
    """The best N."""
    layers = Workspace(root).load("Lisbon").layers(max_memories=1)
    assert layers[2].body == f"{DATA_OPENING}\nRelevant memories:\n[MEMORY.md] The user lives in Lisbon\n</data>"


def test_links_out_of_the_workspace_are_refused(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file, a skill's file, a skill's folder, and the folder of skills."""
    outside = root.parent / "outside"
    write(outside / "secret.md", "- secret")
    skill(outside, "evil", "name: evil\ndescription: secret")
    for link, target in {
        "SOUL.md": "secret.md",
        "memory/MEMORY.md": "secret.md",
        "skills/evil": "skills/evil",
        "skills/weather/SKILL.md": "skills/evil/SKILL.md",
    }.items():
        (root / link).unlink(missing_ok=True)
        (root / link).symlink_to(outside / target)
    with caplog.at_level(logging.WARNING, "ctx_core.workspace"):
        snapshot = Workspace(root).load("secret")
    assert len(snapshot.warnings) == 4
    assert all("leads out of the workspace" in warning for warning in snapshot.warnings)
    assert "secret" not in "".join(layer.body for layer in snapshot.layers())
    assert len(caplog.records) == 4
    shutil.rmtree(root / "skills")
    (root / "skills").symlink_to(outside / "skills")
    assert Workspace(root).load().skills == ()


def test_a_link_inside_the_workspace_is_followed(root: Path) -> None:
    """Only leading out is refused."""
    (root / "SOUL.md").unlink()
    (root / "SOUL.md").symlink_to("AGENTS.md")
    assert Workspace(root).load().soul == "the AGENTS"


def test_a_circle_of_links_is_a_warning(root: Path) -> None:
    """It leads nowhere."""
    (root / "SOUL.md").unlink()
    (root / "SOUL.md").symlink_to("SOUL.md")
    snapshot = Workspace(root).load()
    assert snapshot.soul == Layout().default_soul
    assert len(snapshot.warnings) == 1


@pytest.mark.parametrize("name", ["../SOUL.md", "/etc/passwd", "a/../../b", ""])
def test_a_layout_stays_inside(name: str) -> None:
    """A name that leads out is refused when it is given."""
    with pytest.raises(BudgetError, match="relative to the workspace"):
        Layout(soul=(name,))


def test_a_large_memory_is_read_in_pieces(root: Path) -> None:
    """100 MB of memory take less than 2 MB, and the entry that answers is found."""
    block = "".join(f"- 2024-01-02 line {at} about plumbing and gardening\n" for at in range(20_000))
    with (root / "memory/MEMORY.md").open("w", encoding="utf-8") as file:
        for at in range(100_000_000 // len(block) + 1):
            file.write(block)
            if at == 30:
                file.write("- The user bought a red bicycle\n")
    workspace = Workspace(root)
    workspace.load()  # whatever is imported or compiled on the way
    tracemalloc.start()
    snapshot = workspace.load("Which bicycles were bought?")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
    assert "red bicycle" in snapshot.layers(max_memories=1)[2].body


def test_a_large_file_without_line_ends_is_read_in_pieces(root: Path) -> None:
    """Nor does one endless line, of 8 MB, fill the memory."""
    with (root / "memory/MEMORY.md").open("w", encoding="utf-8") as file:
        for _ in range(400):
            file.write("word " * 4_000)
    tracemalloc.start()
    snapshot = Workspace(root).load("word")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
    assert snapshot.memories


def test_a_long_instruction_file_is_cut_with_a_warning(root: Path) -> None:
    """Only so much of it is taken."""
    write(root / "AGENTS.md", "é" * 600_000)
    snapshot = Workspace(root).load()
    assert snapshot.agents == "é" * 500_000
    assert snapshot.warnings == ("AGENTS.md: 1,200,000 bytes, only the first 1,000,000 are taken",)


def test_bytes_that_are_no_text_do_not_matter(root: Path) -> None:
    """A damaged file is read as far as it can be."""
    (root / "SOUL.md").write_bytes(b"\xef\xbb\xbfkind\r\n\xff soul")
    assert Workspace(root).load().soul == "kind\n\ufffd soul"


def test_front_matter_of_instructions_is_left_out(root: Path) -> None:
    """It describes the file, not the agent."""
    write(root / "AGENTS.md", "---\nname: pico\ndescription: x\n---\n\nBe brief.")
    assert Workspace(root).load().agents == "Be brief."


def test_skills_are_listed_clean_and_short(root: Path) -> None:
    """Nothing invisible, one line, capped."""
    skill(root, "odd", f'name: "o\\u200bd\\u202ed{"x" * 100}"\ndescription: "a\\nb\\u0007{"y" * 2000}"')
    listed = next(found for found in Workspace(root).load().skills if found.path == "skills/odd/SKILL.md")
    assert listed.name == "odd" + "x" * 60 + "…"
    assert listed.description.startswith("a by")
    assert len(listed.description) == 1024


def test_a_second_skill_of_a_name_is_skipped(root: Path) -> None:
    """A name means one skill."""
    skill(root, "weather-too", "name: weather\ndescription: Another")
    snapshot = Workspace(root).load()
    assert [found.description for found in snapshot.skills] == ["Tells the weather"]
    assert snapshot.warnings == ("skills/weather-too/SKILL.md: another skill has the same name; skipped",)


def test_a_skill_without_a_name_has_its_folders(root: Path) -> None:
    """The folder's name will do; without a description there is nothing to list."""
    skill(root, "nameless", "description: Does it")
    skill(root, "silent", "name: silent")
    snapshot = Workspace(root).load()
    assert [found.name for found in snapshot.skills] == ["nameless", "weather"]
    assert snapshot.warnings == ("skills/silent/SKILL.md: its front matter has no description; skipped",)


def test_a_repr_holds_no_content(root: Path) -> None:
    """Snapshots end up in logs by their repr."""
    shown = repr(Workspace(root).load("a question"))
    assert "SOUL" not in shown
    assert "tea" not in shown
    assert "question" not in shown


@needs_shared
@pytest.mark.parametrize(
    ("path", "layout", "skills"),
    [
        ("picoclaw/workspace", Layout(), 8),
        (
            "nanobot/nanobot",
            Layout(
                soul=("templates/SOUL.md",), agents=("templates/AGENTS.md",), memory=("templates/memory/MEMORY.md",)
            ),
            11,
        ),
    ],
)
def test_a_real_workspace_loads_whole(path: str, layout: Layout, skills: int) -> None:
    """Every file of it is used, and nothing is warned of."""
    snapshot = Workspace(SHARED / path, layout=layout).load("Which skills are enabled?")
    assert snapshot.warnings == ()
    assert len(snapshot.skills) == skills
    assert snapshot.soul != layout.default_soul
    assert snapshot.agents != layout.default_agents
    assert snapshot.memories


@needs_shared
def test_every_odd_skill_is_an_entry_or_a_warning(tmp_path: Path) -> None:
    """Of 27 odd files 25 are listed, and two have nothing that could be."""
    names = [Path(entry["file"]).name for entry in json.loads((SHARED / "odd/INDEX.json").read_text())]
    for name in names:
        folder = tmp_path / "skills" / name.split(".")[0]
        folder.mkdir(parents=True)
        shutil.copy(SHARED / "odd" / name, folder / ("skill.md" if "wrong_case" in name else "SKILL.md"))
    snapshot = Workspace(tmp_path).load()
    assert len(names) == 27
    assert len(snapshot.skills) == 25
    assert snapshot.warnings == (
        "skills/bom_mixed_newlines_no_front_matter/SKILL.md: no front matter; skipped",
        "skills/no_front_matter_wrong_case/skill.md: no front matter; skipped",
    )
    for found in snapshot.skills:
        assert is_clean(found.name + found.description)


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("a\u200bb\u2060c\ufeffd", "abcd"),
        ("a\x00b\x1b[31mc\x9dd", "ab[31mcd"),
        ("a\u202eb\u2066c", "abc"),
        ("a\n\tb\u2028c\u00a0d", "a b c d"),
        ("a\U000e0041\U000e0100b", "ab"),
        ("\u3164a\u115f", "a"),
        ("a\ud800b", "ab"),
        ("☀️ é 日本", "☀️ é 日本"),
    ],
)
def test_what_cannot_be_seen_goes(dirty: str, clean: str) -> None:
    """Zero-width, control, direction, tags and fillers; what is visible stays."""
    assert one_line(dirty, 100) == clean


@pytest.mark.parametrize(("channel", "chat"), [("telegram", "-100123"), ("whatsapp", "49@s.net"), ("cli", "a_b_c")])
def test_a_session_id_is_made_and_taken_apart(channel: str, chat: str) -> None:
    """`{channel}_{chat_id}`."""
    session = session_id(channel, chat)
    assert session == f"{channel}_{chat}"
    assert session_parts(session) == (channel, chat)


@pytest.mark.parametrize(
    ("channel", "chat"), [("", "1"), ("a", ""), ("a_b", "1"), ("a", "../b"), ("..", "b"), ("a", "b\x00"), ("a\\", "b")]
)
def test_a_bad_session_id_is_refused(channel: str, chat: str) -> None:
    """It would lead out of a folder, or could not be taken apart again."""
    with pytest.raises(BudgetError):
        session_id(channel, chat)


def test_a_session_without_a_channel_is_refused() -> None:
    """An id of another form is no session's."""
    with pytest.raises(BudgetError):
        session_parts("nochannel")
