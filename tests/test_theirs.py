"""Errors in a user's own code: told as theirs, with file and line of it and its own words; exit code 2, never "please report it"."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numba
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


@numba.njit
def raising_law(v: float, w: float, load: float, p: Any) -> Any:
    if v > 5e-4:
        raise ValueError("my own trouble")
    return -p[0] * load * math.tanh(v / 0.01), -p[1] * load * math.tanh(w / 0.01)


@numba.njit
def raising_wave(t: float, k: int, p: Any) -> float:
    if t > 0.05:
        raise ValueError("my own trouble")
    return 0.4 * math.sin(5.0 * t + 0.6 * k)


LAW = sp.contact.CustomLaw(function=raising_law, parameters=[0.1, 0.5])
RAISING = {
    "law": (raising_law, sp.gaits.Serpenoid(0.5, 1.0, speed=0.3), sp.World(LAW)),
    "gait": (raising_wave, sp.gaits.CustomGait(raising_wave), sp.World(sp.contact.Coulomb(0.1, 0.5))),
}


@pytest.mark.parametrize("name", RAISING)
def test_what_a_compiled_function_raises_ends_the_run(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Alone and as a cell, on whichever thread; nothing is printed, and no run is ok without the numbers it asked for."""
    function, gait, world = RAISING[name]
    robot = sp.robots.ma2001(links=6)
    line = f"{HERE}, line {function.py_func.__code__.co_firstlineno + 3})"
    with pytest.raises(InputError, match="ValueError: my own trouble") as said:
        sp.simulate(robot, gait, world, duration=0.1)
    assert line in str(said.value)
    batch = sp.simulate_many([robot] * 3, gait, world, 0.1, threads=2)
    assert set(batch.status) <= {"invalid", "diverged"} and any(line in message for message in batch.messages)
    assert capfd.readouterr().err == ""


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
    assert code == 2 and f"mine_of_test.py, line {line})" in err and "report" not in err, (code, err)
