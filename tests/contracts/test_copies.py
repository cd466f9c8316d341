"""Every public object is copied, deep-copied, pickled and forked right, here and in another process, or refused in words."""

from __future__ import annotations

import copy
import functools
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from copy_cases import acted, begun, driven, planar, public_classes, robot, told
from copy_table import BASES, cases, class_of, outcome
from fuzz_cases import PLANS, draw
from serpenoid import envs, gaits
from serpenoid.core.copying import NoCopyError
from serpenoid.simulation.setup import setup_of

TESTS = Path(__file__).parents[1]
WAYS: dict[str, Any] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda item: pickle.loads(pickle.dumps(item)),  # noqa: S301
}
NAMES = sorted(cases())
COPIED = [name for name in NAMES if not cases()[name].refuses]


def needs(name: str) -> None:
    """Skip a case whose package is not installed."""
    for word, package in (("MuJoCo", "mujoco"), ("Drake", "pydrake")):
        if word in name:
            pytest.importorskip(package)


def have(name: str) -> bool:
    try:
        needs(name)
    except pytest.skip.Exception:
        return False
    return True


@functools.cache
def expected(name: str) -> str:
    return outcome(name, cases()[name].make())


def test_every_public_class_has_a_case() -> None:
    public, known = public_classes(), {class_of(name) for name in NAMES}
    assert set(public) - known - BASES == set(), "these public classes have no case in copy_table"
    assert (known | BASES) - set(public) == set(), "these are not public"
    for name in BASES:  # nobody makes one: others are made of it, or it says what a user's own object must do
        made_of_it = any(
            issubclass(public[other], public[name])
            for other in known
            if not getattr(public[name], "_is_protocol", False)
        )
        assert made_of_it or getattr(public[name], "_is_protocol", False), name


@pytest.mark.parametrize("name", NAMES)
def test_copies_are_right_or_refused(name: str) -> None:
    """A copy goes on as the original would, and the original knows nothing of it."""
    needs(name)
    case = cases()[name]
    for way, copied in WAYS.items():
        item = case.make()
        assert type(item).__name__ == class_of(name).rpartition(".")[2]
        if case.refuses:
            with pytest.raises(NoCopyError, match=case.refuses):
                copied(item)
            continue
        made = copied(item)
        assert type(made) is type(item) or isinstance(made, dict), way
        assert outcome(name, made) == expected(name), way
        if case.moves:
            outcome(name, made)  # and further
        assert outcome(name, item) == expected(name), f"{way}: the copy moved the original"


@pytest.mark.parametrize("seed", range(300 if PROVE else 12))
def test_random_runs_are_copied_under_way(seed: int) -> None:
    """Near any bundled scenario, plans and controllers among them: copied at any time, a run goes on bit for bit, and so does the copy."""
    rng = np.random.default_rng(seed)
    case = draw(seed)
    if case.name in PLANS and not PROVE:
        pytest.skip("a plan takes seconds")
    try:
        setup = setup_of(case.data)
        first, pace = float(rng.uniform(0.0, 0.05)), float(rng.uniform(0.01, 0.05))
        whole, cut = sp.Simulation.of(setup), sp.Simulation.of(setup)
        good = [whole.advance(first), cut.advance(first)][0]
    except sp.SerpenoidError:
        pytest.skip("no run")
    if good:
        good = whole.advance(pace)
    made = [copied(cut) for copied in WAYS.values()]
    for sim in (*made, cut):
        sim.advance(pace)
        assert told(sim.memory()) == told(whole.memory()) and told(sim._engine.recorded()) == told(
            whole._engine.recorded()
        )
        assert sim.finished is whole.finished and (sim._good is good)


def test_they_go_on_in_another_process(tmp_path: Path) -> None:
    wanted = {name: expected(name) for name in COPIED if have(name)}
    (tmp_path / "items").write_bytes(pickle.dumps({name: pickle.dumps(cases()[name].make()) for name in wanted}))
    program = (
        "import sys, json, pickle; from copy_table import outcome; items = pickle.load(open(sys.argv[1], 'rb'));"
        "print(json.dumps({name: outcome(name, pickle.loads(item)) for name, item in items.items()}))"
    )
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "items")], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths})  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == wanted


def test_they_go_on_in_a_forked_process() -> None:
    """What a parent has made and used, its child goes on with, and the parent knows nothing of it."""
    names = [name for name in COPIED if cases()[name].moves and have(name)]
    items = {name: cases()[name].make() for name in names}
    wanted = {name: expected(name) for name in names}
    read, write = os.pipe()
    child = os.fork()
    if not child:
        made = {}
        try:
            made = {name: outcome(name, item) for name, item in items.items()}
        finally:
            os.write(write, json.dumps(made).encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        found = json.loads(pipe.read())
    os.waitpid(child, 0)
    assert found == wanted
    assert {name: outcome(name, item) for name, item in items.items()} == wanted


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_environments_go_on_in_gymnasiums_processes(start: str) -> None:
    """Gymnasium's own vector environments: those in this process and those in one process each are the same, bit for bit."""
    makes = [functools.partial(gymnasium.make, "serpenoid.envs:" + envs.IDS["Creep"], links=5) for _ in range(2)]
    rows, rng = [], np.random.default_rng(5)
    actions = rng.uniform(-1.0, 1.0, (4, 2, 4))
    for many in (gymnasium.vector.SyncVectorEnv(makes), gymnasium.vector.AsyncVectorEnv(makes, context=start)):
        rows.append([told(many.reset(seed=7)[0]), *(told(many.step(action)[:4]) for action in actions)])
        many.close()
    assert rows[0] == rows[1]


def test_a_wrapped_environment_is_copied_whole() -> None:
    """What `gymnasium.make` gives: the copy has its own limit of actions, and the original is where it was."""
    env = begun(gymnasium.make(envs.IDS["Creep"], links=5))
    other = copy.deepcopy(env)
    assert acted(other) == acted(env) == acted(begun(gymnasium.make(envs.IDS["Creep"], links=5)))


def test_a_diverged_simulation_is_copied_as_it_is() -> None:
    sim = planar()
    sim._good = False
    for copied in WAYS.values():
        made = copied(sim)
        assert made.finished and told(made.memory()) == told(sim.memory()) and not made.advance(0.1)


def test_functions_without_a_name_stay_in_their_process() -> None:
    """A lambda is copied with its gait; Python's pickle refuses it by itself."""
    gait = gaits.FunctionGait(lambda t: 0.1 * np.sin(t + np.arange(3.0)))
    use = driven(lambda g: g)
    assert use(copy.deepcopy(gait)) == use(gait) == use(copy.copy(gait))
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(gait)


def test_arrays_that_may_not_be_written_stay_so() -> None:
    for copied in WAYS.values():
        made = copied(robot())
        assert not made.link_length.flags.writeable
    with pytest.raises(NoCopyError, match="copy the Simulation"):
        copy.copy(sp.Simulation(robot(), sp.World())._engine)
