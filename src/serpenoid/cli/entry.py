"""The command line: a thin face on the package; each command is a file of its own with `TEXT`, `add` and `command`.

Exit codes: 0 ok, 2 bad input, 3 the run failed (diverged, blocked, stalled), 4 storage, 5 unexpected, 130 interrupted, 143 terminated.
With --json exactly one JSON object goes to standard output; progress and messages go to standard error. Nothing heavy is
imported before a command needs it, so that --help is instant.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress

from serpenoid import signals
from serpenoid.cli import (
    allow,
    bench,
    best,
    cite,
    compare,
    export,
    gradient,
    new,
    optimise,
    plan,
    run,
    schema,
    shape,
    show,
    size,
    studio,
    study,
    sweep,
    verify,
)
from serpenoid.cli import list as listing
from serpenoid.cli.arguments import Parser, joined, refusal
from serpenoid.cli.terminal import give, given, open_streams, say, write_object
from serpenoid.spelling import near

DAILY = {
    "new": new,
    "run": run,
    "show": show,
    "list": listing,
    "studio": studio,
    "optimise": optimise,
    "sweep": sweep,
    "export": export,
}
COMMANDS = DAILY | {
    "best": best, "gradient": gradient, "size": size, "compare": compare, "plan": plan, "shape": shape, "study": study, "cite": cite, "allow": allow, "verify": verify, "schema": schema, "bench": bench,
}  # fmt: skip
INSTEAD = {  # no commands, but often tried
    **dict.fromkeys(("plot", "figure", "film", "animate", "render", "video"), "serpenoid run draws a figure and a film"),
    "help": "serpenoid --help", "version": "serpenoid --version", "train": "docs/learning.md shows how", "install": "pip does that",
}  # fmt: skip

MOST_LINES, WIDEST = 10, 1000  # of a message


def parser() -> Parser:
    """The grammar of the command line."""
    about = "A laboratory for snake-like robots.\n\n" + "\n".join(told_commands())
    top = Parser(
        prog="serpenoid",
        usage="serpenoid COMMAND ...",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="store_true", help="print the version")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", prog="serpenoid", help=argparse.SUPPRESS)
    for name, module in COMMANDS.items():
        sub = commands.add_parser(name, description=(module.command.__doc__ or "").strip())
        sub.set_defaults(function=module.command)
        sub.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        module.add(sub)
    return top


def told_commands() -> list[str]:
    """The commands of every day and the others, a line each."""
    lines = ["every day:"]
    for name, module in COMMANDS.items():
        if name not in DAILY and "more:" not in lines:
            lines += ["", "more:"]
        lines.append(f"  {name:9s} {module.TEXT}")
    return [*lines, "", "serpenoid COMMAND --help shows a command's arguments."]


def check_command(words: list[str]) -> None:
    """Refuse a first word that is no command, with what it may have meant."""
    word = words[0] if words else ""
    if not word or word.startswith("-") or word in COMMANDS:
        return
    from serpenoid.formats.scenario import bundled

    if word in bundled() or word.endswith(".toml"):
        hint = f"; did you mean serpenoid run {word}?"
    elif word in listing.KINDS:
        hint = f"; did you mean serpenoid list {word}?"
    else:
        hint = f"; {INSTEAD[word]}" if word in INSTEAD else near(word, COMMANDS)
    raise refusal(f"no command {word!r}{hint}\n  commands: {', '.join(COMMANDS)}")


def fail(json: bool, error: BaseException, code: int) -> int:
    """Report an error: text on standard error, and the JSON object if one was asked for."""
    text = brief(str(error) or type(error).__name__)
    say(f"serpenoid: {text}")
    if json and not given():
        with suppress(OSError):
            give({"status": "error", "exit_code": code, "error": text})
    return code


def brief(text: str) -> str:
    """A message of at most ten lines, none of them endless."""
    lines = [line if len(line) <= WIDEST else f"{line[:WIDEST]}..." for line in text.splitlines()]
    return "\n".join(lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], "..."])


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    words = joined(sys.argv[1:] if argv is None else argv)
    json = "--json" in words
    open_streams()

    def last_words() -> None:
        if json and not given():
            write_object({"status": "error", "exit_code": signals.exit_code(), "error": "ended by a second signal"})

    with signals.listening(last_words):
        code = _guarded(words, json)
        code = (
            signals.exit_code() or code
        )  # work that was done before the note was looked at has been told to stop all the same
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        # nobody reads: a closed pipe is fine, a full disk is not
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = code or 4
    return code


def _guarded(words: list[str], json: bool) -> int:
    """Run a command; every error becomes a message and an exit code."""
    try:
        check_command(words)
        args = parser().parse_args(words)
        if args.version:
            from serpenoid.version import VERSION

            print(VERSION)
            return 0
        if args.command is None:
            parser().print_help()
            return 2
        code: int = args.function(args)
        return code
    except KeyboardInterrupt as error:
        return _stopped(json, str(error))
    except SystemExit as end:  # of --help: whether it could be written is seen when it is flushed
        return int(end.code or 0)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except MemoryError:
        return fail(json, MemoryError("out of memory: use fewer links or a longer record_interval"), 3)
    except Exception as error:
        if signals.exit_code() is not None:  # what an interrupt broke off
            return _stopped(json, "")
        from serpenoid.core.errors import SerpenoidError
        from serpenoid.core.theirs import told

        if isinstance(error, SerpenoidError):
            return fail(json, error, error.exit_code)
        if os.environ.get("SERPENOID_DEBUG"):
            raise
        if (found := told(error)) is not None:
            return fail(json, found, found.exit_code)
        if isinstance(error, OSError):
            return fail(json, error, 4)
        text = f"unexpected {type(error).__name__}: {error} (SERPENOID_DEBUG=1 shows where; please report it)"
        return fail(json, RuntimeError(text), 5)


def _stopped(json: bool, text: str) -> int:
    """Report that a signal ended the work."""
    signals.take()
    code = signals.exit_code() or 130
    return fail(json, KeyboardInterrupt(text or ("terminated" if code == 143 else "interrupted")), code)
