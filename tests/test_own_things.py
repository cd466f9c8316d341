"""Own gaits, laws and metrics by command as in Python: elements of lists, functions between, ties, allowing for good."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.cli.new import texts_of
from serpenoid.formats.scenario import put_key, read
from sweep_cases import TINY, sweep

MODULE = '''"""A wave by two numbers of one's own."""

def keys(values):
    """From a size and its share to an amplitude and a rate."""
    return {"gait.parameters[0]": values["size"] * values["share"], "gait.parameters.1": -4.0 - values["share"]}
'''
SHORT = ["--set", "run.duration=0.4", "--set", "robot.links=6", "--json"]
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Commands of a user who has a folder with an own gait, and a home of its own."""
    folder = tmp_path / "own"
    folder.mkdir()
    for name, text in (texts_of("gait") | {"my_keys.py": MODULE}).items():
        (folder / name).write_text(text)
    env = os.environ | {"XDG_CONFIG_HOME": str(tmp_path / "home"), "NUMBA_DISABLE_PERFORMANCE_WARNINGS": "1"}

    def run(*words: str, cwd: Path = folder) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "serpenoid", *words], cwd=cwd, env=env, capture_output=True, text=True
        )

    return run


# elements of lists


@pytest.mark.parametrize("key", ["gait.parameters.1", "gait.parameters[1]"])
def test_an_element_of_a_list_is_a_key(key: str) -> None:
    data = {"gait": {"parameters": [0.3, -5.0, 0.6]}}
    put_key(data, key, 0.7)
    assert data["gait"]["parameters"] == [0.3, 0.7, 0.6]


def test_an_element_of_a_list_of_tables_is_a_key() -> None:
    data = read("concertina", ["plan.obstacles[0].radius=0.03"])
    assert data["plan"]["obstacles"][0]["radius"] == 0.03


WRONG = {
    "plan.obstacles[3].radius=1": "no element of the list, which has those from 0 to 0",
    "plan.obstacles.first.radius=1": "no element of the list",
    "robot.link_mass.2=0.4": "is not a table but one value: give a list first",
}


@pytest.mark.parametrize("change", WRONG)
def test_what_is_no_element_is_refused(change: str) -> None:
    with pytest.raises(sp.SerpenoidError) as caught:
        read("concertina", ["robot.link_mass=0.5", change])
    assert WRONG[change] in str(caught.value)


def test_a_base_given_as_data_is_not_changed_by_a_sweep(tmp_path: Path) -> None:
    base = dict(read("creep", TINY))
    before = json.dumps(base)
    sweep(tmp_path / "s", base=base, changes=["world.friction.along=0.3"], over={"world.friction.across": [0.4, 0.6]})
    assert json.dumps(base) == before


def test_an_own_gait_is_swept_and_searched_by_command(command: Command) -> None:
    """The elements of its parameters are axes and variables; the optimum is the run with that element."""
    own = ["my_gait.toml", "--allow", "my_gait", *SHORT]
    done = command("sweep", *own, "--over", "gait.parameters[0]=0.2,0.3", "--metric", "com_distance", "--out", "s")
    assert done.returncode == 0, done.stderr
    found = command("optimise", *own, "--over", "gait.parameters.0=0.1:0.4", "--maximise", "com_distance", "--scan", "3", "--tolerance", "0.2")  # fmt: skip
    result = json.loads(found.stdout)
    assert result["status"] == "ok" and 0.1 <= result["optimum"]["gait.parameters.0"] <= 0.4
    opened = command("sweep", *own, "--over", "gait.parameters[0]=0.2,0.3", "--metric", "com_distance", "--out", "s")
    assert json.loads(opened.stdout)["computed"] == 0


# functions between


def test_a_search_goes_through_a_function(command: Command) -> None:
    """The same optimum as of the keys that the function gives; the result says these, and the request the function."""
    words = [
        "optimise",
        "my_gait.toml",
        "--allow",
        "my_gait",
        "--allow",
        "my_keys",
        *SHORT,
        "--through",
        "my_keys:keys",
    ]
    over = ["--over", "size=0.2:0.4", "--over", "share=0.6:0.9", "--maximise", "com_distance", "--evaluations", "24", "--restarts", "1"]  # fmt: skip
    done = command(*words, *over)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    place, changes = result["optimum"], result["changes"]
    assert changes["gait.parameters[0]"] == pytest.approx(place["size"] * place["share"], rel=1e-12)
    assert result["request"]["through"] == "my_keys:keys"
    sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value!r}")]
    run = json.loads(command("run", "my_gait.toml", "--allow", "my_gait", *SHORT, *sets, "--no-film").stdout)
    assert run["metrics"]["com_distance"] == pytest.approx(result["value"], rel=1e-9)


def test_what_the_function_must_be_is_said_by_the_help(command: Command) -> None:
    for name in ("optimise", "sweep"):
        assert "f(values) -> changes" in " ".join(command(name, "--help").stdout.split())
    done = command("optimise", "creep", "--through", "my_keys:keys", "--over", "size=1:2", "--maximise", "com_dx")
    assert done.returncode == 2 and "--allow my_keys" in done.stderr


# ties


def test_a_tied_key_takes_the_value_of_its_axis(tmp_path: Path) -> None:
    """Along = across in every cell: the same numbers as of both axes together, and a store of its own."""
    values = [0.2, 0.35, 0.5]
    tied = sweep(
        tmp_path / "a", over={"world.friction.along": values}, ties={"world.friction.across": "world.friction.along"}
    )
    both = sweep(
        tmp_path / "b", over={"world.friction.along": values, "world.friction.across": values}, design="together"
    )
    alone = sweep(tmp_path / "c", over={"world.friction.along": values})
    for name in ("com_distance", "friction_loss"):
        assert (
            tied.dataset[name].values.tolist()
            == both.dataset[name].values.tolist()
            != alone.dataset[name].values.tolist()
        )
    with pytest.raises(sp.SerpenoidError, match="ties"):
        sweep(tmp_path / "a", over={"world.friction.along": values})


@pytest.mark.parametrize(
    ("ties", "said"),
    [
        (["world.friction.across=world.friction.alnog"], "did you mean world.friction.along"),
        (["world.friction.along=world.friction.along"], "given twice"),
        (["world.friction.across"], "is no axis"),
        ("across=along", "ties must be"),
    ],
)
def test_ties_that_tie_nothing_are_refused(ties: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(sp.SerpenoidError, match=said):
        sweep(tmp_path / "t", over={"world.friction.along": [0.2, 0.3]}, ties=ties)


# metrics with a direction


def test_a_metric_says_whether_less_of_it_is_better(tmp_path: Path) -> None:
    """The sentence of the figure names the least of a metric that is better small, of own ones and of old stores too."""
    from serpenoid.simulation.metrics import METRICS
    from serpenoid.view.sweep import _told

    sp.simulation.metrics.register("wear", "J", lambda run: run.metrics["friction_loss"], "rubbed off", better="less")
    try:
        data = sweep(
            tmp_path / "s",
            over={"world.friction.along": [0.2, 0.35, 0.5]},
            metrics=["wear", "com_distance", "torque_max"],
        ).dataset
    finally:
        del METRICS["wear"]
    assert "is least" in _told(data["wear"]) and "is greatest" in _told(data["com_distance"])
    del data["torque_max"].attrs["better"]
    assert "is least" in _told(data["torque_max"])
    with pytest.raises(sp.SerpenoidError, match='"more" or "less"'):
        sp.simulation.metrics.register("worn", "J", lambda run: 1.0, better="fewer")


# allowing for good


def test_what_is_allowed_for_good_is_bound_to_folder_and_source(command: Command, tmp_path: Path) -> None:
    run = ["run", "my_gait.toml", *SHORT, "--no-film", "--force"]
    refused = command(*run)
    assert refused.returncode == 2 and "for good: serpenoid allow . my_gait" in refused.stderr
    assert command("allow", ".", "my_gait").returncode == 0
    assert command(*run).returncode == 0
    folder = tmp_path / "own"
    assert json.loads(command("allow", "--json").stdout)["allowed"].keys() == {str(folder.resolve())}
    other = tmp_path / "other"  # the same file in another folder
    other.mkdir()
    for path in folder.glob("my_*"):
        (other / path.name).write_bytes(path.read_bytes())
    assert command(*run, cwd=other).returncode == 2
    with open(folder / "my_gait.py", "a") as file:
        file.write("# changed\n")
    changed = command(*run)
    assert changed.returncode == 2 and "my_gait was changed since it was allowed" in changed.stderr
    assert command("allow", ".", "my_gait").returncode == 0 and command(*run).returncode == 0
    assert command("allow", ".", "my_gait", "--remove").returncode == 0 and command(*run).returncode == 2


def test_only_modules_of_the_folder_can_be_allowed(command: Command) -> None:
    for words in (
        ["allow", ".", "os"],
        ["allow", ".", "my_gait.inner"],
        ["allow", "nowhere", "my_gait"],
        ["allow", "."],
    ):
        done = command(*words)
        assert done.returncode == 2 and "Traceback" not in done.stderr


def test_a_changed_comment_in_an_own_file_is_told_by_its_name(command: Command, tmp_path: Path) -> None:
    words = ["sweep", "my_gait.toml", "--allow", "my_gait", *SHORT, "--over", "gait.parameters.0=0.2,0.3", "--metric", "com_dx", "--out", "s"]  # fmt: skip
    assert command(*words).returncode == 0
    with open(tmp_path / "own" / "my_gait.py", "a") as file:
        file.write("# a remark\n")
    done = command(*words)
    assert done.returncode == 2 and "my_gait.py was changed since" in done.stderr, done.stderr
