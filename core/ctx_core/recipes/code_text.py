"""Code as a model reads it: fenced, under its path, in pieces that begin at declarations."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

_FENCE: Final = "```"
_TICKS: Final = re.compile("`+")
_LANGUAGES: Final = {
    "py": "python", "pyi": "python", "ts": "typescript", "tsx": "tsx", "js": "javascript", "jsx": "jsx",
    "mjs": "javascript", "cjs": "javascript", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin",
    "swift": "swift", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "hpp": "cpp", "cs": "csharp", "rb": "ruby",
    "php": "php", "sh": "bash", "sql": "sql", "lua": "lua", "hs": "haskell", "ex": "elixir", "exs": "elixir",
    "clj": "clojure", "lisp": "lisp", "scm": "scheme", "r": "r", "jl": "julia", "pl": "perl", "scala": "scala",
    "dart": "dart", "zig": "zig", "html": "html", "xml": "xml", "vue": "vue", "md": "markdown", "css": "css",
    "scss": "scss", "yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini", "tex": "latex", "erl": "erlang",
    "ml": "ocaml", "fs": "fsharp", "vim": "vim", "m": "objectivec", "proto": "protobuf", "ps1": "powershell",
}  # fmt: skip
"""Languages by the endings of their files."""
_NAMES: Final = {"dockerfile": "dockerfile", "containerfile": "dockerfile", "makefile": "makefile", "gemfile": "ruby"}
"""Languages of files that have no ending."""
_COMMENTS: Final = {
    **dict.fromkeys(
        ("python", "py", "ruby", "rb", "bash", "sh", "shell", "zsh", "perl", "r", "julia", "elixir", "yaml", "yml",
         "toml", "make", "makefile", "dockerfile", "powershell", "nim", "gdscript", "coffeescript", "tcl", "awk"),
        "# {}",
    ),
    **dict.fromkeys(("sql", "lua", "haskell", "ada", "elm", "vhdl", "applescript"), "-- {}"),
    **dict.fromkeys(("clojure", "lisp", "scheme", "racket", "elisp", "ini", "asm"), "; {}"),
    **dict.fromkeys(("latex", "tex", "matlab", "octave", "erlang", "prolog"), "% {}"),
    **dict.fromkeys(("html", "xml", "svg", "vue", "svelte", "markdown", "md"), "<!-- {} -->"),
    **dict.fromkeys(("css",), "/* {} */"),
    **dict.fromkeys(("ocaml", "pascal", "delphi"), "(* {} *)"),
    **dict.fromkeys(("vim",), '" {}'),
    **dict.fromkeys(("vb", "vbnet", "basic"), "' {}"),
    **dict.fromkeys(("fortran",), "! {}"),
}  # fmt: skip
"""How a line of comment is written, where not behind two slashes, as in most languages."""
_BEGINS: Final = re.compile(
    r"(?:export |declare |default |public |private |protected |internal |abstract |final |sealed |static |async |pub "
    r"|pub\(\w+\) )*(?:@|#\[|//|/\*|#(?!include)|--|class |interface |type |enum |struct |trait |union |protocol "
    r"|record |typedef |data |newtype |impl |namespace |module |object |def |func |fn |function |const |let |var |val "
    r"|message )|[A-Z]\w* *(?:=|:|\()"
)
"""How a line begins that begins a declaration, or a comment or a decorator above one."""
_ABOVE: Final = re.compile(r"@|#\[|//|/\*| ?\*|#|--")
"""How a line begins that belongs to the declaration below it."""


def language_of(path: str) -> str:
    """Give the language of a file by its ending, or by its name; empty for one that is not known."""
    file = PurePath(path)
    return _LANGUAGES.get(file.suffix.removeprefix(".").lower()) or _NAMES.get(file.name.lower(), "")


def commented(text: str, language: str) -> str:
    """Give a text as a line of comment in a language."""
    return _COMMENTS.get(language.lower(), "// {}").format(" ".join(text.split()))


def fenced_code(code: str, language: str = "") -> str:
    """Give code between fences that are not in it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(code)), default=0)
    fence = _FENCE if longest < len(_FENCE) else "`" * (longest + 1)
    return f"{fence}{language}\n{code.strip(chr(10)).rstrip()}\n{fence}"


def declarations(code: str) -> tuple[str, ...]:
    r"""Give code in pieces, each of which begins with a declaration; joined by `\n` they are the code again."""
    pieces: list[list[str]] = []
    above = False
    for line in code.split("\n"):
        begins = _BEGINS.match(line) is not None
        if not pieces or (begins and not above):
            pieces.append([line])
        else:
            pieces[-1].append(line)
        above = (begins or above) and _ABOVE.match(line) is not None
    return tuple("\n".join(piece) for piece in pieces) if code else ()
