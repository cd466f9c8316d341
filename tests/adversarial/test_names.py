"""Wrong calls of every public name: each ends in one of our errors, short and in words, or is a call that works."""

from __future__ import annotations

import inspect
import random
from pathlib import Path
from typing import Any

import names
import pytest
from attack import asked

from cases import PROVE
from serpenoid.core.errors import InputError

CASES = list(names.cases())
OPEN_TO_ATTACK = [number for number, case in enumerate(CASES) if case.free]
SAMPLED, TOGETHER = 40, 12  # names of a sample; names to a process
MOST_RAW = 0.005  # of all wrong calls


def test_every_public_name_has_examples_of_what_it_needs() -> None:
    """A new public name is attacked too: what it needs stands in `names.BY_NAME` or, for it alone, in `names.OWN`."""
    missing = []
    for case in CASES:
        missing += [f"{case.name}({argument})" for argument in case.needed if argument not in case.good]
    assert not missing, f"tests/adversarial/names.py has no example for {', '.join(missing)}"


def test_wrong_arguments_of_public_names_are_refused_in_words(tmp_path: Path) -> None:
    """A seeded sample of names and values; `make prove` tries all."""
    numbers = OPEN_TO_ATTACK if PROVE else sorted(random.Random(11).sample(OPEN_TO_ATTACK, SAMPLED))
    step = TOGETHER if PROVE else SAMPLED
    answers = []
    for k in range(0, len(numbers), step):
        folder = tmp_path / str(k)
        folder.mkdir()
        answers += asked(numbers[k : k + step], folder, None if PROVE else 1, 3600.0 if PROVE else 900.0)
    raw = [f"{name}({argument}={value}): {came}" for name, argument, value, came in answers if came]
    assert len(answers) >= len(numbers) * (1 if not PROVE else 20)
    assert len(raw) <= MOST_RAW * len(answers), f"{len(raw)} of {len(answers)}:\n" + "\n".join(raw[:200])


def test_a_class_and_a_method_written_anew_keep_their_door() -> None:
    """A gait of one's own refuses what is no robot, though its author checked nothing."""
    from serpenoid.gaits.waves import Wave, WaveGait

    class Mine(WaveGait):
        def yaw_and_pitch(self, robot: Any) -> tuple[Wave, Wave]:
            return Wave(0.0, 0.1, robot.links, 1.0), Wave(0.0, 0.0, 0.0, 0.0)

    assert inspect.signature(Mine.yaw_and_pitch).parameters.keys() == {"self", "robot"}
    with pytest.raises(InputError, match="robot must be a Robot, got 'snake'"):
        Mine().yaw_and_pitch("snake")
    with pytest.raises(InputError, match="Pose: position must be finite numbers"):
        names.shapes.Pose("here")
