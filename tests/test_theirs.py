"""Errors in a user's own code: told as theirs, with file and line of it and its own words; exit code 2, never "please report it"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.theirs import theirs, told
from serpenoid.simulation.metrics import METRICS

HERE = Path(__file__).name


def wrong(*_: Any) -> Any:
    return {}["no such key"]


def other(one: Any, two: Any, three: Any, four: Any) -> Any:
    return None


def _controlled(function: Any) -> Any:
    return sp.simulate(sp.robots.ma2001(links=4), sp.control.Controller(function, period=0.02), None, 0.1)


def _measured(function: Any) -> Any:
    from serpenoid.simulation import metrics

    metrics.register("of_mine", "m", function)
    try:
        return sp.run_scenario("creep", ["run.duration=0.01", "run.checked=false"])
    finally:
        del metrics.METRICS["of_mine"]


CALLS = {
    "controller": _controlled,
    "metric": _measured,
    "gait": lambda f: sp.simulate(sp.robots.ma2001(links=4), sp.gaits.FunctionGait(f), None, 0.1),
    "terrain": lambda f: sp.core.terrain.HeightField.sampled(f, (0.0, 0.0), (1.0, 1.0), 0.5),
    "search": lambda f: sp.optimise.evaluate_all(f, [1, 2]),
    "curve": lambda f: sp.shapes.from_curve(f, 1.0),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("function", "kind"), [(wrong, KeyError), (other, TypeError)])
def test_what_a_function_of_theirs_raises_is_theirs(name: str, function: Any, kind: type[Exception]) -> None:
    """The line inside it, or that of its head where it could not even be called."""
    with pytest.raises(InputError) as said:
        CALLS[name](function)
    code = function.__code__
    line = code.co_firstlineno + (1 if function is wrong else 0)
    assert f"{HERE}, line {line})" in str(said.value) and kind.__name__ in str(said.value)
    assert isinstance(said.value.__cause__, kind)


def test_our_own_errors_stay_ours() -> None:
    with pytest.raises(NumericalError), theirs("the function", wrong):
        raise NumericalError("diverged")
    try:
        json.loads("{")
    except ValueError as error:
        assert told(error) is None


MODULE = """
import serpenoid as sp
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.command import GAITS

def through(values):
    return {"gait.waves": values["n"]["x"]}

def few():
    return {}

def metric(run):
    return {}["no such key"]

@description
class Mine(sp.gaits.Serpenoid):
    def row(self, robot):
        return [][3]
"""
COMMANDS = {
    "through": (["sweep", "creep", "--over", "n=1:2:1", "--through", "mine_of_test:through", "--out", "s"], 8),
    "signature": (["sweep", "creep", "--over", "n=1:2:1", "--through", "mine_of_test:few", "--out", "s"], 10),
    "metric": (["optimise", "creep", "--over", "gait.waves=1:2", "--maximise", "mine_of_test:metric", "--set", "run.duration=0.1"], 14),
    "gait": (["run", "creep", "--set", "gait.kind=mine_of_test:Mine", "--set", "run.duration=0.1"], 19),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_line_says_whose_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine_of_test.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    words, line = COMMANDS[name]
    code = main([*words, "--allow", "mine_of_test"])
    METRICS.pop("metric", None)  # every later run would have it
    err = capsys.readouterr().err
    assert code in (2, 3) and f"mine_of_test.py, line {line})" in err and "report" not in err, (code, err)
