"""What can be said on the command line."""

from __future__ import annotations

import argparse
from typing import Final, NoReturn

from ctx_core import __version__
from ctx_core.cli.input_error import InputError
from ctx_core.providers import PROVIDERS

DEMO_BUDGET: Final = 6_000
"""Tokens at which the demonstration's conversation is cut several times."""


class Parser(argparse.ArgumentParser):
    """Raises `InputError` with one line, where argparse prints its usage and exits."""

    def error(self, message: str) -> NoReturn:
        """Refuse the options."""
        msg = f"{message} (see {self.prog} --help)"
        raise InputError(msg)


def parser() -> Parser:
    """Make the parser; the name of the chosen command is `command`."""
    root = Parser(
        prog="ctx-layers", description="Fits conversations into the context window of a model.", allow_abbrev=False
    )
    root.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    _add_fit(commands.add_parser("fit", help="fit conversations into a budget", allow_abbrev=False))
    _add_count(commands.add_parser("count", help="count the tokens of conversations", allow_abbrev=False))
    _add_validate(commands.add_parser("validate", help="say what a provider would refuse", allow_abbrev=False))
    _add_demo(commands.add_parser("demo", help="run a long conversation through every framework", allow_abbrev=False))
    return root


def _add_fit(fit: argparse.ArgumentParser) -> None:
    fit.description = (
        "Fits a conversation into a budget and says what was left out. "
        "Exit status: 0 if it fits, 1 if it cannot, 2 for input that cannot be used."
    )
    _add_file(fit)
    fit.add_argument("--model", metavar="M", help="model whose tokens are counted; by default a safe estimate for any")
    fit.add_argument(
        "--budget", metavar="N", type=_positive, help="tokens of the window; by default the model's, where it is known"
    )
    fit.add_argument(
        "--reserve",
        metavar="R",
        type=_from_zero,
        help=(
            "tokens of the window that are kept for the answer; by default none of a --budget, "
            "4,096 or a quarter of a model's"
        ),
    )
    which = fit.add_mutually_exclusive_group()
    which.add_argument("--line", metavar="K", type=_positive, help="the conversation on this line of the file")
    which.add_argument("--all", action="store_true", help="all conversations of the file, one by one")
    _add_tools(fit)
    fit.add_argument(
        "--json",
        action="store_true",
        help='print {"messages", "report"} and no tables; with --all one object a line, {"error"} for what cannot fit',
    )
    fit.add_argument("--html", metavar="OUT", help="write the report to this file too, as a web page")


def _add_count(count: argparse.ArgumentParser) -> None:
    count.description = "Counts the tokens of all conversations of a file, by role."
    _add_file(count)
    count.add_argument("--model", metavar="M", required=True, help="model whose tokens are counted")
    _add_tools(count)


def _add_validate(validate: argparse.ArgumentParser) -> None:
    validate.description = (
        "Says what a provider would refuse in a request, where and why; nothing is sent. "
        "Exit status: 0 if it takes the request, 1 if not, 2 for input that cannot be used."
    )
    validate.add_argument(
        "file",
        metavar="FILE",
        help="a request as the provider's API takes it, or a list of messages, as JSON; also .gz; or - for stdin",
    )
    validate.add_argument("--model", metavar="M", help="model that is asked; by default the request's own")
    validate.add_argument(
        "--provider", metavar="P", help=f"whose rules, one of {', '.join(PROVIDERS)}; by default the model's provider's"
    )
    validate.add_argument("--line", metavar="K", type=_positive, help="the request on this line of the file")
    _add_tools(validate)
    validate.add_argument(
        "--fix",
        action="store_true",
        help="print the request that the provider takes, as JSON, and the table on standard error; the status is its",
    )
    validate.add_argument("--json", action="store_true", help="print one object with the refusals, and no table")


def _add_demo(demo: argparse.ArgumentParser) -> None:
    demo.description = (
        "Runs a long conversation, request by request, through the engine and through every framework that is "
        "installed, and compares what they send. Exit status: 0 if they send the same, 1 if not."
    )
    demo.add_argument(
        "--budget",
        metavar="N",
        type=_positive,
        default=DEMO_BUDGET,
        help="tokens of each request; by default %(default)s",
    )
    demo.add_argument("--face", metavar="NAME", help="only this framework beside the engine, such as langchain")


def _add_file(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file",
        metavar="FILE",
        help='a JSON list of messages, an object with "messages", or JSON Lines of these, also .gz; or - for stdin',
    )


def _add_tools(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tools", metavar="FILE", help="a JSON list of the tool definitions that go with each request"
    )


def _positive(text: str) -> int:
    return _number(text, 1)


def _from_zero(text: str) -> int:
    return _number(text, 0)


def _number(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        msg = f"must be a whole number, {least} or more, found {text[:40]!r}"
        raise argparse.ArgumentTypeError(msg)
    return number
