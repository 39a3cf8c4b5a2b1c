"""A folder that somebody fills to do harm: a file is a warning at most, and costs what it is long."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ctx_core.clean import escaped, is_clean
from ctx_core.errors import BudgetError
from ctx_core.memory import candidates
from ctx_core.memory.words import folded
from ctx_core.workspace import Layout, Workspace, files, skills
from ctx_core.workspace.front_matter import front_matter
from ctx_core.workspace.yaml_fields import scalar_fields

HARMFUL = {
    "an int that cannot be printed": "hash: 0x" + "f" * 4_000,
    "an int that cannot be read": "hash: " + "9" * 5_000,
    "sixties": "hash: " + ":".join(["59"] * 3_000),
    "sixties with a fraction": "hash: " + ":".join(["59"] * 3_000) + ".5",
    "a date of no calendar": "made: 2026-99-99",
    "a time of no clock": "made: 2026-01-01 99:99:99 +99:99",
    "an int of nothing": "size: !!int ''",
    "a float of words": "size: !!float abc",
    "a bool of words": "on: !!bool abc",
    "a time of words": "on: !!timestamp abc",
    "a tag of code": "run: !!python/object/apply:os.system [id]",
    "a tag of nobody": "x: !unknown 5",
    "a key that cannot be hashed": "? [a]\n: b",
    "a key that is a mapping": "{a: b}: c",
    "a binary that is none": "x: !!binary '*'",
    "pairs that are none": "x: !!omap [a, b]",
    "a set of lists": "x: !!set {[a]: null}",
    "an anchor in itself": "x: &a [*a]",
    "a merge of itself": "x: &a\n  <<: *a",
    "a merge of a text": "<<: text",
    "a merge of a list": "<<: [a, b]",
    "an alias of nothing": "x: *nowhere",
    "deep brackets": "x: " + "[" * 20_000,
    "deep braces": "x: " + "{a: " * 5_000,
    "deep points": "x:\n  " + "- " * 20_000,
    "control characters": "x: a\x00b\x1bc",
    "a surrogate that was decoded": "x: a\ufffdb",
    "a value named =": "=: 1",
}


def skill(root: Path, folder: str, head: str, name: str = "SKILL.md") -> Path:
    """Write a skill."""
    path = root / "skills" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{head}\n---\nBody\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("head", HARMFUL.values(), ids=HARMFUL.keys())
def test_no_front_matter_takes_the_workspace_down(tmp_path: Path, head: str) -> None:
    """The others are there; of the harmful one what can be read, or a warning."""
    skill(tmp_path, "good", "name: good\ndescription: works")
    skill(tmp_path, "harmful", f"name: harmful\ndescription: works\n{head}")
    (tmp_path / "SOUL.md").write_text(f"---\n{head}\n---\nBe kind.", encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text("Be brief.", encoding="utf-8")
    snapshot = Workspace(tmp_path).load("hello")
    assert snapshot.agents == "Be brief."
    assert snapshot.soul.endswith("Be kind.")
    names = [found.name for found in snapshot.skills]
    assert names[0] == "good"
    assert names[1:] == ["harmful"] or any("harmful/SKILL.md" in warning for warning in snapshot.warnings)


def test_whatever_the_parser_raises_is_a_warning_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even what no parser should raise."""
    skill(tmp_path, "a", "name: a\ndescription: works")
    (tmp_path / "SOUL.md").write_text("---\nname: a\n---\nBe kind.", encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text("Be brief.", encoding="utf-8")

    def parse(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr(yaml, "parse", parse)
    snapshot = Workspace(tmp_path).load()
    assert (snapshot.soul, snapshot.agents, snapshot.skills) == (Layout().default_soul, "Be brief.", ())
    assert sorted(snapshot.warnings) == [
        "SOUL.md: cannot be read (RecursionError); skipped",
        "skills/a/SKILL.md: cannot be read (RecursionError); skipped",
    ]


def bomb(line: Callable[[int], str], levels: int) -> str:
    """Give a head of which each line doubles what the one before it says."""
    return "a0: &a0 {x: y}\n" + "\n".join(line(level) for level in range(1, levels))


@pytest.mark.parametrize(
    "line",
    [
        lambda at: f"a{at}: &a{at} {{<<: [*a{at - 1}, *a{at - 1}]}}",
        lambda at: f"a{at}: &a{at} {{<<: *a{at - 1}, k{at}: *a{at - 1}}}",
        lambda at: f"a{at}: &a{at} [*a{at - 1}, *a{at - 1}]",
        lambda at: f"a{at}: &a{at} {{? *a{at - 1} : *a{at - 1}}}",
    ],
)
def test_aliases_and_merge_keys_do_not_multiply(line: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line more is a few events more, where a loader's work would double."""
    events = 0
    parse = yaml.parse

    def counted(*arguments: object, **named: object) -> object:
        nonlocal events
        for event in parse(*arguments, **named):  # type: ignore[arg-type]  # handed on
            events += 1
            yield event

    monkeypatch.setattr(yaml, "parse", counted)
    costs: list[int] = []
    for levels in (20, 40):
        events = 0
        fields = scalar_fields(bomb(line, levels) + "\nname: n\ndescription: d")
        assert fields == {"name": "n", "description": "d"}
        costs.append(events)
    assert costs[1] < 2.2 * costs[0]


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        ("size: 0x10\nmade: 2026-01-01\nx: yes", {"size": "0x10", "made": "2026-01-01", "x": "yes"}),
        ("Name: a\nnothing:\nnull: b\n1: c\ntrue: d", {"name": "a"}),
        ("name: &n a\ndescription: *n", {"name": "a", "description": "a"}),
        ("base: &b {name: x}\n<<: *b\ndescription: d", {"description": "d"}),
        ("name: >\n  a\n  b\nlist: [name, c]\nmap: {name: d}", {"name": "a b\n"}),
        ("name: a\nname: b", {"name": "b"}),
    ],
)  # fmt: skip
def test_scalars_are_read_as_they_are_written(block: str, fields: dict[str, str]) -> None:
    """Texts, numbers and dates alike; what is inside of something else is no field."""
    assert scalar_fields(block) == fields


@pytest.mark.parametrize("block", ["", "text", "- a", "a: b\n---\nc: d", "a: [", "a: *b", "a: b\ud800", "*x"])
def test_what_is_no_mapping_has_no_fields(block: str) -> None:
    """Nor has what is no YAML."""
    assert not scalar_fields(block)


@given(st.text(alphabet=st.sampled_from("ab:-&*<! \n[]{}?|>'\"#%@`,=~0x9."), max_size=80))
def test_every_field_is_one_that_yaml_has_too(block: str) -> None:
    """Where the strict loader reads a mapping of texts, so do we, and the same; nothing raises."""
    fields = scalar_fields(block)
    try:
        loaded = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts only
    except Exception:  # noqa: BLE001 - it may raise anything
        return
    if isinstance(loaded, dict) and fields is not None:
        said = {str(key).lower(): value for key, value in loaded.items() if isinstance(value, str)}
        assert all(said.get(name, value) == value for name, value in fields.items())


def test_a_body_begins_where_its_head_ends(tmp_path: Path) -> None:
    """Characters that are line ends for some move nothing."""
    (tmp_path / "SOUL.md").write_text("---\nname: a\u2028b\x85c\x0bd\n---\nFirst\nSecond", encoding="utf-8")
    assert Workspace(tmp_path).load().soul == "First\nSecond"


def test_only_the_beginning_is_searched_for_a_head() -> None:
    """What ends behind it is none that is strict."""
    head = front_matter("---\nname: a\ndescription: b\nx: " + "y" * 200_000 + "\n---\nBody")
    assert head is not None
    assert not head.strict


NAMES = ["a\nb", "a\x1b[31mb", "a\x9b1mb", "a\rb", "a\u202eb", "a\u200bb", "a\u2028b", "a\u3164b", "a\u00adb", "a\x07b"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["without head", "without description", "out", "second"])
def test_names_of_folders_reach_the_log_escaped(
    tmp_path: Path, name: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing that steers a terminal, breaks a line or hides itself, whatever the warning is about."""
    root = tmp_path / "space"
    skill(root, "0", "name: first\ndescription: works")
    if kind == "out":
        outside = skill(tmp_path, "out", "name: x\ndescription: works")
        (root / "skills" / name).symlink_to(outside.parent)
    else:
        head = {"without head": "", "without description": "x: y", "second": "name: first\ndescription: works"}[kind]
        skill(root, name, head)
    with caplog.at_level(logging.WARNING, "ctx_core.workspace"):
        snapshot = Workspace(root).load()
    (warning,) = snapshot.warnings
    assert is_clean(warning)
    assert warning.startswith(f"skills/{name.encode('unicode_escape').decode()}")
    assert [record.getMessage() for record in caplog.records] == [warning]


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A file system may hold bytes that no text has; what holds the path could not be sent or logged."""
    skill(tmp_path, "good", "name: good\ndescription: works")
    try:
        skill(tmp_path, os.fsdecode(b"bad\xff"), "name: bad\ndescription: works")
    except OSError:
        pytest.skip("this file system takes no such name")
    snapshot = Workspace(tmp_path).load()
    assert [found.name for found in snapshot.skills] == ["good"]
    assert snapshot.warnings == ("skills/bad\\udcff: the name of the folder is no valid Unicode; refused",)


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "\0", "a" + chr(0xDCFF)])
def test_a_path_that_no_file_system_has_is_refused(path: str) -> None:
    """With words, and when it is given."""
    with pytest.raises(BudgetError, match="NUL, or half of a surrogate pair") as caught:
        Workspace(path)
    assert is_clean(str(caught.value))
    layouts: list[dict[str, Any]] = [{"soul": (path,)}, {"memory": (path,)}, {"skills": path}]
    for layout in layouts:
        with pytest.raises(BudgetError, match="a NUL nor half of a surrogate pair"):
            Layout(**layout)


def test_a_folder_that_cannot_be_looked_at_is_a_warning(tmp_path: Path) -> None:
    """Too long a name, or a circle of links."""
    (tmp_path / "circle").symlink_to("circle")
    for path in (tmp_path / ("x" * 300), tmp_path / "circle"):
        snapshot = Workspace(path).load()
        assert snapshot.soul == Layout().default_soul
        assert len(snapshot.warnings) == 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain ü 日本", "plain ü 日本"),
        ("a\x1b]0;b\x07", "a\\x1b]0;b\\x07"),
        ("a\ud800\u2066", "a\\ud800\\u2066"),
        ("x" * 300, "x" * 199 + "…"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_shown_as_an_escape(name: str, shown: str) -> None:
    """What can be seen stays."""
    assert escaped(name) == shown


def searched(root: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Give the characters that are looked through when a memory file of more than its limit is loaded."""
    looked = 0

    def counted(piece: str) -> str:
        nonlocal looked
        looked += len(piece)
        return folded(piece)

    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/MEMORY.md").write_text(text, encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(candidates, "folded", counted)
        Workspace(root, layout=Layout(max_file=10_000)).load("Which bicycles were bought?")
    return looked


@pytest.mark.parametrize(
    "block",
    [
        "- 2024-01-02 a bicycle and more\n",
        "- bicycle\n",
        "bicycle\n",
        "bicycle " * 3_000,
        "# " + " " * 3_900 + "bicycle\n",
        "".join("#" * level + " " + "bicycle " * 400 + "\n" for level in range(2, 7)) + "- bicycle\n" * 200,
    ],
)
def test_loading_is_linear_in_the_size_of_the_memory(
    tmp_path: Path, block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice the file is twice the work, and a heading is no burden to each of the entries below it."""
    times = 40_000 // len(block) + 1
    once, twice = (searched(tmp_path, block * times * factor, monkeypatch) for factor in (1, 2))
    assert once < 130 * times * len(block)
    assert twice < 2.5 * once


def test_a_heading_of_spaces_is_read_in_one_go(tmp_path: Path) -> None:
    """What a heading ends in is no reason to look at it again from each of its characters."""
    text = "## " + "# " * 1_000 + "title" + " #" * 900 + "\n- entry\n"
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/MEMORY.md").write_text(text, encoding="utf-8")
    (item,) = Workspace(tmp_path).load().memories
    assert len(item.tags[0]) == 200


def test_skills_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are and however late it is: only what has changed is read again."""
    for at in range(300):
        skill(tmp_path, f"s{at:03}", f"name: n{at}\ndescription: works")
    reads: list[str] = []
    read_start = files.read_start

    def counted(found: files.Found, limit: int, warnings: list[str]) -> str:
        reads.append(found.name)
        return read_start(found, limit, warnings)

    monkeypatch.setattr(skills, "read_start", counted)
    now = 0.0
    workspace = Workspace(tmp_path, clock=lambda: now)
    first = workspace.load()
    assert len(first.skills) == len(reads) == 300
    now = 1e6
    assert workspace.load().skills == first.skills
    assert len(reads) == 300
    skill(tmp_path, "s007", "name: n7\ndescription: other")
    (tmp_path / "skills/s008/SKILL.md").rename(tmp_path / "skills/s008/skill.md")
    (tmp_path / "skills/s009/SKILL.md").unlink()
    third = workspace.load()
    assert reads[300:] == ["skills/s007/SKILL.md", "skills/s008/skill.md"]
    assert len(third.skills) == 299
    assert third.skills[7].description == "other"


def test_warnings_of_skills_that_are_known_come_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """In the snapshot on every load, in the log once."""
    skill(tmp_path, "bad", "x: y")
    workspace = Workspace(tmp_path)
    with caplog.at_level(logging.WARNING, "ctx_core.workspace"):
        first, second = workspace.load(), workspace.load()
    assert first.warnings == second.warnings != ()
    assert len(caplog.records) == 1


def test_what_could_not_be_read_is_tried_again(tmp_path: Path) -> None:
    """A link whose target appears is a skill from then on, though nothing changed in its folder."""
    folder = tmp_path / "skills/later"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").symlink_to("../../shared.md")
    workspace = Workspace(tmp_path)
    assert workspace.load().skills == ()
    (tmp_path / "shared.md").write_text("---\nname: later\ndescription: works\n---\n", encoding="utf-8")
    assert [found.name for found in workspace.load().skills] == ["later"]
