"""serpenoid gradient: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from serpenoid.cli.entry import main
from serpenoid.cli.gradient import share_of
from serpenoid.core.errors import InputError

SHORT = [
    "--set",
    "run.duration=0.4",
    "--set",
    "run.step=4e-3",
    "--set",
    "gait.stop_time=0.4",
    "--set",
    "gait.speed=0.04",
    "--set",
    "robot.links=6",
]
ASKED = [
    "gradient",
    "creep",
    *SHORT,
    "--of",
    "com_distance",
    "--of",
    "friction_loss",
    "--over",
    "world.friction.across",
    "--over",
    "gait.waves",
]


def test_it_prints_the_derivatives_and_writes_numbers_and_bars(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*ASKED, "--certify", "1%"]) == 0
    said = capsys.readouterr().out
    assert "com_distance = " in said and "world.friction.across" in said and "over 0.01:" in said
    made = tmp_path / "out" / "creep-gradient"
    assert {"gradient.json", "gradient.png"} <= {path.name for path in made.iterdir()}
    told = json.loads((made / "gradient.json").read_text())["gradients"]
    assert [one["of"] for one in told] == ["com_distance", "friction_loss"]
    assert all(slope["secant"]["delta"] == 0.01 and slope["relative"] for one in told for slope in one["over"])


def test_json_is_one_object_and_a_next_command_certifies(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*ASKED, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "ok" and told["gradients"][0]["over"][0]["unit"] == "m"
    assert main(ASKED) == 0
    assert "--certify 1%" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--of", "com_distance"], "at least one --of"),
        (["--of", "torque_max", "--over", "gait.waves"], "greatest value"),
        (["--of", "com_distance", "--over", "robot.links"], "can change a little"),
        (["--of", "com_distance", "--over", "gait.waves", "--certify", "much"], "such as 1%"),
        (["--of", "com_distance", "--over", "gait.waves", "--set", "world.friction.law=bristle"], "memory"),
    ],
)
def test_wrong_questions_end_with_code_2(words: list[str], said: str, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["gradient", "creep", *SHORT, *words]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists() or not any((tmp_path / "out").iterdir())


def test_shares() -> None:
    assert share_of("2.5%") == pytest.approx(0.025) and share_of("0.03") == 0.03
    with pytest.raises(InputError, match="such as 1%"):
        share_of("1 %%")
