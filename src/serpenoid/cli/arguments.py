"""What the arguments of several commands share: the parser, changes of a scenario, allowed modules, the folder for results."""

from __future__ import annotations

import argparse
import importlib
import math
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from serpenoid.cli.terminal import say
from serpenoid.spelling import near

if TYPE_CHECKING:
    from serpenoid.core.errors import InputError
    from serpenoid.formats.result import Result


def refusal(text: str) -> InputError:
    """An input error; the exception is imported only when it is raised, so that --help stays instant."""
    from serpenoid.core.errors import InputError

    return InputError(text)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are input errors like all others; options are written out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **kwargs})

    def error(self, message: str) -> NoReturn:
        """Report how to use the command, and what is wrong."""
        raise refusal(f"{message}; {self.prog} --help shows how to use it")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            name = action.option_strings[0] if action.option_strings else str(action.metavar or action.dest).lower()
            known = list(action.choices)
            raise refusal(
                f"no {name} {value!r}{near(value, known)}; there {'are' if len(known) > 1 else 'is'} {', '.join(map(str, known))}"
            )

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse all arguments; an unknown option is refused with the one that it may have meant."""
        words = list(sys.argv[1:] if args is None else args)
        found, rest = self.parse_known_args(words, namespace)
        if rest:
            place = self.reached(words)
            known = [option for action in place._actions for option in action.option_strings]
            place.error(f"{rest[0].partition('=')[0]} is not known{near(rest[0].partition('=')[0], known)}")
        return found

    def reached(self, words: list[str]) -> argparse.ArgumentParser:
        """The parser of the command that the words name."""
        inner = next((a for a in self._actions if isinstance(a, argparse._SubParsersAction)), None)
        word = next((word for word in words if inner is not None and word in inner.choices), None)
        if inner is None or word is None:
            return self
        place = inner.choices[word]
        return place.reached(words[words.index(word) + 1 :]) if isinstance(place, Parser) else self


def joined(words: list[str]) -> list[str]:
    """Join an option and a value such as "-3,1" that would otherwise be taken for an option."""
    out: list[str] = []
    for word in words:
        pair = re.fullmatch(r"-[\d.][^\s]*,.*", word) is not None
        if pair and out and out[-1].startswith("--") and "=" not in out[-1]:
            out[-1] += f"={word}"
        else:
            out.append(word)
    return out


def add_json(sub: argparse.ArgumentParser) -> None:
    """Let a command print JSON."""
    sub.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object and nothing else"
    )


def add_changes(
    sub: argparse.ArgumentParser, outside: str = "let the scenario name files that do not lie in its folder"
) -> None:
    """Let a command change keys of its scenario, and allow it modules of the user's own."""
    sub.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the scenario")
    add_allow(sub)
    sub.add_argument("--allow-outside", action="store_true", help=outside)


def asked_for(args: argparse.Namespace) -> str:
    """The scenario of a command with its changes, as words for a next command."""
    words = [args.scenario]
    for option in ("set", "allow"):
        words += [word for value in getattr(args, option) for word in (f"--{option}", value)]
    if getattr(args, "duration", None) is not None:
        words += ["--set", f"run.duration={args.duration:g}"]
    return shlex.join([*words, *(["--allow-outside"] if args.allow_outside else [])])


def add_allow(sub: argparse.ArgumentParser) -> None:
    """Let a command use modules of the user's own."""
    sub.add_argument(
        "--allow", action="append", default=[], metavar="MODULE",
        help='a module of your own that may be imported for kinds such as "my_module:MyGait"; it runs its code (for good: serpenoid allow . MODULE)',
    )  # fmt: skip


def allowed(names: list[str]) -> tuple[str, ...]:
    """The modules that the user allowed, now or for good, imported (from the present folder too), so that what they register is known."""
    from serpenoid.cli.allow import remembered_here

    names = list(dict.fromkeys([*names, *remembered_here()]))
    if names and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    for name in names:
        if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name):
            raise refusal(f"--allow needs the name of a module as in an import, got {name!r}")
        try:
            importlib.import_module(name)
        except Exception as error:  # its code may raise anything
            raise refusal(f"--allow {name}: the module cannot be imported: {type(error).__name__}: {error}") from error
    return tuple(names)


def add_out(sub: argparse.ArgumentParser, default: str) -> None:
    """Let a command write into a folder."""
    sub.add_argument(
        "--out",
        metavar="DIR",
        help=f"folder for the results (default {default}, or {default}-2, ... if that has results)",
    )
    sub.add_argument("--force", action="store_true", help="replace the results that the folder has already")
    add_style(sub)


def add_style(sub: argparse.ArgumentParser) -> None:
    """Let a command draw in a style."""
    sub.add_argument("--style", metavar="NAME", help="of the figures: screen (default), print or talk")
    sub.add_argument("--vector", metavar="FORMAT", help="write each figure as pdf or svg too")


@contextmanager
def styled(args: argparse.Namespace) -> Iterator[None]:
    """Draw in the style that a command asks for while the block runs; one that is none is refused at its start."""
    if not (getattr(args, "style", None) or getattr(args, "vector", None)):
        yield
        return
    from serpenoid.view.style import using

    with using(args.style or "screen", args.vector or ()):
        yield


@contextmanager
def results(args: argparse.Namespace, default: str | Path) -> Iterator[Result]:
    """The result that a command writes: a folder under way, put in place when the block ends well; none is replaced unasked.

    `default` is a name in the folder out, or a path.
    """
    from serpenoid.formats import result as made

    if args.out == "":
        raise refusal("--out needs the name of a folder")
    about = {name: value for name, value in vars(args).items() if value and isinstance(value, str | int | float | list)}
    usual = default if isinstance(default, Path) else Path("out") / default
    with ExitStack() as stack:
        stack.enter_context(styled(args))
        if args.out is None and not args.force:
            one = stack.enter_context(made.new_result(usual, about))
        else:
            one = stack.enter_context(made.result(args.out or usual, replace=args.force, about=about))
        if made.checkpoints(one.path.parent / one.target.name) and not getattr(args, "resume", None):
            say(f"serpenoid: a stopped run is kept: serpenoid run --resume {one.target} goes on with it")
        try:
            yield one
        finally:
            if made.checkpoints(one.path.parent / one.target.name) and sys.exc_info()[0] is not None:
                say(f"serpenoid: the run is kept as of its last checkpoint: serpenoid run --resume {one.target}")


def numbers(text: str, name: str) -> tuple[float, float]:
    """Two numbers as in "10,10"."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != 2 or not all(math.isfinite(v) for v in values):
        raise refusal(f"{name} needs 2 finite numbers with a comma between, got {text!r}")
    return values[0], values[1]
