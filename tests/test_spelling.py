"""Words that are not known: the right suggestion for near misses of everything public, none for far words."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import serpenoid as sp
from serpenoid.cli.entry import COMMANDS, main
from serpenoid.cli.list import KINDS, TABLES, entries
from serpenoid.formats.scenario import bundled, schema
from serpenoid.simulation.metrics import METRICS
from serpenoid.spelling import SPELLINGS, SYNONYMS, near_words, nearest

RIGHT, WRONG = 0.95, 0.03  # least share of right answers; greatest of wrong ones
ALIASES = 60  # words of others that may be known
SHORTEST = 4  # letters from which one wrong letter leaves a word recognisable


def pools() -> dict[str, list[str]]:
    """Words that are known, by the place where they are asked for."""
    tables = schema()["properties"]
    found = {
        "commands": list(COMMANDS),
        "kinds": list(KINDS),
        "scenarios": list(bundled()),
        "metrics": list(METRICS),
        "top": [*sp.__all__],
    }
    found |= {kind: [item["name"] for item in entries(kind)] for kind in TABLES}
    found |= {f"[{key}]": list(table["properties"]) for key, table in tables.items() if "properties" in table}
    return found


def misses(word: str, rng: random.Random) -> Iterator[str]:
    """Near misses of a word: a letter left out, doubled, exchanged; another number, case and spelling."""
    k = rng.randrange(1, len(word) - 2)
    yield word[:k] + word[k + 1 :]
    yield word[:k] + word[k] + word[k:]
    yield word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    yield word[:-1] if word.endswith("s") else f"{word}s"
    yield word.title().replace("-", "_")
    for american, british in SPELLINGS:
        if british in word:
            yield word.replace(british, american)


def test_near_misses_of_all_public_words_are_answered() -> None:
    rng, right, wrong, total = random.Random(20), 0, [], 0
    for place, known in pools().items():
        for word in known:
            for miss in misses(word, rng) if len(word) >= SHORTEST else ():
                if miss not in known:
                    total += 1
                    answer = near_words(miss, known)
                    right += word in answer[:2]
                    wrong += [f"{place}: {miss} for {word}: {answer}"] * (bool(answer) and word not in answer[:2])
    assert total > 1000 and right >= RIGHT * total and len(wrong) <= WRONG * total, (right, total, wrong)


FAR = ["gallop", "trace", "banana", "x", "", "transmogrify", "help me", "zzz", "42"]


def test_far_words_get_no_suggestion() -> None:
    for known in pools().values():
        for word in FAR:
            assert nearest(word, known) is None, word


def test_few_words_of_others_are_known_and_none_hides_one_of_ours() -> None:
    assert len(SYNONYMS) <= ALIASES
    assert nearest("run", COMMANDS) == "run" and nearest("simulate", COMMANDS) == "run"
    assert nearest("max_torque", METRICS) == "torque_max" and nearest("qpos", ["com", "joint_angle"]) == "joint_angle"


CALLS = {
    "optimize creep": "did you mean optimise",
    "list gait": "did you mean gaits",
    "gaits": "serpenoid list gaits",
    "creep": "serpenoid run creep",
    "plot creep": "run draws a figure",
    "simulate creep": "did you mean run",
    "plan pth": "did you mean path",
    "run creep --dur 3": "did you mean --duration",
    "optimise creep --maximize com_dx": "did you mean --maximise",
    "run ma2001": "ma2001-case-one or ma2001-case-two",
}


@pytest.mark.parametrize("words", CALLS)
def test_natural_wrong_commands_get_a_way_on(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    said = capsys.readouterr().err
    assert CALLS[words] in said and "please report" not in said


def test_help_shows_the_commands_of_every_day_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    daily, more = text.split("every day:")[1].split("more:")
    assert len([line for line in daily.splitlines() if line.startswith("  ")]) == 8
    assert all(f"  {name}" in daily + more for name in COMMANDS)


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    """A short run."""
    return sp.simulate(sp.robots.ma2001(), sp.gaits.Serpenoid(winding_angle=0.8, waves=2, speed=0.8), duration=0.3)


ATTRIBUTES = {
    "joint_torque": "run['joint_torque']",
    "com_distance": "run.metrics['com_distance']",
    "joint_torques": "did you mean joint_torque?",
    "keys": "did you mean variables?",
    "to_xarray": "did you mean dataset?",
    "metric": "did you mean metrics?",
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_of_a_run_that_are_not_there(run: sp.Trajectory, name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(run, name)
    assert ATTRIBUTES[name] in str(caught.value)


def test_a_metric_asked_for_as_a_variable(run: sp.Trajectory) -> None:
    with pytest.raises(sp.SerpenoidError, match=r"it is a metric: run\.metrics"):
        run["com_distance"]
    assert list(run) == list(run.variables)


def test_variables_print_as_a_short_table(run: sp.Trajectory) -> None:
    lines = str(run.variables).splitlines()
    assert len(lines) == len(run.variables) and all(len(line) <= 120 for line in lines)
    (torque,) = [line for line in lines if line.startswith("joint_torque ")]
    assert "(time, dof) [N m]" in torque
    assert repr(run.variables["joint_torque"]).startswith("Variable((time: 31, dof: 19), [N m]")


TOP = {
    "run": "sp.simulate(robot, gait, world)",
    "optimize": "did you mean optimise?",
    "Coulomb": "sp.contact.Coulomb",
    "Simulaton": "did you mean Simulation?",
    "make": "gymnasium.make(",
}


@pytest.mark.parametrize("name", TOP)
def test_names_that_the_package_does_not_have(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(sp, name)
    assert TOP[name] in str(caught.value) and "Ground" not in str(caught.value)
    assert not hasattr(sp, "__wrapped__")
